import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lineText } from '#cli/tui/canvas/width.ts'
import { Failure } from '#contract/failure.ts'
import { limits } from '#contract/limits.ts'
import { FakeBranchFiles } from '#test/support/fake-branch-files.ts'
import { aBranch } from '#test/support/fake-workspace.ts'
import { fakeView, opened, texts, unsaved } from './files-view.ts'

let folder: string
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'quire-files-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

test('the files of a branch are shown in their folders, and Enter opens one', async () => {
  const { app, places } = await opened()
  expect(app.screen({ width: 60, height: 10 }).split('\n')).toEqual([
    '▾ guides/',
    '    more.mdx',
    '    start.mdx',
    '  docs.json',
    '  index.mdx',
  ])
  await app.press('down', 'enter')
  expect(places).toEqual([{ path: 'guides/more.mdx' }])
})

test('the selected file is shown beside the list where there is room', async () => {
  const { app } = await opened()
  await app.press('down', 'down', 'down')
  await vi.waitFor(() => expect(app.screen({ width: 120, height: 10 })).toContain('"guides/start"'))
  expect(app.screen({ width: 80, height: 10 })).not.toContain('"guides/start"')
})

test('a large file is not fetched only to be looked at', async () => {
  const { app, files } = await opened(aBranch(), new FakeBranchFiles({ ...texts, 'a.txt': 'a'.repeat(1_100_000) }))
  const read = vi.spyOn(files, 'read')
  await app.press('down', 'down', 'down')
  await vi.waitFor(() => expect(app.screen({ width: 120, height: 10 })).toContain('Enter opens it'))
  expect(read.mock.calls.flat()).not.toContain('a.txt')
})

test('some letters find a file by its path', async () => {
  const { app, places } = await opened()
  await app.press('/')
  await app.type('gst')
  await vi.waitFor(() => expect(app.screen()).not.toContain('index.mdx'))
  expect(app.screen()).toContain('1 of 4 files')
  expect(lineText(app.top.status?.() ?? [])).toBe('')
  await app.press('enter')
  expect(places).toEqual([{ path: 'guides/start.mdx' }])
  app.pop()
  expect(app.screen()).toContain('▾ guides/')
})

test('who looks for a file finds those that came after the list was read, and keeps what they chose', async () => {
  const { app, files, places } = await opened()
  files.texts.set('guides/colleague.mdx', '# New\n')
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const list = files.list.bind(files)
  vi.spyOn(files, 'list').mockImplementation(async () => (await answered, list()))
  await app.press('/', 'down')
  answer()
  await vi.waitFor(() => expect(app.screen()).toContain('guides/colleague.mdx'))
  await app.press('enter')
  expect(places).toEqual([{ path: 'guides/more.mdx' }])
})

test('Enter right behind what was typed opens what that finds', async () => {
  const many = Object.fromEntries(Array.from({ length: 8_000 }, (_, n) => [`data/part-${n % 50}/file-${n}.txt`, '']))
  const { app, places } = await opened(aBranch(), new FakeBranchFiles({ ...texts, ...many }, aBranch()))
  await app.press('/')
  await app.type('f')
  await app.press('7', '9', '9', '9', 'enter')
  expect(places).toEqual([{ path: 'data/part-49/file-7999.txt' }])
})

test('Esc leaves the list of what was found for the tree', async () => {
  const { app } = await opened()
  await app.press('/')
  await app.type('zzz')
  await vi.waitFor(() => expect(app.screen()).toContain('Nothing matches.'))
  await app.press('escape')
  expect(app.screen()).toContain('▾ guides/')
})

test('a new page is made of its title, in the folder that is selected, and opened', async () => {
  const { app, files, places } = await opened()
  app.dialogs.answer({ title: 'Über “Tokens”' }, {})
  await app.press('n')
  await vi.waitFor(() => expect(places).toEqual([{ path: 'guides/uber-tokens.mdx' }]))
  expect(files.done).toEqual(['save guides/uber-tokens.mdx'])
  expect(files.texts.get('guides/uber-tokens.mdx')).toBe('---\ntitle: "Über “Tokens”"\ndescription: ""\n---\n\n')
})

test('a page that cannot be saved is told where it was named, and nothing is left of it', async () => {
  const { app, files, places } = await opened()
  files.refusal = new Failure('quota_exceeded', 'The plan does not allow more.')
  app.dialogs.answer({ title: 'Tokens' }, {}, undefined)
  await app.press('n')
  await vi.waitFor(() => expect(app.dialogs.refusals).toEqual(['The plan does not allow more.']))
  expect(files.done).toEqual(['discard guides/tokens.mdx'])
  expect(places).toEqual([])
})

test('a text that was kept here under the path of a new page outlives that the page cannot be saved', async () => {
  const { app, files } = await opened()
  const create = files.create.bind(files)
  files.create = (path) => create(path, 'Written before.')
  files.refusal = new Failure('quota_exceeded', 'The plan does not allow more.')
  app.dialogs.answer({ title: 'Tokens' }, {}, undefined)
  await app.press('n')
  await vi.waitFor(() => expect(app.dialogs.refusals).toEqual(['The plan does not allow more.']))
  expect(files.done).toEqual([])
})

