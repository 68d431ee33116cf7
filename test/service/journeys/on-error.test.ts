import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, unlimited, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

const slug = 'kettle'
const params = { slug }
const broken = '# Two\n\n<Card>\n'
const docsJson = JSON.stringify({ name: 'Kettle', navigation: { pages: ['index', 'two', 'three'] } })

let service: TestService
let project: ProjectAccess
let owner: Client
let home: string
let folder: string

const ada = (...words: string[]): Promise<Finished> =>
  quire(words, { XDG_CONFIG_HOME: home, QUIRE_URL: service.url, QUIRE_PROJECT: slug }, folder)
const deploy = async (files: Readonly<Record<string, string>>, strict?: boolean) => {
  const list = Object.entries({ 'docs.json': docsJson, ...files }).map(([path, content]) => ({ path, content }))
  return project.client.call(contract.deploys.create, {
    body: { files: list, ...(strict === undefined ? {} : { strict }) },
  })
}
const page = async (path: string, label = slug): Promise<string> => {
  const { status, text } = await getSite(service.port, `${label}.localhost`, path)
  return status === 200 ? (/<h1[^>]*>([^<]*)/.exec(text)?.[1] ?? '') : String(status)
}

beforeAll(async () => {
  service = await startTestService({ ...unlimited })
  project = await createProject(service.url, slug)
  owner = createClient({ baseUrl: service.url, token: project.session })
  home = await mkdtemp(join(tmpdir(), 'quire-home-'))
  folder = await mkdtemp(join(tmpdir(), 'quire-kettle-'))
  const session = { [service.url]: { token: project.session, email: 'ada@example.com' } }
  await writeFiles(home, { 'quire/credentials.json': JSON.stringify(session) })
  await chmod(join(home, 'quire/credentials.json'), 0o600)
})
afterAll(async () => {
  await service.close()
  await removeDirectory(home)
  await removeDirectory(folder)
})

it('a page that cannot be compiled holds nothing else, where the project says so, until it is mended', async () => {
  await deploy({ 'index.mdx': '# One', 'two.mdx': '# Two', 'three.mdx': '# Three' })

  // As it is said nowhere: nothing goes live.
  const refused = await refusalOf(deploy({ 'index.mdx': '# New', 'two.mdx': broken, 'three.mdx': '# Three' }))
  expect(refused).toMatchObject({ code: 'build_failed' })
  expect(refused.errors[0]).toMatchObject({ path: 'two.mdx', line: 3, hint: expect.stringContaining('keep-old-page') })
  expect(await page('/')).toBe('One')

  // Only who may change the project chooses.
  const choice = { params, body: { onError: 'keep-old-page' as const } }
  expect(await refusalOf(project.client.call(contract.projects.update, choice))).toMatchObject({ code: 'forbidden' })
  const chosen = await ada('projects', 'on-error', slug, 'keep-old-page')
  expect([chosen.code, chosen.stdout]).toEqual([0, 'keep-old-page\n'])
  expect(await owner.call(contract.projects.read, { params })).toMatchObject({ onError: 'keep-old-page' })

  // The others go live, this one is as it was, one that never was is left out; each is told as an error.
  await writeFiles(folder, {
    'docs/docs.json': docsJson,
    'docs/index.mdx': '# New',
    'docs/two.mdx': broken,
    'docs/three.mdx': '# Three',
    'docs/four.mdx': broken,
  })
  const sent = await ada('deploy', 'docs')
  expect(sent.code).toBe(0)
  expect(sent.stderr).toMatch(/error.*two\.mdx:3/)
  expect(sent.stderr).toContain('readers get it as it was')
  expect(sent.stderr).not.toContain('would keep')
  expect(sent.stderr).toContain('Live, but not all pages: 4 errors')
  expect([await page('/'), await page('/two'), await page('/four')]).toEqual(['New', 'Two', '404'])
  const { items } = await owner.call(contract.deploys.list, { params })
  expect(items[0]).toMatchObject({ status: 'live', counts: { errors: 4 } })
  expect((await ada('logs')).stdout).toContain('it is left out of the site')

  // For as many deploys as it takes, and when the same is sent again.
  const files = { 'index.mdx': '# Newer', 'two.mdx': broken, 'three.mdx': '# Three' }
  for (const _ of [1, 2]) expect(await deploy(files)).toMatchObject({ status: 'live', counts: { errors: 2 } })
  expect([await page('/'), await page('/two')]).toEqual(['Newer', 'Two'])

  // Settings are never kept, and who asks for strictness gets it.
  expect(await refusalOf(deploy({ ...files, 'docs.json': '{' }))).toMatchObject({ code: 'build_failed' })
  expect(await refusalOf(deploy({ ...files, 'index.mdx': '# Newest' }, true))).toMatchObject({ code: 'build_failed' })
  expect(await page('/')).toBe('Newer')

  // A branch has the same: its preview, and what is published of it.
  const { id } = await owner.call(contract.branches.create, { params, body: { name: 'draft' } })
  const branch = { slug, id }
  const changes = [
    { path: 'three.mdx', content: broken },
    { path: 'five.mdx', content: '# Five' },
  ]
  await owner.call(contract.branches.commit, { params: branch, body: { changes } })
  const errorsOf = async (): Promise<number> => {
    const { preview } = await owner.call(contract.branches.read, { params: branch })
    return preview.status === 'live' ? preview.counts.errors : 0
  }
  await expect.poll(errorsOf, { timeout: 20_000 }).toBe(4)
  expect(await page('/three', `${slug}--draft`)).toBe('Three')
  const published = await owner.call(contract.branches.publish, { params, body: { branchId: id } })
  expect(published).toMatchObject({ status: 'live', counts: { errors: 4 } })
  expect([await page('/three'), await page('/five')]).toEqual(['Three', 'Five'])

  // Mended, it is new; and what goes back to an earlier deploy has what that had.
  const mended = await deploy({ 'index.mdx': '# Newer', 'two.mdx': '# Mended', 'three.mdx': '# Three' })
  expect(mended).toMatchObject({ status: 'live', counts: { errors: 0 } })
  expect(await page('/two')).toBe('Mended')

  // Chosen back, the same files do not go live any more.
  await deploy(files)
  await owner.call(contract.projects.update, { params, body: { onError: 'refuse' } })
  expect(await refusalOf(deploy(files))).toMatchObject({ code: 'build_failed' })
})
