import { describe, expect, test } from 'vitest'
import { fakePool } from '#test/support/site/support/fake-pool.ts'
import { oidOf, TestProject, type Files } from '#test/support/site/support/project.ts'

const files: Files = {
  'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index', 'a', 'b'] } }),
  'index.md': '# Home\n[a](a.md#part)',
  'a.md': '# A\n\n## Part',
  'b.md': '---\ntitle: B\ninclude: snippets/s.mdx\n---\n',
  'snippets/s.mdx': 'one',
  'logo.png': 'pixels',
}

/** What a build from nothing makes of the files: the truth that a reusing build must reach. */
async function fresh(of: Files) {
  const project = new TestProject()
  const { warnings } = await project.build(of)
  const { blobs: _, ...site } = project.last ?? { blobs: null }
  return { warnings, site }
}

async function again(project: TestProject, of: Files) {
  const { warnings, site } = await project.build(of)
  const { blobs: _, ...made } = site ?? { blobs: null }
  return { warnings, site: made }
}

describe.each(['in the same process', 'after a restart'])('%s', (when) => {
  async function built() {
    const project = new TestProject()
    await project.build(files)
    if (when === 'after a restart') project.newBuilder()
    return project
  }

  test('nothing changed: nothing is rendered, nothing handed over, no file but docs.json read', async () => {
    const project = await built()
    const { site, pages } = await project.build(files)
    expect(pages).toEqual({ total: 3, built: 0, reused: 3 })
    expect(site?.blobs.size).toBe(0)
    expect(project.reads.filter((oid) => oid !== oidOf(files['docs.json'] ?? ''))).toEqual([])
  })

  test('one page changed: only it is read and rendered', async () => {
    const project = await built()
    const { pages, site } = await project.build({ ...files, 'a.md': '# A\n\nmore\n\n## Part' })
    expect(project.pool.rendered).toEqual(['a.md'])
    expect(pages).toEqual({ total: 3, built: 1, reused: 2 })
    // Artifact, Markdown and the text that it is found by, which has the same words.
    expect(site?.blobs.size).toBe(3)
  })

  test.each<[string, Files]>([
    ['a body', { ...files, 'a.md': '# A\n\nmore\n\n## Part' }],
    ['a title', { ...files, 'a.md': '# New title\n\n## Part' }],
    ['an anchor that others link to', { ...files, 'a.md': '# A\n\n## Other' }],
    ['a description', { ...files, 'b.md': '---\ntitle: B\ndescription: New\n---\n' }],
    ['a hidden page', { ...files, 'b.md': '---\ntitle: B\nhidden: true\n---\n' }],
    ['links', { ...files, 'index.md': '# Home\n[x](gone.md)' }],
    ['a removed page', Object.fromEntries(Object.entries(files).filter(([path]) => path !== 'a.md'))],
    ['an added page', { ...files, 'c.md': '# C' }],
    ['an added file', { ...files, 'llms.txt': 'mine' }],
    ['an asset', { ...files, 'logo.png': 'other pixels' }],
    ['a renamed asset', { ...files, 'logo.png': 'x', 'renamed.png': 'pixels' }],
    [
      'docs.json',
      {
        ...files,
        'docs.json': JSON.stringify({
          name: 'Other',
          navigation: { pages: ['b'] },
          redirects: [{ source: '/x', destination: '/a' }],
        }),
      },
    ],
    [
      'a page that only navigation makes one',
      { ...files, 'CHANGELOG.md': '# Log', 'docs.json': JSON.stringify({ navigation: { pages: ['CHANGELOG'] } }) },
    ],
    ['no docs.json', Object.fromEntries(Object.entries(files).filter(([path]) => path !== 'docs.json'))],
  ])('%s changed: the site is what a build from nothing makes', async (_, changed) => {
    const project = await built()
    expect(await again(project, changed)).toEqual(await fresh(changed))
    expect(await again(project, files)).toEqual(await fresh(files))
  })

  test('a snippet changed: the pages that include it are rendered again', async () => {
    const project = await built()
    await project.build({ ...files, 'snippets/s.mdx': 'two' })
    expect(project.pool.rendered).toEqual(['b.md'])
  })

  test('a snippet that was missing appears: its page is rendered again', async () => {
    const { 'snippets/s.mdx': snippet = '', ...without } = files
    const project = new TestProject()
    await project.build(without)
    if (when === 'after a restart') project.newBuilder()
    await project.build({ ...without, 'snippets/s.mdx': snippet })
    expect(project.pool.rendered).toEqual(['b.md'])
  })

  test('warnings of pages that were not rendered again are still reported', async () => {
    const warned = { ...files, 'b.md': '---\nwarn: Careful\n---\n[x](gone.md)' }
    const project = new TestProject()
    const before = await project.build(warned)
    if (when === 'after a restart') project.newBuilder()
    expect((await project.build(warned)).warnings).toEqual(before.warnings)
    expect(before.warnings).toHaveLength(2)
  })

  test('blobs that the store has lost are made again', async () => {
    const project = await built()
    project.blobs.clear()
    const { site, pages } = await project.build(files)
    expect(pages.built).toBe(3)
    for (const route of Object.values(site?.routes ?? {})) expect(project.blobs.has(route.blob)).toBe(true)
    expect(project.blobs.has(site?.shell ?? '')).toBe(true)
  })
})