test('the path of a new page is checked while it is typed', async () => {
  const { app } = await opened()
  app.dialogs.answer({ title: 'Start' }, { path: 'guides/start' }, { path: '../a' }, { path: 'a//b' }, undefined)
  await app.press('n')
  await vi.waitFor(() => expect(app.dialogs.refusals).toHaveLength(3))
  expect(app.dialogs.refusals[0]).toBe('There is a guides/start.mdx already.')
})

test('a file that main has is deleted with a warning and taken back with a key', async () => {
  const { app, files } = await opened()
  app.dialogs.answer(true)
  await app.press('end', 'x')
  await vi.waitFor(() => expect(app.screen()).toContain('- index.mdx'))
  await app.press('enter')
  expect(app.notes.at(-1)).toContain('u takes it back')
  await app.press('u')
  await vi.waitFor(() => expect(app.screen()).toContain('  index.mdx'))
  expect(files.done).toEqual(['remove index.mdx', 'restore index.mdx'])
})

test('a file with changes that are not saved is not deleted', async () => {
  const { app, workspace, files } = await opened()
  workspace.drafts = [unsaved('index.mdx'), unsaved('docs.json', 'other')]
  workspace.tell()
  await vi.waitFor(() => expect(app.screen()).toContain('● index.mdx'))
  expect(app.screen()).toContain('  docs.json')
  await app.press('end', 'x')
  expect(app.notes.at(-1)).toContain('save or discard them first')
  expect(files.done).toEqual([])
})

test('a page that was never saved is listed, and can be thrown away', async () => {
  const { app, workspace, files } = await opened()
  workspace.drafts = [unsaved('new.mdx')]
  workspace.tell()
  await vi.waitFor(() => expect(app.screen()).toContain('● new.mdx'))
  app.dialogs.answer(true)
  await app.press('end', 'delete')
  await vi.waitFor(() => expect(files.done).toEqual(['discard new.mdx']))
})

test('main can be read, and says how it is changed', async () => {
  const { app, files, places } = await opened('main')
  await app.press('n', 'end', 'x', 'enter')
  expect(app.notes).toEqual(
    Array(2).fill('warning: main changes when a branch is published: create one, and work there.'),
  )
  expect(places).toEqual([{ path: 'index.mdx' }])
  expect(files.done).toEqual([])
})

test('images whose paths are pasted are uploaded, and what shows them is in the clipboard', async () => {
  const { app, files } = await opened()
  await writeFile(join(folder, 'my diagram.png'), 'one')
  await writeFile(join(folder, 'two.png'), 'two')
  app.dialogs.answer({ folder: '/images/new/' })
  const text = `${folder}/my\\ diagram.png '${folder}/two.png'`
  await app.input({ type: 'paste', text })
  await vi.waitFor(() => expect(app.copied).toHaveLength(1))
  expect(files.done).toEqual(['upload images/new/my-diagram.png', 'upload images/new/two.png'])
  expect(Buffer.from(files.uploaded.get('images/new/two.png') ?? []).toString()).toBe('two')
  expect(app.copied[0]).toBe('![my diagram](/images/new/my-diagram.png)\n\n![two](/images/new/two.png)')
})

test('an upload where a file is already asks whether both are kept', async () => {
  const { app, files } = await opened(aBranch(), new FakeBranchFiles({ ...texts, 'images/a.png': '' }, aBranch()))
  await writeFile(join(folder, 'a.png'), 'one')
  app.dialogs.answer({ path: join(folder, 'a.png') }, {}, 'Keep both')
  await app.press('i')
  await vi.waitFor(() => expect(files.done).toEqual(['upload images/a-2.png']))
})

test('a file that is too large is not sent, and its size is told', async () => {
  const { app, files } = await opened()
  await writeFile(join(folder, 'a.png'), Buffer.alloc(limits.fileBytes + 1))
  await app.input({ type: 'paste', text: join(folder, 'a.png') })
  await vi.waitFor(() => expect(app.notes.at(-1)).toContain('A file may have 5 MB'))
  expect(files.done).toEqual([])
})

test('a pasted text that names no file is not taken for one', async () => {
  const { app } = await opened()
  await app.input({ type: 'paste', text: 'some words' })
  await vi.waitFor(() => expect(app.notes.at(-1)).toContain('names no file of this machine'))
})

test('what is not selected is not acted on', async () => {
  const { app } = await opened()
  await app.press('x')
  expect(app.notes.at(-1)).toContain('Select a file first')
})

test('when the view is left nothing listens any more', async () => {
  const { app, workspace } = await opened()
  expect(workspace.listeners).toBe(1)
  app.push(fakeView('other'))
  app.views.pop()
  app.views.pop()?.closed?.()
  expect(workspace.listeners).toBe(0)
})
