import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { heldGit } from '#test/support/held-git.ts'
import { listeningSocket, openIn } from '#test/support/listening.ts'
import { childrenOf, commandOf, descendants } from '#test/support/process-tree.ts'
import { refusalOf } from '#test/support/refusal.ts'
import {
  createProject,
  startService,
  unlimited,
  type ProjectAccess,
  type ServiceProcess,
} from '#test/support/service-process.ts'
import { send } from '#test/support/send.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const patience = { timeout: 60_000, interval: 50 }

let directory: string
beforeEach(async () => {
  directory = await temporaryDirectory()
})

/** A service with the process above it that hands over. */
async function start(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const service = await startService(directory, { ...unlimited, ...settings }, undefined, { program: 'server' })
  onTestFinished(() => service.stop())
  return service
}

const servicesOf = ({ child }: ServiceProcess): readonly number[] => childrenOf(child.pid ?? 0)

/** Whatever is to be rendered waits from now on. The processes end with their service. */
function stopRendering({ child }: ServiceProcess): void {
  const children = descendants(child.pid ?? 0).filter((pid) => commandOf(pid).includes('render-child'))
  expect(children.length).toBeGreaterThan(0)
  for (const pid of children) process.kill(pid, 'SIGSTOP')
}

async function handOver(service: ServiceProcess): Promise<void> {
  const before = service.log().split('has taken over').length
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log().split('has taken over').length, patience).toBe(before + 1)
}

const files = (page: string) => [{ path: 'index.mdx', content: `# ${page}\n` }]
const deploy = ({ client }: ProjectAccess, page: string): Promise<Deploy> =>
  client.call(contract.deploys.create, { body: { files: files(page) }, headers: { 'idempotency-key': page } })
const list = async ({ client, slug }: ProjectAccess): Promise<readonly Deploy[]> =>
  (await client.call(contract.deploys.list, { params: { slug }, query: {} })).items

/** Main, the refs of deploys, the records and what readers get are of one mind. */
async function expectSound(service: ServiceProcess, project: ProjectAccess, page: string): Promise<void> {
  const { slug } = project
  const git = (...words: string[]): string =>
    execFileSync('git', ['--git-dir', join(directory, `${slug}.git`), ...words], { encoding: 'utf8' }).trim()
  const deploys = await list(project)
  expect(deploys.map(({ status }) => status).filter((status) => status === 'live')).toEqual(['live'])
  expect(deploys.filter(({ status }) => status === 'building')).toEqual([])
  const happened = deploys.filter(({ status }) => status !== 'failed')
  const refs = happened.map(({ number, commit }) => `refs/deploys/${number} ${commit}`)
  expect(git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/deploys').split('\n').toSorted()).toEqual(
    refs.toSorted(),
  )
  const live = deploys.find(({ status }) => status === 'live')
  expect(git('rev-parse', 'refs/heads/main')).toBe(live?.commit)
  expect(git('show', 'refs/heads/main:index.mdx')).toBe(`# ${page}`)
  expect((await getSite(service.port, `${slug}.localhost`, '/')).text).toContain(`>${page}<`)
}

