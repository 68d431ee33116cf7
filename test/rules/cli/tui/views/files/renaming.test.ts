import { expect, test, vi } from 'vitest'
import { contract } from '#contract/index.ts'
import { FakeBranchFiles } from '#test/support/fake-branch-files.ts'
import { aBranch } from '#test/support/fake-workspace.ts'
import { found, open, opened, texts, unsaved } from './files-view.ts'

test('renaming says which pages link to the file, and mends the links in the same commit', async () => {
  const { app, workspace, files } = await opened()
  workspace.service.on(contract.branches.search, ({ query }) => {
    expect(query.q).toBe('start')
    return found(...Object.keys(texts))
  })
  app.dialogs.answer({ path: 'begin' })
  await app.press('down', 'down', 'R')
  await vi.waitFor(() => expect(files.done).toEqual(['Rename guides/start.mdx to begin.mdx']))
  expect(app.dialogs.shown.at(-1)).toContain('3 links to it: in docs.json, guides/more.mdx, index.mdx.')
  expect(Object.fromEntries(files.texts)).toEqual({
    'docs.json': '{ "pages": ["index", "begin"] }',
    'guides/more.mdx': 'After [the start](/begin).\n',
    'index.mdx': 'Begin with the [guide](/begin#one).\n',
    'begin.mdx': '# Start\n',
  })
  expect(app.notes.at(-1)).toBe('success: guides/start.mdx is begin.mdx now; 3 links mended.')
})

test('a page whose draft is not saved keeps its links, and that is told', async () => {
  const { app, workspace } = await opened()
  workspace.drafts = [unsaved('index.mdx')]
  await app.press('r')
  await vi.waitFor(() => expect(app.screen()).toContain('not saved'))
  workspace.service.on(contract.branches.search, () => found('index.mdx'))
  app.dialogs.answer({ path: 'begin' })
  await app.press('down', 'down', 'f2')
  await vi.waitFor(() => expect(app.notes.at(-1)).toContain('Not in index.mdx: not saved yet.'))
})

test('a page whose draft is half merged takes along what was decided', async () => {
  const { app, workspace, pendingMerges } = await opened()
  const place = { slug: 'acme-docs', branchId: aBranch().id }
  const half = { seen: { main: null, branch: null }, settled: false, decision: { content: 'By hand' } }
  const pendingMerge = await pendingMerges.open({ ...place, path: 'guides/start.mdx' })
  pendingMerge.absorb([{ path: 'guides/start.mdx', ...half }])
  workspace.drafts = [unsaved('guides/start.mdx')]
  await app.press('r')
  await vi.waitFor(() => expect(app.screen()).toContain('not saved'))
  workspace.service.on(contract.branches.search, () => found())
  app.dialogs.answer({ path: 'begin' })
  await app.press('down', 'down', 'f2')
  await vi.waitFor(async () => {
    const { written } = await pendingMerges.open({ ...place, path: 'begin.mdx' })
    expect(written).toEqual([{ path: 'begin.mdx', text: 'By hand' }])
  })
  expect((await pendingMerges.open({ ...place, path: 'guides/start.mdx' })).written).toEqual([])
})

test('a folder is moved with all that is in it, and with the links from outside and inside', async () => {
  const { app, workspace, files } = await opened()
  workspace.service.on(contract.branches.search, ({ query }) => {
    expect(query.q).toBe('guides')
    return found('docs.json', 'index.mdx')
  })
  app.dialogs.answer({ path: 'learn/basics/' })
  await app.press('R')
  await vi.waitFor(() => expect(files.done).toEqual(['Move guides/ to learn/basics/']))
  expect(app.dialogs.shown.at(-1)).toContain('2 files are moved. 2 links to it: in docs.json, index.mdx.')
  expect(Object.fromEntries(files.texts)).toEqual({
    'docs.json': '{ "pages": ["index", "learn/basics/start"] }',
    'index.mdx': 'Begin with the [guide](/learn/basics/start#one).\n',
    'learn/basics/start.mdx': '# Start\n',
    'learn/basics/more.mdx': 'After [the start](./start).\n',
  })
  await vi.waitFor(() => expect(app.notes.at(-1)).toBe('success: guides/ is learn/basics/ now; 2 links mended.'))
  expect(app.screen()).toContain('basics/')
})

test('a folder is not moved over files that are there, into itself, or nowhere', async () => {
  const { app, workspace } = await opened()
  workspace.service.on(contract.branches.search, () => found())
  app.dialogs.answer({ path: 'guides' }, { path: 'guides/old' }, { path: '/' }, { path: 'a/../b' }, undefined)
  await app.press('R')
  await vi.waitFor(() => expect(app.dialogs.refusals).toHaveLength(4))
  expect(app.dialogs.refusals).toEqual([
    'That is what it is called.',
    'A folder cannot be moved into itself.',
    'Name a folder, such as guides/basics.',
    'A path has neither . nor .. in it.',
  ])
})

