import { readFile } from 'node:fs/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import type { BranchFiles } from '#cli/tui/data/branch-files.ts'
import { DecisionFiles } from '#cli/tui/data/drafts/decisions.ts'
import { forgetInstance, nameInstance } from '#cli/tui/data/disk/instance.ts'
import type { Context } from '#cli/tui/views/shared/context.ts'
import { EditorView } from '#cli/tui/views/editor/editor.ts'
import { PendingMerges } from '#cli/tui/views/merge/pending-merges.ts'
import type { Routes } from '#cli/tui/views/shared/routes.ts'
import type { ErrorDetail } from '#contract/common.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { FakeDraft } from '#test/support/fake-draft.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { memoryDisk } from '#test/support/cli/tui/data/disk/memory-disk.ts'
import { aBranch, aProject, FakeWorkspace } from '#test/support/fake-workspace.ts'

const page = '---\ntitle: Start\n---\n\n# Start here\n\nHello world.\n\n## Install it\n\nRun it.\n'
const size = { width: 80, height: 20 }
let app: FakeApp
let workspace: FakeWorkspace
let draft: FakeDraft

beforeEach(() => {
  vi.useRealTimers()
  app = new FakeApp()
  workspace = new FakeWorkspace()
  draft = new FakeDraft(page)
  answersCheck([])
  workspace.service.on(contract.components.list, () => ({ items: [] }))
})

function answersCheck(errors: ErrorDetail[]): void {
  const counts = { errors: errors.length, warnings: 0 }
  const pages = { total: 1, built: 1, reused: 0 }
  workspace.service.on(contract.branches.check, () => ({ errors, warnings: [], counts, pages }))
}

async function opened({
  text = page,
  branch = aBranch(),
  line,
  pendingMerges = new PendingMerges(),
}: {
  text?: string
  branch?: ReturnType<typeof aBranch> | 'main'
  line?: number
  pendingMerges?: PendingMerges
} = {}): Promise<EditorView> {
  if (text !== page) draft = new FakeDraft(text)
  const path = draft.path
  const files: Partial<BranchFiles> = {
    slug: 'acme-docs',
    branch: branch === 'main' ? 'main' : branch.name,
    branchId: branch === 'main' ? undefined : branch.id,
    readOnly: branch === 'main',
    list: async () => ({ value: [], asOf: new Date(), offline: false }),
    read: async () => ({ value: { path, oid: 'one', text, size: text.length }, asOf: new Date(), offline: false }),
    edit: async () => draft,
  }
  workspace.project = (slug) => ({
    slug,
    read: () => Promise.reject(new Error('unused')),
    branches: async () => ({ value: [aBranch()], asOf: new Date(), offline: false }),
    files: () => files as BranchFiles,
  })
  const routes = {
    page: (_project, _branch, place) => ({ ...placeholder, title: `page ${place.path}` }),
  } as Partial<Routes>
  const context: Context = { app, workspace, routes: routes as Routes, pendingMerges }
  const view = new EditorView({
    context,
    project: aProject(),
    branch,
    place: { path, ...(line === undefined ? {} : { line }) },
  })
  app.push(placeholder)
  app.push(view)
  await vi.waitFor(() => expect(app.screen(size)).toContain('#'))
  return view
}

const placeholder = { title: 'files', about: '', layout: () => [], commands: () => [] }

function status(view: EditorView): string {
  return view
    .status()
    .map(({ text }) => text)
    .join('')
}

test('A page opens with its text, the place that was asked for, its words and its state', async () => {
  const view = await opened({ line: 7 })
  expect(app.screen(size)).toContain('Hello world.')
  expect(status(view)).toBe('8 words · 7:1 · saved')
})

test('What is typed goes to the draft, and Ctrl-S saves it', async () => {
  const view = await opened({ line: 7 })
  await app.type('Well: ')
  expect(status(view)).toContain('draft kept here')
  await app.press('ctrl+s')
  expect(draft.saved).toEqual([page.replace('Hello', 'Well: Hello')])
  expect(app.notes.at(-1)).toBe('success: Saved on new-api. F9 opens its preview.')
})

