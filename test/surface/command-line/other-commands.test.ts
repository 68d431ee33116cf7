import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { join as joinProject } from '#test/support/members.ts'
import { startModelServer, type ModelServer } from '#test/support/model-server.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

// What each of these commands does in all cases is tested in depth: here, that each works.
const edit = { name: 'edit_file', arguments: { path: 'index.md', find: 'Welcom', replace: 'Welcome' } }
let home: string
let model: ModelServer
let service: TestService
let project: ProjectAccess
let owner: Client

/** As the owner, with her session. */
const run = (...words: string[]): Promise<Finished> =>
  quire(words, { XDG_CONFIG_HOME: home, QUIRE_URL: service.url }, home)
const site = async (): Promise<number> => (await getSite(service.port, 'told.localhost', '/index.md')).status

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-others-'))
  model = await startModelServer(({ body }) =>
    body.messages.some(({ role }) => role === 'tool') ? { chunks: ['It is mended.'] } : { calls: [edit] },
  )
  service = await startTestService({ ...model.settings, DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder() })
  project = await createProject(service.url, 'told')
  owner = createClient({ baseUrl: service.url, token: project.session })
  const files = [{ path: 'index.md', content: '# Welcom\n' }]
  await project.client.call(contract.deploys.create, { body: { files } })
  await owner.call(contract.branches.create, { params: { slug: 'told' }, body: { name: 'words' } })
  const session = { [service.url]: { token: project.session, email: 'told@example.com' } }
  await writeFiles(home, { 'quire/credentials.json': JSON.stringify(session) })
  await chmod(join(home, 'quire/credentials.json'), 0o600)
})
afterAll(async () => {
  await service.close()
  await model.close()
  await removeDirectory(home)
})

it('admin: gives an account another plan, beside the service', async () => {
  const { plan: before } = await project.client.call(contract.usage.read, { params: { slug: 'told' } })
  const changed = await quire(['admin', '--data', service.directory, 'plan', 'told@example.com', 'pro'])
  expect(changed).toMatchObject({ code: 0, stdout: 'told@example.com has the plan pro.\n' })
  const { plan } = await project.client.call(contract.usage.read, { params: { slug: 'told' } })
  expect([before, plan]).toEqual(['free', 'pro'])
})

it('visibility and share: a site is private, and shown by a link', async () => {
  expect(await run('visibility', 'private')).toMatchObject({ code: 0, stdout: 'told is private: members see it.\n' })
  expect(await site()).toBe(401)
  const shared = await run('share', 'create', 'Reviewers')
  expect(shared.stdout).toMatch(/^http:\S+\/_quire\/enter\?share=quire_v_\w+\n$/)
  await owner.call(contract.visibility.set, { params: { slug: 'told' }, body: { visibility: 'public' } })
})

it('domains: one is added, with the record that it needs, and removed', async () => {
  const added = await run('domains', 'add', 'docs.example.com')
  expect(added.stdout).toMatch(/^TXT {4}_quire\.docs\.example\.com {2}quire-verification=\S+$/m)
  const removed = await run('domains', 'remove', 'docs.example.com', '--yes')
  expect(removed).toMatchObject({ code: 0, stdout: 'removed docs.example.com\n' })
})

it('analytics: says how they are switched on', async () => {
  const shown = await run('analytics')
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('analytics is off: put')])
})

it('assistant: does what it is told on a branch, and says so', async () => {
  const told = await run('assistant', 'words', 'Mend the heading')
  expect([told.code, told.stdout], told.stderr).toEqual([0, 'It is mended.\n'])
  expect(told.stderr).toMatch(/ {2}edit index\.md[^]*saved \w+ {2}index\.md\n/)
})

it('completion: a shell gets its script, and names that the service has', async () => {
  expect((await run('completion', 'bash')).stdout).toContain('complete ')
  expect((await run('complete', '--', 'publish', '')).stdout).toMatch(/^words\b/)
})

it('deploy --watch: deploys what is saved, and ends with Ctrl-C', async () => {
  await writeFiles(home, { 'docs/index.md': '# First\n' })
  const child = spawn(process.execPath, [join(dist, 'quire.js'), 'deploy', 'docs', '--watch'], {
    env: { PATH: process.env['PATH'], HOME: home, SERVICE_API_KEY: project.key, QUIRE_URL: service.url },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => said).toContain('watching for changes')
  await writeFiles(home, { 'docs/index.md': '# Second\n' })
  await expect.poll(async () => (await getSite(service.port, 'told.localhost', '/index.md')).text).toContain('Second')
  child.kill('SIGINT')
  expect((await once(child, 'exit'))[0]).toBe(0)
})

it('leave, link and rename: of two projects one is left, and the folder follows the other to its new name', async () => {
  const other = await createProject(service.url, 'theirs')
  const them = createClient({ baseUrl: service.url, token: other.session })
  await joinProject(them, 'theirs', { client: owner, email: 'told@example.com' })
  expect((await run('link', 'told')).code).toBe(0)
  expect(await run('leave', '--project', 'theirs', '--yes')).toMatchObject({ code: 0, stdout: 'You left theirs.\n' })
  const renamed = await run('rename', 'retold')
  expect([renamed.code, renamed.stderr]).toEqual([0, expect.stringContaining('.quire.json says so, too')])
  expect(JSON.parse(await readFile(join(home, '.quire.json'), 'utf8'))).toMatchObject({ project: 'retold' })
  const { items } = await owner.call(contract.projects.list, { query: {} })
  expect(items.map(({ slug }) => slug)).toEqual(['retold'])
})