test('a move that fails amid the commits says what is where, and all links lead somewhere', async () => {
  const branch = aBranch()
  const files = new FakeBranchFiles(
    { 'index.mdx': '![a](/media/a.png) [p](/media/p)', 'media/p.mdx': '![a](a.png)' },
    branch,
  )
  for (const name of ['a', 'b']) files.uploaded.set(`media/${name}.png`, new Uint8Array(3 * 1024 * 1024))
  const { app, workspace } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('index.mdx'))
  workspace.service.on(contract.branches.search, () => found('index.mdx'))
  files.failAfter = 1
  app.dialogs.answer({ path: 'pictures' })
  await app.press('R')
  await vi.waitFor(() => expect(app.dialogs.progresses[0]?.outcome).toBe('failed'))
  expect(app.dialogs.progresses[0]?.lines).toEqual([
    'The disk is full.',
    '1 of 3 files is in pictures/ now, with their links. The others are where they were: renaming the folder again moves the rest.',
  ])
  expect(Object.fromEntries(files.texts)).toEqual({
    'index.mdx': '![a](/pictures/a.png) [p](/media/p)',
    'media/p.mdx': '![a](/pictures/a.png)',
  })
  app.dialogs.answer({ path: 'pictures' })
  await app.press('R')
  await vi.waitFor(() => expect(files.done).toHaveLength(2))
  expect(files.texts.get('index.mdx')).toBe('![a](/pictures/a.png) [p](/pictures/p)')
  expect([...files.uploaded.keys()]).toEqual(['pictures/a.png', 'pictures/b.png'])
})

test('a large folder goes in commits that the service takes, and after each of them every link leads somewhere', async () => {
  const branch = aBranch()
  const long = 'word '.repeat(200_000)
  const names = Array.from({ length: 6 }, (_, at) => `p${at}`)
  const files = new FakeBranchFiles({ 'index.mdx': '[p](/guides/p0)', 'other.mdx': `[p](/guides/p5) ${long}` }, branch)
  for (const [at, name] of names.entries())
    files.texts.set(`guides/${name}.mdx`, `[next](./p${(at + 1) % 6}) [first](/guides/p0) ${long}`)
  const dead: string[] = []
  const sizes: number[] = []
  const move = files.move.bind(files)
  files.move = async (moves, mends, message) => {
    await move(moves, mends, message)
    sizes.push([...moves, ...mends].reduce((sum, { text = '' }) => sum + text.length, 0))
    const addresses = new Set([...files.texts.keys()].map((path) => `/${path.replace('.mdx', '')}`))
    for (const [path, text] of files.texts)
      for (const [, link = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
        const { pathname } = new URL(link, `http://x/${path}`)
        if (!addresses.has(pathname)) dead.push(`${path} → ${link}`)
      }
  }
  const { app, workspace } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('index.mdx'))
  workspace.service.on(contract.branches.search, () => found('index.mdx', 'other.mdx'))
  app.dialogs.answer({ path: 'learn' })
  await app.press('R')
  await vi.waitFor(() => expect(app.notes.at(-1)).toMatch(/^success: guides\/ is learn\/ now; \d+ links mended\.$/))
  expect(dead).toEqual([])
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(10 * 1024 * 1024)
  expect([...files.texts.keys()].filter((path) => path.startsWith('guides/'))).toEqual([])
})

test('pictures that long pages show go in commits that the service takes with these pages', async () => {
  const branch = aBranch()
  const long = 'word '.repeat(200_000)
  const files = new FakeBranchFiles({}, branch)
  for (let at = 0; at < 12; at++) {
    files.uploaded.set(`media/${at}.png`, new Uint8Array(8))
    files.texts.set(`page${at}.mdx`, `![a](/media/${at}.png) ${long}`)
  }
  const sizes: number[] = []
  const move = files.move.bind(files)
  files.move = async (moves, mends, message) => {
    sizes.push(mends.reduce((sum, { text }) => sum + text.length, 0))
    await move(moves, mends, message)
  }
  const { app, workspace } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('page0.mdx'))
  workspace.service.on(contract.branches.search, () => found(...files.texts.keys()))
  app.dialogs.answer({ path: 'pictures' })
  await app.press('R')
  await vi.waitFor(() => expect(app.notes.at(-1)).toBe('success: media/ is pictures/ now; 12 links mended.'))
  expect(Math.max(...sizes)).toBeLessThan(10 * 1024 * 1024)
  expect(files.texts.get('page11.mdx')).toMatch(/^!\[a\]\(\/pictures\/11\.png\) /)
})