test('records of unchanged pages and their routes are the same objects', async () => {
  const project = new TestProject()
  const { site: one } = await project.build(files)
  const { site: other } = await project.build({ ...files, 'a.md': '# Changed' })
  expect(other?.pages['index.md']).toBe(one?.pages['index.md'])
  expect(other?.routes['/b']).toBe(one?.routes['/b'])
})

test('another renderer renders every page again', async () => {
  const project = new TestProject()
  await project.build(files)
  const upgraded = new TestProject(fakePool('newer'))
  upgraded.last = project.last
  for (const [blob, bytes] of project.blobs) upgraded.blobs.set(blob, bytes)
  expect((await upgraded.build(files)).pages).toEqual({ total: 3, built: 3, reused: 0 })
})

test('another address or title changes the shell, and renders nothing', async () => {
  const project = new TestProject()
  await project.build(files)
  const { pages } = await project.build(files, { url: 'https://docs.example' })
  expect(pages.built).toBe(0)
  expect(project.shell().url).toBe('https://docs.example')
  expect(project.text('/robots.txt')).toContain('https://docs.example/sitemap.xml')
})

test('navigation that takes in a file for the repository’s people makes it a page, and back', async () => {
  const project = new TestProject()
  const withLog = { ...files, 'CHANGELOG.md': '# Log' }
  const named = { ...withLog, 'docs.json': JSON.stringify({ navigation: { pages: ['index', 'CHANGELOG'] } }) }
  await project.build(withLog)
  expect(project.last?.routes['/CHANGELOG']).toBeUndefined()
  await project.build(named)
  expect(project.last?.routes['/CHANGELOG']).toBeDefined()
  await project.build(withLog)
  expect(project.last?.routes['/CHANGELOG']).toBeUndefined()
})

test('a failed build leaves nothing that the next one could mistake for live', async () => {
  const project = new TestProject()
  await project.build(files)
  expect((await project.build({ ...files, 'a.md': 'BROKEN' })).site).toBeUndefined()
  expect(await again(project, { ...files, 'a.md': '# Mended' })).toEqual(await fresh({ ...files, 'a.md': '# Mended' }))
})

test('projects do not share what is remembered', async () => {
  const project = new TestProject()
  await project.build(files)
  const { pages } = await project.build(files, {
    project: 'other',
    earlier: null,
    earlierAssets: null,
    has: () => false,
  })
  expect(pages.built).toBe(3)
})

test('of sites that are large together, those that were built last are remembered', async () => {
  const project = new TestProject()
  const isRemembered = async (name: string): Promise<boolean> => {
    await project.build(files, { project: name })
    return !project.reads.includes(oidOf(files['docs.json'] ?? ''))
  }
  const builds = ['first', 'second', 'third', 'third', 'second', 'first']
  const remembered: boolean[] = []
  for (const name of builds) remembered.push(await isRemembered(name))
  expect(remembered).toEqual([false, false, false, true, true, true])
  project.newBuilder({ rememberedBytes: 1000 })
  remembered.length = 0
  for (const name of builds) remembered.push(await isRemembered(name))
  expect(remembered).toEqual([false, false, false, true, true, false])
})

test('an owner of many large sites forgets their own: that of another stays', async () => {
  const project = new TestProject()
  project.newBuilder({ rememberedBytes: 1000, ownerOf: (name) => name.slice(0, 1) })
  const remembered: string[] = []
  for (const name of ['b1', 'a1', 'a2', 'a3', 'a4', 'b1', 'a4']) {
    await project.build(files, { project: name })
    if (!project.reads.includes(oidOf(files['docs.json'] ?? ''))) remembered.push(name)
  }
  expect(remembered).toEqual(['b1', 'a4'])
})

test('a trial takes over what is remembered, and the next build remembers nothing of it', async () => {
  const project = new TestProject()
  await project.build(files)
  const trial = { trial: true, earlier: null, earlierAssets: null, has: () => true } as const
  const live = project.last
  const changed = { 'a.md': '# A\n\nother', 'docs.json': JSON.stringify({ name: 'Docs' }), 'new.png': 'new' }
  const { pages, site } = await project.build(changed, trial)
  expect(pages).toEqual({ total: 1, built: 1, reused: 0 })
  expect(site?.blobs.size).toBe(0)
  project.last = live
  expect((await project.build(files, { earlier: null, earlierAssets: null })).pages).toEqual({
    total: 3,
    built: 0,
    reused: 3,
  })
  expect((await project.build({ ...files, 'b.md': 'other' }, trial)).pages).toMatchObject({ built: 1, reused: 2 })
})