it('a deploy that outlasts the time of a handover changes nothing, and whoever waits for it is told so', async () => {
  const service = await start({ DRAIN_SECONDS: '1' })
  const [before] = servicesOf(service)
  const waiting = await createProject(service.url, 'waiting')
  const asking = await createProject(service.url, 'asking')
  for (const project of [waiting, asking]) await deploy(project, 'As it was')

  stopRendering(service)
  const refused = refusalOf(deploy(waiting, 'New'))
  const begun = await asking.client.call(contract.deploys.create, {
    body: { files: files('New') },
    headers: { prefer: 'respond-async' },
  })
  expect(begun.status).toBe('building')
  await expect.poll(async () => (await list(waiting))[0]?.status, patience).toBe('building')
  await handOver(service)

  // Who waits is not left with a connection that breaks off; who asks for its end finds it, with the reason.
  expect(await refused).toMatchObject({
    code: 'unavailable',
    status: 503,
    message: 'The deploy was interrupted by a restart; nothing changed.',
  })
  const told = await asking.client.call(contract.deploys.read, { params: { slug: 'asking', id: begun.id } })
  expect(told).toMatchObject({
    status: 'failed',
    errors: [{ message: 'The deploy was interrupted by a restart; nothing changed.' }],
  })
  for (const project of [waiting, asking]) await expectSound(service, project, 'As it was')

  // The same request again is no repetition of what did not happen.
  expect((await deploy(waiting, 'New')).status).toBe('live')
  expect((await deploy(asking, 'New')).status).toBe('live')
  for (const project of [waiting, asking]) await expectSound(service, project, 'New')

  // The directory is the new one's, and the one before goes.
  await expect.poll(() => servicesOf(service), patience).toHaveLength(1)
  const [now] = servicesOf(service)
  expect(now).not.toBe(before)
  expect((await readFile(join(directory, '.lock'), 'utf8')).trim()).toBe(String(now))
})

it('a deploy whose refs move when the time is over is waited for, and live in the service that follows', async () => {
  const git = await heldGit()
  const service = await start({ DRAIN_SECONDS: '1', PATH: git.searchPath })
  const project = await createProject(service.url, 'docs')
  const repository = join(directory, 'docs.git')
  await git.hold(repository, 'update-ref')
  const deploying = deploy(project, 'New')
  await expect.poll(() => git.waiting(repository, 'update-ref'), patience).toBeGreaterThan(0)
  service.child.kill('SIGHUP')
  // The end of its time, told by whoever comes: the new one has not got the directory.
  const change = (): Promise<Response> => fetch(`${service.url}/api/auth/login`, { method: 'POST' })
  await expect.poll(async () => (await change()).status, patience).toBe(503)
  await sleep(2500)
  expect(service.log()).not.toContain('has taken over')
  await git.letGo(repository, 'update-ref')
  expect(await deploying).toMatchObject({ status: 'live' })
  await expect.poll(() => service.log(), patience).toContain('the new service has taken over')
  await expectSound(service, project, 'New')
  expect(await list(project)).toHaveLength(1)
})

it('whoever comes after a handover comes to the new service, though somebody still reads an answer of the one before', async () => {
  const service = await start({ DRAIN_SECONDS: '300' })
  const project = await createProject(service.url, 'docs')
  const large = 'x'.repeat(4_900_000)
  const body = { files: [...files('Page'), { path: 'large.txt', content: large }] }
  await project.client.call(contract.deploys.create, { body })
  const host = '127.0.0.1'
  const asked = request({ port: service.port, host, path: '/large.txt', headers: { host: 'docs.localhost' } })
  const [slow] = (await once(asked.end(), 'response')) as [IncomingMessage]
  // However it ends: the service would wait for its reader.
  onTestFinished(() => void slow.destroy())
  const [old = 0] = servicesOf(service)
  const socket = await listeningSocket(service.port)
  expect(await openIn(old)).toContain(socket)
  await handOver(service)
  // It is told so at that moment, and does not wait for its reader, for whom it has minutes.
  await expect.poll(() => openIn(old), patience).not.toContain(socket)
  const headers = { authorization: `Bearer ${project.key}`, 'content-type': 'application/json' }
  const path = '/api/projects/docs/branches'
  for (let number = 0; number < 40; number++) {
    const made = await send(service.port, { method: 'POST', path, headers, body: Buffer.from(`{"name":"b${number}"}`) })
    expect([made.status, made.text]).toEqual([201, expect.anything()])
    const { id } = JSON.parse(made.text) as { readonly id: string }
    expect((await send(service.port, { method: 'GET', path: `${path}/${id}/files`, headers })).status).toBe(200)
  }
  expect(servicesOf(service)).toContain(old)
  expect((await text(slow)).length).toBe(large.length)
})