test('What could not be checked is checked when somebody comes back, having signed in again', async () => {
  workspace.service.on(contract.branches.check, () => {
    throw new Failure('unauthenticated', 'Your session has ended.')
  })
  const view = await opened()
  await vi.waitFor(() => expect(app.screen(size)).toContain('Not checked: Your session has ended.'))
  answersCheck([])
  view.shown()
  await vi.waitFor(() => expect(app.screen(size)).toContain('No problems found.'))
})

test('A save that waits says for what: the connection, or a service that refuses for now', async () => {
  const view = await opened()
  workspace.connection = 'offline'
  draft.next = { state: 'waiting' }
  await app.type('x')
  await app.press('ctrl+s')
  expect(status(view)).toContain('waiting for the connection')
  expect(app.notes.at(-1)).toContain('warning: The service cannot be reached.')
  workspace.connection = 'online'
  expect(status(view)).toContain('waiting for the service')
})

test('Where somebody else saved the page, both texts are merged piece by piece and saved', async () => {
  const view = await opened({ line: 7 })
  await app.type('My ')
  const theirs = { oid: 'two', text: page.replace('Hello world.', 'Hello everyone.').replace('Run it.', 'Run it now.') }
  draft.next = { state: 'conflict', theirs }
  await app.press('ctrl+s')
  expect(app.screen(size)).toContain('My Hello world.')
  expect(app.screen(size)).toContain('Hello everyone.')
  expect(status(view)).toBe('0 of 1 decided')
  draft.next = { state: 'saved' }
  await app.press('3', 'ctrl+s')
  const merged = theirs.text.replace('Hello everyone.', 'My Hello world.\nHello everyone.')
  expect(draft.saved).toEqual([merged])
  expect(draft.base.text).toBe(merged)
  expect(app.screen(size)).toContain('Run it now.')
})

/** The next save is taken, whatever the one before met. */
function settleNext(): void {
  const save = draft.save.bind(draft)
  draft.save = async () => {
    await save()
    draft.next = { state: 'saved' }
  }
}

test('What goes together is merged without a question', async () => {
  await opened({ line: 7 })
  await app.type('My ')
  draft.next = { state: 'conflict', theirs: { oid: 'two', text: page.replace('Run it.', 'Run it now.') } }
  settleNext()
  await app.press('ctrl+s')
  await vi.waitFor(() => expect(draft.saved).toHaveLength(1))
  expect(draft.saved[0]).toContain('My Hello world.')
  expect(draft.saved[0]).toContain('Run it now.')
})

test('Esc goes back from a merge to the text, with nothing lost', async () => {
  const view = await opened({ line: 7 })
  await app.type('My ')
  draft.next = { state: 'conflict', theirs: { oid: 'two', text: page.replace('Hello', 'Hi') } }
  await app.press('ctrl+s', '2')
  await view
    .commands()
    .find(({ id }) => id === 'back')
    ?.run()
  expect(app.screen(size)).toContain('My Hello world.')
  expect(status(view)).toContain('conflict')
})

test('What is written in a merge is kept: after a crash, and where the branch or the text has changed once more', async () => {
  const disk = memoryDisk()
  const begin = async (): Promise<{ readonly pendingMerges: PendingMerges; readonly crash: () => void }> => {
    const instance = await nameInstance()
    const files = new DecisionFiles(disk, { directory: '/state', instance, log: (line) => expect.fail(line) })
    return { pendingMerges: new PendingMerges(files), crash: () => forgetInstance(instance) }
  }
  const { pendingMerges, crash } = await begin()
  await opened({ line: 7, pendingMerges })
  await app.type('My ')
  draft.next = { state: 'conflict', theirs: { oid: 'two', text: page.replace('Hello', 'Hi') } }
  await app.press('ctrl+s', 'e', 'ctrl+a')
  await app.type('Half a sen')
  expect(app.screen(size)).toContain('Half a sen')
  await pendingMerges.flush()
  crash()
  app.pop()

  // Another start, with what is on the disk.
  app = new FakeApp()
  const next = await begin()
  const again = await opened({ line: 7, pendingMerges: next.pendingMerges })
  await app.type('My ')
  draft.next = { state: 'conflict', theirs: { oid: 'three', text: page.replace('Hello', 'Good day') } }
  await app.press('ctrl+s')
  await vi.waitFor(() => expect(app.screen(size)).toContain('Half a sen'))
  await app.press('y')
  expect(app.copied).toEqual(['Half a sen'])
  draft.next = { state: 'saved' }
  await app.press('1', 'ctrl+s')
  await vi.waitFor(() => expect(status(again)).toContain('saved'))
  await next.pendingMerges.flush()
  next.crash()
  const later = await (
    await begin()
  ).pendingMerges.open({ slug: 'acme-docs', branchId: aBranch().id, path: draft.path })
  expect(later.kept()).toEqual([])
})

