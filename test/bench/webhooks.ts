import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '../../src/contract/index.ts'
import { webhookLimits } from '../../src/contract/webhooks.ts'
import { createProject, startService, type ProjectAccess } from '../support/service-process.ts'
import { timed, type Timing } from './timing.ts'

const pages = 20
/** Long enough for the build children to be warm. */
const settle = 4000

/**
 * Deploys of a project without webhooks and of one with as many as there may be, whose receivers take every request and
 * never answer. In turn, on one service: what the machine does meanwhile happens to both.
 */
export async function benchWebhooks(repeat: number, onTiming: (timing: Timing) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-webhooks-'))
  let requests = 0
  const receiver = createServer(() => void (requests += 1)).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const address = receiver.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const host = `127.0.0.1:${address.port}`
  const service = await startService(directory, { LOG_LEVEL: 'error', WEBHOOK_ALLOW_HOSTS: host })
  try {
    const without = await openProject(service.url)
    const hanging = await openProject(service.url)
    for (let index = 0; index < webhookLimits.ofProject; index++)
      await hanging.client.call(contract.webhooks.create, {
        params: { slug: hanging.slug },
        body: { url: `http://${host}/${index}` },
      })
    await sleep(settle)
    const runs = { without: [] as number[], hanging: [] as number[] }
    for (let run = 0; run < repeat * 20; run++) {
      const first = run % 2 === 0 ? 'without' : 'hanging'
      for (const which of [first, first === 'without' ? 'hanging' : 'without'] as const)
        runs[which].push(await deployOnce(which === 'without' ? without : hanging, run))
    }
    onTiming({ name: `1 page of ${pages} changed, no webhooks`, runs: runs.without })
    onTiming({
      name: `the same, ${webhookLimits.ofProject} webhooks whose receivers hang`,
      runs: runs.hanging,
      note: `${requests} requests hang or hung; ${await pending(service.url)} deliveries wait`,
    })
  } finally {
    await service.stop()
    receiver.closeAllConnections()
    receiver.close()
    await rm(directory, { recursive: true, force: true })
  }
}

const filesOf = (run: number): { path: string; content: string }[] =>
  Array.from({ length: pages }, (_, index) => ({
    path: `page-${index}.md`,
    content: `# Page ${index}\n\nA paragraph.\n${index === 0 ? `\nChange ${run}.\n` : ''}`,
  }))

async function openProject(url: string): Promise<ProjectAccess> {
  const project = await createProject(url, `b${randomUUID().slice(0, 8)}`)
  await project.client.call(contract.deploys.create, { body: { files: filesOf(-1) } })
  return project
}

function deployOnce({ client }: ProjectAccess, run: number): Promise<number> {
  return timed(() => client.call(contract.deploys.create, { body: { files: filesOf(run) } }))
}

async function pending(url: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return /^quire_webhook_pending (\d+)$/m.exec(text)?.[1] ?? '?'
}