test('a page that docs.json names in a file that it includes is found and mended there', async () => {
  const branch = aBranch()
  const nav = '[{ "group": "Guides", "pages": ["guides/start"] }]'
  const docs = '{ "navigation": { "groups": { "$ref": "./config/nav.json" } } }'
  const files = new FakeBranchFiles({ ...texts, 'docs.json': docs, 'config/nav.json': nav }, branch)
  const { app, workspace } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('docs.json'))
  workspace.service.on(contract.branches.search, () => found('config/nav.json'))
  app.dialogs.answer({ path: 'learn' })
  await app.press('down', 'down', 'R')
  await vi.waitFor(() => expect(files.done).toEqual(['Move guides/ to learn/']))
  expect(app.dialogs.shown.at(-1)).toContain('1 link to it: in config/nav.json.')
  expect(files.texts.get('config/nav.json')).toBe(nav.replace('guides/start', 'learn/start'))
  app.dialogs.answer({ path: 'settings' })
  await app.press('home')
  workspace.service.on(contract.branches.search, () => found('docs.json'))
  await app.press('R')
  await vi.waitFor(() => expect(files.done.at(-1)).toBe('Move config/ to settings/'))
  expect(files.texts.get('docs.json')).toBe(docs.replace('config', 'settings'))
})

test('a page is shown in the navigation of a file that docs.json includes, which says so', async () => {
  const branch = aBranch()
  const nav = '{\n  "group": "Guides",\n  "pages": ["guides/start"]\n}\n'
  const docs = '{ "navigation": { "groups": [{ "$ref": "/nav.json" }, { "group": "More", "pages": ["index"] }] } }'
  const files = new FakeBranchFiles({ ...texts, 'docs.json': docs, 'nav.json': nav }, branch)
  const { app } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('more.mdx'))
  app.dialogs.answer('In Guides, in nav.json')
  await app.press('down', 'N')
  await vi.waitFor(() => expect(files.done).toEqual(['save nav.json']))
  expect(files.texts.get('nav.json')).toBe(nav.replace('"guides/start"', '"guides/start", "guides/more"'))
  expect(app.notes.at(-1)).toBe('success: guides/more.mdx is in Guides, in nav.json; it is saved.')
  await app.press('N')
  await vi.waitFor(() => expect(app.notes.at(-1)).toBe('info: guides/more.mdx is in Guides, in nav.json already.'))
})

test('a page is shown in the navigation where the person says so, and docs.json keeps its form', async () => {
  const branch = aBranch()
  const text = '{\n  "navigation": { "groups": [{ "group": "Guides", "pages": ["guides/start"] }] }\n}\n'
  const files = new FakeBranchFiles({ ...texts, 'docs.json': text }, branch)
  const { app } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('more.mdx'))
  app.dialogs.answer('Not now')
  await app.press('down', 'N')
  await vi.waitFor(() => expect(app.dialogs.left).toBe(0))
  expect(files.done).toEqual([])
  app.dialogs.answer('In Guides')
  await app.press('N')
  await vi.waitFor(() => expect(files.done).toEqual(['save docs.json']))
  expect(files.texts.get('docs.json')).toBe(text.replace('"guides/start"', '"guides/start", "guides/more"'))
  await app.press('N')
  await vi.waitFor(() => expect(app.notes.at(-1)).toBe('info: guides/more.mdx is in Guides already.'))
})

test('what somebody saves in docs.json while a place is chosen stays', async () => {
  const branch = aBranch()
  const text = '{ "navigation": { "groups": [{ "group": "Guides", "pages": ["guides/start"] }] } }'
  const theirs = text.replace('{ "nav', '{ "name": "Theirs", "nav')
  const files = new FakeBranchFiles({ ...texts, 'docs.json': text }, branch)
  const { app } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('more.mdx'))
  const edit = files.edit.bind(files)
  const saves = [() => undefined, () => files.texts.set('docs.json', theirs)]
  files.edit = (path) => {
    saves.shift()?.()
    return edit(path)
  }
  app.dialogs.answer('In Guides')
  await app.press('down', 'N')
  await vi.waitFor(() => expect(files.done).toEqual(['save docs.json']))
  expect(files.texts.get('docs.json')).toBe(theirs.replace('"guides/start"', '"guides/start", "guides/more"'))
  saves.push(
    () => files.texts.set('docs.json', text),
    () => files.texts.set('docs.json', text.replace('Guides', 'Others')),
  )
  app.dialogs.answer('In Guides')
  await app.press('N')
  await vi.waitFor(() => expect(app.notes.at(-1)).toContain('error: docs.json was changed meanwhile'))
  expect(files.done).toEqual(['save docs.json'])
})

test('a new page is offered a place in the navigation before it is opened', async () => {
  const branch = aBranch()
  const text = '{ "navigation": { "pages": ["index"] } }'
  const files = new FakeBranchFiles({ ...texts, 'docs.json': text }, branch)
  const { app, places } = open(branch, files)
  await vi.waitFor(() => expect(app.screen()).toContain('more.mdx'))
  app.dialogs.answer({ title: 'Fast' }, { path: 'fast' }, 'In the first level')
  await app.press('n')
  await vi.waitFor(() => expect(places).toEqual([{ path: 'fast.mdx' }]))
  expect(files.texts.get('docs.json')).toBe('{ "navigation": { "pages": ["index", "fast"] } }')
})