test('What was decided in a merge stays on the disk until the draft has it there', async () => {
  const pendingMerges = new PendingMerges()
  await opened({ line: 7, pendingMerges })
  await app.type('My ')
  draft.next = { state: 'conflict', theirs: { oid: 'two', text: page.replace('Hello', 'Hi') } }
  await app.press('ctrl+s', 'e', 'ctrl+a')
  await app.type('By hand')
  draft.next = { state: 'waiting' }
  draft.trouble = 'The disk is full.'
  await app.press('escape', 'ctrl+s')
  const place = { slug: 'acme-docs', branchId: aBranch().id, path: draft.path }
  expect((await pendingMerges.open(place)).written).toEqual([{ path: draft.path, text: 'By hand' }])
})

test('A page that somebody deleted is saved again, or kept here', async () => {
  await opened({ line: 7 })
  await app.type('x')
  draft.next = { state: 'conflict', theirs: { oid: null, text: null } }
  app.dialogs.answer('Save your text there')
  settleNext()
  await app.press('ctrl+s')
  await vi.waitFor(() => expect(draft.saved).toHaveLength(1))
  expect(draft.saved[0]).toContain('xHello')
})

test('Problems of the compiler stand at their lines while somebody writes, and F8 goes to them', async () => {
  answersCheck([{ path: 'guides/start.mdx', line: 7, column: 1, message: 'There is no component <Foo>.' }])
  const view = await opened()
  await vi.waitFor(() => expect(app.screen(size)).toContain('● Hello world.'))
  expect(app.screen(size)).toContain('1 error  F8 goes to the next one')
  await app.press('f8')
  expect(app.screen(size)).toContain('● There is no component <Foo>.')
  expect(status(view)).toContain('7:1')
})

test('Offline, the page is not checked, and says so; it is when the service is back', async () => {
  workspace.connection = 'offline'
  await opened()
  await vi.waitFor(() => expect(app.screen(size)).toContain('Offline: the page is checked when'))
  expect(workspace.service.count(contract.branches.check)).toBe(0)
  workspace.connection = 'online'
  workspace.tell()
  await vi.waitFor(() => expect(app.screen(size)).toContain('No problems found.'), 3_000)
})

test('Ctrl-F finds while it is typed, and Esc goes back to the text', async () => {
  const view = await opened()
  await app.press('ctrl+f')
  await app.type('it')
  await vi.waitFor(() => expect(app.screen(size)).toContain('1 of 3'))
  await app.press('enter')
  await vi.waitFor(() => expect(app.screen(size)).toContain('2 of 3'))
  await app.press('escape')
  await app.type('X')
  expect(draft.text).toContain('## Install X')
  expect(status(view)).toContain('draft')
})

test('Find and replace replaces one after the other, or all in one step', async () => {
  await opened()
  await app.press('ctrl+r')
  await app.type('it')
  await vi.waitFor(() => expect(app.screen(size)).toContain('1 of 3'))
  await app.press('tab')
  await app.type('all')
  await app.press('enter')
  await vi.waitFor(() => expect(draft.text).toContain('tallle: Start'))
  await app.command('find.replaceAll').run()
  await vi.waitFor(() => expect(draft.text).toContain('## Install all\n\nRun all.'))
  await app.press('escape', 'ctrl+z')
  expect(draft.text).toContain('## Install it\n\nRun it.')
})

test('Replace all says why nothing was replaced', async () => {
  await opened()
  const replaces = async (): Promise<string | undefined> => {
    await app.command('find.replaceAll').run()
    return app.notes.at(-1)
  }
  await app.press('ctrl+r')
  expect(await replaces()).toBe('info: Type what to look for first.')
  await app.type('nowhere')
  expect(await replaces()).toBe('info: “nowhere” was not found: nothing was replaced.')
  await app.press('alt+p')
  await app.type('(')
  expect(await replaces()).toMatch(/^warning: This is no pattern/)
  expect(draft.text).toBe(page)
})

