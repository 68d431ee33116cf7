import { inDepth } from '#test/support/depth.ts'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { cloneProject, commitFiles } from '#test/support/developer.ts'
import { git, gitSays } from '#test/support/git-service.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const page = async (label: string, path: string) => {
  const { status, text } = await getSite(service.port, `${label}.localhost`, path)
  return status === 200 ? text : status
}

async function link(clone: string, links: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(clone, path)), { recursive: true })
    await symlink(target, join(clone, path))
  }
}

const shared = {
  'shared/start.mdx': '# Start here',
  'shared/deep/more.mdx': '# There is more\n\n![](/image.png)',
}
const links = { guide: 'shared', 'again/start.mdx': '../guide/start.mdx', 'CLAUDE.md': 'AGENTS.md' }

/** A project, and a clone whose folder `guide` is a link to `shared`. */
async function linked() {
  const { project, clone } = await cloneProject(service.url)
  await link(clone, links)
  await commitFiles(clone, { ...shared, 'AGENTS.md': 'For agents' })
  return { project, clone, params: { slug: project.slug } }
}

it('a push keeps symbolic links, and the site has what they lead to', async () => {
  const { project, clone } = await linked()
  await link(clone, {
    out: '/etc',
    'up.mdx': '../../secret.mdx',
    self: 'self',
    none: 'nowhere',
    '.hidden/link': '../none',
  })
  await link(clone, { 'env.txt': '.env' })
  await commitFiles(clone, { '.env': 'KEY=1' })
  const { ok, text } = await gitSays(clone, 'push', 'origin', 'HEAD:main')
  expect([ok, text]).toEqual([true, expect.stringContaining('Live at')])
  for (const [path, why] of [
    ['out', 'that leads out of the project'],
    ['up.mdx', 'that leads out of the project'],
    ['self', 'that leads nowhere'],
    ['none', 'that leads nowhere'],
    ['env.txt', 'to what is hidden'],
  ])
    expect(text).toContain(`warning: ${path}: It is a symbolic link ${why}: it is left out.`)
  for (const path of ['/shared/start', '/guide/start', '/again/start'])
    expect(await page(project.slug, path)).toContain('Start here')
  expect(await page(project.slug, '/guide/deep/more')).toContain('There is more')
  for (const path of ['/out/hostname', '/up', '/self', '/env.txt']) expect(await page(project.slug, path)).toBe(404)

  const home = await temporaryDirectory()
  await git(home, 'clone', '--quiet', (await git(clone, 'remote', 'get-url', 'origin')).trim(), 'again')
  for (const [path, target] of Object.entries({ ...links, out: '/etc', self: 'self' }))
    expect(await readlink(join(home, 'again', path))).toBe(target)

  await commitFiles(clone, { 'shared/start.mdx': '# Begin here' })
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:main')
  expect(await page(project.slug, '/guide/start')).toContain('Begin here')
})

it('a branch is written through its links, and published with them', async () => {
  const { project, clone, params } = await linked()
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:main')
  const { client, slug } = project
  const { id } = await client.call(contract.branches.create, { params, body: { name: 'words' } })
  const here = { ...params, id }
  const change = async (...changes: { path: string; content: string | null }[]) =>
    client.call(contract.branches.commit, { params: here, body: { changes } })
  const paths = async () => (await client.call(contract.branches.files, { params: here })).items.map(({ path }) => path)
  expect(await paths()).toEqual(expect.arrayContaining(['guide/start.mdx', 'shared/start.mdx', 'again/start.mdx']))

  const text = '# Started through a link'
  const render = await client.call(contract.branches.render, {
    params: here,
    body: { path: 'again/start.mdx', content: text },
  })
  expect(render.title).toBe('Started through a link')
  await change({ path: 'guide/start.mdx', content: text }, { path: 'guide/new.mdx', content: '# New' })
  expect(await paths()).toEqual(expect.arrayContaining(['guide/new.mdx', 'shared/new.mdx']))
  for (const path of ['shared/start.mdx', 'again/start.mdx'])
    expect((await client.call(contract.branches.readFile, { params: { ...here, path } })).content).toBe(text)
  const { files } = await client.call(contract.branches.diff, { params: here })
  expect(files.map(({ path }) => path)).toEqual(['shared/new.mdx', 'shared/start.mdx'])
  const history = await client.call(contract.branches.history, { params: here, query: { path: 'guide/start.mdx' } })
  expect(history.items).toHaveLength(2)

  const deletion = await refusalOf(change({ path: 'guide/new.mdx', content: null }))
  expect(deletion).toMatchObject({ code: 'invalid_path', message: expect.stringContaining('is shared/new.mdx') })
  const twice = change({ path: 'guide/new.mdx', content: '1' }, { path: 'shared/new.mdx', content: '2' })
  expect((await refusalOf(twice)).code).toBe('invalid_path')
  await change({ path: 'again/start.mdx', content: null })
  expect(await paths()).not.toContain('again/start.mdx')
  expect(await paths()).toContain('shared/start.mdx')

  await expect.poll(() => page(`${slug}--words`, '/guide/new')).toContain('New')
  await client.call(contract.branches.publish, { params, body: { branchId: id } })
  expect(await page(slug, '/guide/start')).toContain('Started through a link')
  await git(clone, 'pull', '--quiet', 'origin', 'main')
  expect(await readlink(join(clone, 'guide'))).toBe('shared')
  expect(await readdir(join(clone, 'shared'))).toContain('new.mdx')
  expect(await readdir(clone)).not.toContain('again')
})

