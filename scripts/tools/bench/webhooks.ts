import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '#contract/index.ts'
import { webhookLimits } from '#contract/webhooks.ts'
import { createProject, startService, type ProjectAccess } from '#test/support/service-process.ts'
import type { Timing } from './timing.ts'

const pages = 20
const hanging = webhookLimits.ofProject - 1
/** Long enough for the build children to be warm. */
const settle = 4000

/** Answers at `/healthy/<slug>` at once and nowhere else ever. */
class Receiver {
  readonly #server: Server
  readonly #arrivals = new Map<string, number[]>()

  constructor() {
    this.#server = createServer((request, response) => {
      const slug = /^\/healthy\/(.+)$/.exec(request.url ?? '')?.[1]
      if (slug === undefined) return
      this.#arrivals.set(slug, [...(this.#arrivals.get(slug) ?? []), performance.now()])
      response.writeHead(204).end()
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return `127.0.0.1:${address.port}`
  }

  /** When the n-th request for a project came, from 0; waits for it. */
  async arrival(slug: string, index: number): Promise<number> {
    for (;;) {
      const at = this.#arrivals.get(slug)?.[index]
      if (at !== undefined) return at
      await sleep(1)
    }
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/**
 * Deploys of a project without webhooks, of one with a healthy webhook, and of one with as many as there may be, of which
 * all but one take every request and never answer. In turn, on one service: what the machine does meanwhile happens to
 * all of them.
 */
export async function benchWebhooks(repeat: number, onTiming: (timing: Timing) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-webhooks-'))
  const receiver = new Receiver()
  const host = await receiver.listen()
  const service = await startService(directory, { LOG_LEVEL: 'error', WEBHOOK_ALLOW_HOSTS: host })
  try {
    const none = await openProject(service.url, [])
    const healthy = await openProject(service.url, [`http://${host}/healthy/`])
    const silent = Array.from({ length: hanging }, (_, index) => `http://${host}/silent-${index}/`)
    const beside = await openProject(service.url, [...silent, `http://${host}/healthy/`])
    await sleep(settle)
    const deploys = { none: [] as number[], healthy: [] as number[], beside: [] as number[] }
    const told = { healthy: [] as number[], beside: [] as number[] }
    for (let run = 0; run < repeat * 20; run++) {
      deploys.none.push((await deployOnce(none, run)).took)
      for (const [which, project] of [['healthy', healthy] as const, ['beside', beside] as const]) {
        const { took, ended } = await deployOnce(project, run)
        deploys[which].push(took)
        told[which].push(Math.max(0, (await receiver.arrival(project.slug, run)) - ended))
      }
    }
    onTiming({ name: `1 page of ${pages} changed, no webhooks`, runs: deploys.none })
    onTiming({ name: 'the same, 1 webhook', runs: deploys.healthy })
    const waiting = `${await pending(service.url)} deliveries wait`
    onTiming({ name: `the same, ${hanging} more whose receivers hang`, runs: deploys.beside, note: waiting })
    onTiming({ name: 'from the reply to the receiver, alone', runs: told.healthy })
    onTiming({ name: `the same, beside ${hanging} that hang`, runs: told.beside })
  } finally {
    await service.stop()
    receiver.close()
    await rm(directory, { recursive: true, force: true })
  }
}

const filesOf = (run: number): { path: string; content: string }[] =>
  Array.from({ length: pages }, (_, index) => ({
    path: `page-${index}.md`,
    content: `# Page ${index}\n\nA paragraph.\n${index === 0 ? `\nChange ${run}.\n` : ''}`,
  }))

/** A project with a deploy and then webhooks, each at its address with the slug behind it. */
async function openProject(url: string, addresses: readonly string[]): Promise<ProjectAccess> {
  const project = await createProject(url, `b${randomUUID().slice(0, 8)}`)
  const { client, slug } = project
  await client.call(contract.deploys.create, { body: { files: filesOf(-1) } })
  for (const address of addresses)
    await client.call(contract.webhooks.create, { params: { slug }, body: { url: `${address}${slug}` } })
  return project
}

async function deployOnce({ client }: ProjectAccess, run: number): Promise<{ took: number; ended: number }> {
  const began = performance.now()
  await client.call(contract.deploys.create, { body: { files: filesOf(run) } })
  const ended = performance.now()
  return { took: ended - began, ended }
}

async function pending(url: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return /^quire_webhook_pending (\d+)$/m.exec(text)?.[1] ?? '?'
}
