import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { quire } from '#test/support/command-line.ts'
import { isDeep } from '#test/support/depth.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startReceiver } from '#test/support/receiver.ts'
import { createProject, freePort, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'

async function open(allowed: string) {
  const service = await startTestService({ WEBHOOK_ALLOW_HOSTS: allowed }, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  const project = await createProject(service.url, 'told')
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await quire(['webhooks', ...words], {
      SERVICE_API_KEY: project.key,
      QUIRE_URL: service.url,
    })
    return { code, stdout: stdout.trim(), stderr }
  }
  return { service, project, run }
}

const deploy = ({ client }: ProjectAccess) =>
  client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# Hello' }] } })

it('webhooks are added, tested, looked at, delivered again and removed', async () => {
  const receiver = await startReceiver()
  const { project, run } = await open(receiver.host)
  const added = await run('add', receiver.url, '--events', 'deploy.success,preview.failed', '--json')
  expect(added.code).toBe(0)
  const { id, secret, events } = JSON.parse(added.stdout) as { id: string; secret: string; events: string[] }
  expect(secret).toMatch(/^whsec_/)
  expect(events).toEqual(['deploy.success', 'preview.failed'])
  const listed = await run()
  expect(listed.stdout).toContain(receiver.url)
  expect(listed.stdout).not.toContain(secret)

  if (isDeep) expect((await run('test', id)).code).toBe(0)
  receiver.status = 500
  const tested = await run('test', id)
  expect(tested).toMatchObject({ code: 1, stdout: expect.stringContaining('The receiver answered 500.') })

  await deploy(project)
  // It is in the log a moment after it has arrived.
  let delivery: string | undefined
  const failedOne = async (): Promise<string | undefined> => {
    const query = { status: 'failed' } as const
    const failed = await project.client.call(contract.webhooks.deliveries, { params: { slug: 'told', id }, query })
    return failed.items.find(({ event }) => event.type === 'deploy.success')?.id
  }
  await expect.poll(async () => (delivery = await failedOne())).toBeDefined()
  if (isDeep) expect((await run('deliveries', id, '--status', 'failed')).stdout).toContain(delivery)
  receiver.status = 200
  const again = await run('redeliver', id, delivery ?? '')
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('redelivery') })
  const shown = await run('deliveries', id, delivery ?? '')
  expect(shown.stdout).toContain(`POST ${receiver.url}`)
  expect(shown.stdout).toContain('"event":"deploy.success"')
  expect(shown.stdout).toContain('status 500')

  const rotated = await run('rotate-secret', id)
  expect(rotated.stdout).toMatch(/^whsec_/)
  expect(rotated.stdout).not.toBe(secret)
  if (isDeep) expect((await run('remove', id)).code).toBe(2)
  expect((await run('remove', id, '--yes')).code).toBe(0)
  if (isDeep) expect((await run()).stdout).toBe('told has no webhooks.')
})

it('a terminal receives deliveries, checks and prints them', async () => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/`
  const { project, run } = await open(`127.0.0.1:${port}`)
  const { stdout: secret } = await run('add', address)

  const child = spawn(
    process.execPath,
    [join(dist, 'quire.js'), 'webhooks', 'listen', '-p', `${port}`, '--secret-stdin'],
    {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let said = ''
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stdin.end(`${secret}\n`)
  await expect.poll(() => said).toContain(`WEBHOOK_ALLOW_HOSTS=127.0.0.1:${port}`)
  expect(said).not.toContain('not checked')
  await deploy(project)
  await expect.poll(() => printed).toContain('deploy.success')
  await expect.poll(() => printed).toContain('genuine')
  const forged = await fetch(address, { method: 'POST', body: '{"event":"forged"}' })
  expect(forged.status).toBe(401)
  await expect.poll(() => printed).toContain('it has no signature')
})