test('Nothing is replaced where the row for it is not shown', async () => {
  await opened()
  await app.press('ctrl+f')
  await app.type('it')
  await vi.waitFor(() => expect(app.screen(size)).toContain('1 of 3'))
  await app.press('alt+a')
  expect(draft.text).toBe(page)
})

test('What was looked for before stands in the search again, and what is typed takes its place', async () => {
  await opened()
  await app.press('ctrl+f')
  await app.type('it')
  await app.press('escape', 'ctrl+f')
  await vi.waitFor(() => expect(app.screen(size)).toMatch(/Find {5}it .* of 3/))
  await app.type('Run')
  expect(app.screen(size)).toMatch(/Find {5}Run /)
  await app.press('escape', 'ctrl+f', 'end')
  await app.type(' it')
  expect(app.screen(size)).toMatch(/Find {5}Run it /)
})

test('While the search is open, the line of keys says what it can do, not how it is opened', async () => {
  await opened()
  expect(app.command('page.find').hint).toBe('find')
  await app.press('ctrl+r')
  expect([app.command('page.find').hint, app.command('find.replaceAll').hint]).toEqual([undefined, 'replace all'])
})

test('Replace all that is asked for again while it is at work is done once', async () => {
  await opened()
  await app.press('ctrl+r')
  await app.type('it')
  const { run } = app.command('find.replaceAll')
  await Promise.all([run(), run()])
  expect(app.notes).toEqual(['success: Replaced 3. Ctrl-Z takes all of it back.'])
})

test('Ctrl-Z takes back what was replaced, and afterwards what is typed into the field', async () => {
  await opened()
  await app.press('ctrl+r')
  await app.type('it')
  await app.press('tab')
  await app.type('all')
  await app.command('find.replaceAll').run()
  expect(draft.text).toContain('Run all.')
  await app.press('ctrl+z')
  expect(draft.text).toBe(page)
  await app.press('ctrl+y')
  expect(draft.text).toContain('Run all.')
  await app.type(' of it')
  await app.press('ctrl+z')
  expect(draft.text).toContain('Run all.')
  expect(app.screen(size)).not.toContain('of it')
})

test('The outline goes to a heading, Ctrl-G to a line', async () => {
  const view = await opened()
  app.dialogs.answer('  Install it')
  await app.press('ctrl+o')
  await vi.waitFor(() => expect(status(view)).toContain('9:1'))
  app.dialogs.answer({ line: '3' })
  await app.press('ctrl+g')
  await vi.waitFor(() => expect(status(view)).toContain('3:1'))
})

test('The person’s own editor gets the text, and what it leaves is one step of undo', async () => {
  await opened()
  // An editor that writes what it is told to.
  Object.assign(app, { environment: { ...app.environment, editor: `printf 'Other\\n' >` } })
  await app.press('ctrl+e')
  await vi.waitFor(() => expect(draft.text).toBe('Other\n'))
  await app.press('ctrl+z')
  expect(draft.text).toBe(page)
})

test('An editor that fails loses nothing that was written in it', async () => {
  await opened()
  Object.assign(app, { environment: { ...app.environment, editor: `sh -c 'printf written > "$0"; exit 1'` } })
  await app.press('ctrl+e')
  await vi.waitFor(() => expect(app.notes.at(-1)).toMatch(/ended with code 1/))
  const [, file = ''] = /What you wrote there is in (.*)\.$/.exec(app.notes.at(-1) ?? '') ?? []
  expect([await readFile(file, 'utf8'), draft.returned]).toEqual(['written', []])
})

test('The person’s own editor opens at the line of the cursor, where it is known how', async () => {
  const { editorWords } = await import('#cli/terminal.ts')
  const words = (editor: string, line?: number) => editorWords(editor, '/a b.mdx', line).join(' ')
  expect(['vi', 'vim -u NONE', '/usr/bin/nvim', 'nano', 'emacs -nw', 'micro'].map((one) => words(one, 12))).toEqual(
    Array.from({ length: 6 }, () => '+12 /a b.mdx'),
  )
  expect([words('hx', 12), words('code --wait', 12)]).toEqual(['/a b.mdx:12', '-g /a b.mdx:12'])
  expect([words('ed', 12), words('vim'), words('vim', 1)]).toEqual(Array.from({ length: 3 }, () => '/a b.mdx'))
})