it('a deploy of a folder leaves links that show what it has, and puts files where others are', async () => {
  const { project, clone } = await linked()
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:main')
  const deploy = async (files: Readonly<Record<string, string>>) => {
    const sent = Object.entries(files).map(([path, content]) => ({ path, content }))
    const done = await project.client.call(contract.deploys.create, { body: { files: sent } })
    await git(clone, 'pull', '--quiet', 'origin', 'main')
    return done
  }
  const more = shared['shared/deep/more.mdx']
  const start = '# Another start'
  const both = (text: string, below: string) => ({ [`${below}/start.mdx`]: text, [`${below}/deep/more.mdx`]: more })
  await deploy({ 'index.mdx': '# Hello', ...both(start, 'shared'), ...both(start, 'guide'), 'again/start.mdx': start })
  expect(await readlink(join(clone, 'guide'))).toBe('shared')
  expect(await readlink(join(clone, 'again/start.mdx'))).toBe('../guide/start.mdx')
  expect(await readFile(join(clone, 'guide/start.mdx'), 'utf8')).toBe(start)

  await deploy({
    'index.mdx': '# Hello',
    ...both(start, 'shared'),
    ...both('# Apart', 'guide'),
    'again/start.mdx': start,
  })
  expect(await page(project.slug, '/guide/start')).toContain('Apart')
  expect(await page(project.slug, '/again/start')).toContain('Another start')
  expect((await git(clone, 'ls-files', '--stage', 'guide')).match(/^100644/gm)).toHaveLength(2)
})

it('a version of a tag has what its links lead to', async () => {
  const { project, clone } = await linked()
  await git(clone, 'tag', 'v1')
  const versions = [
    { version: 'now', default: true, pages: ['index'] },
    { version: 'v1', gitTag: 'v1' },
  ]
  await commitFiles(clone, { 'docs.json': JSON.stringify({ name: 'Docs', navigation: { versions } }) })
  await git(clone, 'push', '--quiet', 'origin', 'v1', 'HEAD:main')
  expect(await page(project.slug, '/v1/guide/start')).toContain('Start here')
})

it('a merge that both sides meet at a link is settled as a link or as a file', async () => {
  const { project, clone, params } = await linked()
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:main', 'HEAD:refs/heads/side')
  await git(clone, 'rm', '--quiet', 'again/start.mdx')
  await link(clone, { 'again/start.mdx': '../index.mdx' })
  await commitFiles(clone, {})
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:main')
  await git(clone, 'reset', '--quiet', '--hard', 'HEAD~1')
  await git(clone, 'rm', '--quiet', 'again/start.mdx')
  await link(clone, { 'again/start.mdx': '../shared/deep/more.mdx' })
  await commitFiles(clone, {})
  await git(clone, 'push', '--quiet', 'origin', 'HEAD:side')
  const { items } = await project.client.call(contract.branches.list, { params, query: {} })
  const branchId = items.find(({ name }) => name === 'side')?.id ?? ''
  const { code } = await refusalOf(project.client.call(contract.branches.publish, { params, body: { branchId } }))
  expect(code).toBe('merge_conflict')
  const resolutions = [{ path: 'again/start.mdx', use: 'branch' as const }]
  await project.client.call(contract.branches.publish, { params, body: { branchId, resolutions } })
  expect(await page(project.slug, '/again/start')).toContain('There is more')
  await git(clone, 'fetch', '--quiet', 'origin', 'main')
  expect(await git(clone, 'ls-tree', 'FETCH_HEAD', 'again/start.mdx')).toMatch(/^120000/)
})

inDepth(
  'ten thousand links to a folder of ten thousand files are a site of what fits',
  { timeout: 180_000 },
  async () => {
    const { project, clone } = await cloneProject(service.url)
    const oid = (text: string) =>
      execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: clone, input: text, encoding: 'utf8' }).trim()
    const tree = (entries: readonly string[]) =>
      execFileSync('git', ['mktree'], { cwd: clone, input: entries.join('\n') + '\n', encoding: 'utf8' }).trim()
    const [file, target, home] = [oid('x'), oid('many'), oid('# Bomb')]
    const many = tree(Array.from({ length: 10_000 }, (_, index) => `100644 blob ${file}\t${index}.txt`))
    const root = tree([
      ...Array.from({ length: 9_000 }, (_, index) => `120000 blob ${target}\tlink-${index}`),
      `100644 blob ${home}\tindex.mdx`,
      `040000 tree ${many}\tmany`,
    ])
    const head = (await git(clone, 'commit-tree', '-p', 'HEAD', '-m', 'bomb', root)).trim()
    const { ok, text } = await gitSays(clone, 'push', 'origin', `${head}:refs/heads/main`)
    expect([ok, text]).toEqual([
      true,
      expect.stringMatching(/link-\d+: It is a symbolic link that makes, with others, more than/),
    ])
    expect(await page(project.slug, '/')).toContain('Bomb')
  },
)