test('Other texts of the page that are kept here are told when it opens, and F4 brings or forgets one', async () => {
  draft = new FakeDraft(page)
  draft.recovered = true
  const forgotten = vi.fn<() => Promise<void>>().mockResolvedValue()
  const text = async (): Promise<string> => 'Of another day.\n'
  draft.others = [{ changedAt: new Date(Date.now() - 3_600_000), elsewhere: false, text, discard: forgotten }]
  await opened()
  expect(app.notes.at(-1)).toMatch(
    /^warning: This is what you wrote.* F4 shows another text of this page, written 1 h ago/,
  )
  expect(app.command('page.others').hint).toBe('other text')
  app.dialogs.answer('Written 1 h ago', 'Bring it here')
  await app.press('f4')
  await vi.waitFor(() => expect(draft.text).toBe('Of another day.\n'))
  await app.press('ctrl+z')
  expect(draft.text).toBe(page)
  app.dialogs.answer('Written 1 h ago', 'Forget it')
  await app.press('f4')
  await vi.waitFor(() => expect(forgotten).toHaveBeenCalledOnce())
})

test('A problem that is longer than its line is read whole with F2', async () => {
  const message = `A tag is not closed: ${'write its end where it ends, '.repeat(6)}or take it away.`
  answersCheck([{ message, path: 'guides/start.mdx', line: 1 }])
  await opened()
  await vi.waitFor(() => expect(app.screen(size)).toContain('A tag is not closed'))
  expect(app.screen(size)).toMatch(/F2 shows all of it$/)
  await app.press('f2')
  expect(app.dialogs.shown.at(-1)).toBe(`Line 1\n${message}`)
})

test('A page of main is only read, and offers a branch', async () => {
  await opened({ branch: 'main' })
  await app.type('x')
  expect(app.screen(size)).not.toContain('x#')
  expect(app.command('page.branch').hint).toBe('change it')
})

test('A draft that cannot be kept is told at once, and leaving asks', async () => {
  const view = await opened()
  await app.type('x')
  draft.trouble = 'The disk is full.'
  draft.become('changed')
  expect(app.notes.at(-1)).toBe('error: The disk is full.')
  expect(status(view)).toContain('not kept here')
  app.dialogs.answer(false)
  expect(await view.mayLeave()).toBe(false)
})

test('Leaving asks nothing, and closes the draft', async () => {
  const view = await opened()
  await app.type('x')
  expect(await view.mayLeave()).toBe(true)
  app.pop()
  await vi.waitFor(() => expect(draft.closed).toBe(true))
})

/** A page in conflict, with a piece that was half merged by hand. */
async function halfMerged(): Promise<() => Promise<readonly unknown[]>> {
  const pendingMerges = new PendingMerges()
  const view = await opened({ line: 7, pendingMerges })
  await app.type('My ')
  draft.next = { state: 'conflict', theirs: { oid: 'two', text: page.replace('Hello', 'Hi') } }
  await app.press('ctrl+s', 'e', 'ctrl+a')
  await app.type('By hand')
  await app.press('escape')
  await view
    .commands()
    .find(({ id }) => id === 'back')
    ?.run()
  const place = { slug: 'acme-docs', branchId: aBranch().id, path: draft.path }
  const decided = async (): Promise<readonly unknown[]> => (await pendingMerges.open(place)).kept()
  expect(await decided()).toHaveLength(1)
  return decided
}

test('What was decided in a merge goes when what is not saved is given up', async () => {
  const decided = await halfMerged()
  app.dialogs.answer(true)
  await app.command('page.discard').run()
  expect(await decided()).toEqual([])
})

test('What was decided in a merge goes where somebody deleted the page, and the text is saved as it is', async () => {
  const decided = await halfMerged()
  draft.theirs = { oid: null, text: null }
  app.dialogs.answer('Save your text there')
  draft.next = { state: 'saved' }
  await app.press('ctrl+s')
  await vi.waitFor(() => expect(draft.saved).toHaveLength(1))
  expect(await decided()).toEqual([])
})

test('Giving up what is not saved asks, and can be undone while the page is open', async () => {
  await opened()
  await app.type('x')
  app.dialogs.answer(true)
  await app.command('page.discard').run()
  expect(app.screen(size)).not.toContain('x---')
  expect(draft.state).toBe('saved')
  await app.press('ctrl+z')
  expect(draft.text).toBe(`x${page}`)
})
