import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Application } from '#cli/tui/app/application.ts'
import type { View } from '#cli/tui/app/view.ts'
import { AssistantView } from '#cli/tui/views/assistant/assistant.ts'
import { BranchesView } from '#cli/tui/views/branches/branches.ts'
import { EditorView } from '#cli/tui/views/editor/editor.ts'
import { HistoryView } from '#cli/tui/views/changes/history.ts'
import { FilesView } from '#cli/tui/views/files/files.ts'
import type { Context } from '#cli/tui/views/shared/context.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { FakeBranchFiles, FileWorkspace } from '#test/support/fake-branch-files.ts'
import type { ScreenTerminal } from '#test/support/screen-terminal.ts'
import { startApplication } from '#test/support/tui-application.ts'
import { fakeContext } from '#test/support/tui-context.ts'
import { aBranch, aProject, FakeWorkspace } from '#test/support/fake-workspace.ts'

const aView = (title: string): View => ({ title, about: '', layout: () => [], commands: () => [] })
const branch = aBranch()
const project = aProject()

/** What a command waits for, until the test lets it go on. */
class Gate {
  #open: () => void = () => undefined
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve))
  isAwaited = false

  wait(): Promise<void> {
    this.isAwaited = true
    return this.#opened
  }

  open(): void {
    this.#open()
  }
}

let app: Application
let terminal: ScreenTerminal
let gate: Gate
afterEach(() => app.stop())

/** A view over the first one, in the real application. */
async function opened(workspace: FakeWorkspace, make: (context: Context) => View): Promise<void> {
  ;({ app, terminal } = await startApplication(aView('Projects'), { size: { width: 100, height: 30 } }))
  gate = new Gate()
  app.push(make({ ...fakeContext(), app, workspace }))
}

async function branches(): Promise<void> {
  const workspace = new FakeWorkspace()
  workspace.all = [project]
  workspace.branches = [branch]
  workspace.unsaved = async () => gate.wait().then(() => [])
  await opened(workspace, (context) => new BranchesView(context, project))
  await vi.waitFor(() => expect(terminal.text).toContain('new-api'))
  terminal.press('down')
}

async function files(): Promise<void> {
  const workspace = new FileWorkspace(new FakeBranchFiles({ 'a.mdx': '# A\n', 'docs.json': '{}' }, branch))
  workspace.service.on(contract.branches.search, async () => {
    await gate.wait()
    return { items: [], truncated: false, searched: 2 }
  })
  await opened(workspace, (context) => new FilesView({ ...context, project, branch }))
  await vi.waitFor(() => expect(terminal.text).toContain('a.mdx'))
}

async function conversations(): Promise<void> {
  const workspace = new FakeWorkspace()
  workspace.service.on(contract.assistant.list, async () => {
    await gate.wait()
    const at = '2026-03-01T12:00:00.000Z'
    return { items: [{ id: 'c1', title: 'Raise the limit', turns: 1, createdAt: at, updatedAt: at }] }
  })
  await opened(workspace, (context) => new AssistantView({ ...context, project, branch }))
}

async function history(): Promise<void> {
  const workspace = new FakeWorkspace()
  const at = '2026-03-01T10:00:00.000Z'
  const author = { name: 'Ada', email: 'ada@example.com' }
  const commit = { oid: '1'.repeat(40), parents: ['2'.repeat(40)], author, message: 'Explain keys', committedAt: at }
  workspace.service.on(contract.branches.history, () => ({ items: [commit] }))
  workspace.service.on(contract.branches.diff, () => ({ head: 'a'.repeat(40), files: [] }))
  workspace.service.on(contract.branches.readFile, async () => {
    await gate.wait()
    throw new Failure('not_found', 'There is no such file.', { errors: [{ message: 'Nobody had it.' }] })
  })
  await opened(workspace, (context) => new HistoryView({ ...context, context, project, branch, path: 'guide.mdx' }))
  await vi.waitFor(() => expect(terminal.text).toContain('Explain keys'))
}

const commands = [
  { what: 'to delete a branch', open: branches, keys: ['x'], question: 'Delete new-api?' },
  { what: 'to rename a file', open: files, keys: ['R'], question: 'Rename a.mdx' },
  { what: 'which conversation to open', open: conversations, keys: ['ctrl+o'], question: 'Conversations' },
]

describe('A question that comes late', () => {
  it.each(commands)('$what, is asked where the person has waited for it', async ({ open, keys, question }) => {
    await open()
    terminal.press(...keys)
    await vi.waitFor(() => expect(gate.isAwaited).toBe(true))
    gate.open()
    await vi.waitFor(() => expect(app.dialogs.top?.title).toBe(question))
  })

  it.each(commands)('$what, is no question over another screen, which says so', async ({ open, keys, question }) => {
    await open()
    terminal.press(...keys)
    await vi.waitFor(() => expect(gate.isAwaited).toBe(true))
    app.push(aView('elsewhere'))
    gate.open()
    const words = `“${question}” was not asked, as you had gone on.`
    await vi.waitFor(() => expect(terminal.text).toContain(words))
    expect(app.dialogs.top).toBeUndefined()
  })

  it('is asked where the person has come back before it came', async () => {
    await files()
    terminal.press('R')
    await vi.waitFor(() => expect(gate.isAwaited).toBe(true))
    app.push(aView('elsewhere'))
    app.pop()
    gate.open()
    await vi.waitFor(() => expect(app.dialogs.top?.title).toBe('Rename a.mdx'))
  })
})

it('What failed where the person is no more is told in a line, and lies over nothing', async () => {
  await history()
  terminal.press('r')
  await vi.waitFor(() => expect(gate.isAwaited).toBe(true))
  app.push(aView('elsewhere'))
  gate.open()
  await vi.waitFor(() => expect(terminal.text).toContain('Nobody had it.'))
  expect(app.dialogs.top).toBeUndefined()
})

describe('A view that comes late', () => {
  const late = async (then: () => void) => {
    const slow: View = { ...aView('slow'), commands: () => [{ id: 'go', title: 'Go', keys: ['g'], run }] }
    const run = async (): Promise<void> => gate.wait().then(then)
    await opened(new FakeWorkspace(), () => slow)
    terminal.press('g')
    app.push(aView('elsewhere'))
    gate.open()
  }

  it('is not opened over another one', async () => {
    const closed = vi.fn<() => void>()
    await late(() => app.push({ ...aView('found at last'), closed }))
    await vi.waitFor(() => expect(terminal.text).toContain('“found at last” was not opened, as you had gone on.'))
    expect(terminal.text.split('\n')[0]).toContain('Projects › slow › elsewhere')
    expect(closed).toHaveBeenCalledTimes(1)
  })

  it('and one that is done with closes itself and not another one', async () => {
    const then = vi.fn<() => void>(() => app.pop())
    await late(then)
    await vi.waitFor(() => expect(then).toHaveBeenCalledTimes(1))
    expect(app.depth).toBe(3)
  })

  it('may ask, where what was asked for led to it', async () => {
    const asks = async (): Promise<void> => {
      app.push(aView('conflicts'))
      await gate.wait()
      await app.dialogs.confirm({ title: 'Go on?', body: [], act: 'Go on' })
    }
    const first: View = { ...aView('slow'), commands: () => [{ id: 'go', title: 'Go', keys: ['g'], run: asks }] }
    await opened(new FakeWorkspace(), () => first)
    terminal.press('g')
    gate.open()
    await vi.waitFor(() => expect(app.dialogs.top?.title).toBe('Go on?'))
  })
})

it('A page that could not be opened while the person was elsewhere is opened when they come back', async () => {
  const all = new FakeBranchFiles({ 'a.mdx': 'Words that are there.' }, branch)
  const edit = all.edit.bind(all)
  all.edit = async () => {
    await gate.wait()
    throw new Failure('unavailable', 'The service cannot be reached.')
  }
  const workspace = new FileWorkspace(all)
  await opened(workspace, () => aView('files'))
  const context = { ...fakeContext(), app, workspace }
  const page = new EditorView({ context, project, branch, place: { path: 'a.mdx' } })
  app.push(page)
  await vi.waitFor(() => expect(gate.isAwaited).toBe(true))
  app.push(aView('elsewhere'))
  gate.open()
  await vi.waitFor(() => expect(terminal.text).toContain('The service cannot be reached.'))
  all.edit = edit
  app.pop()
  await vi.waitFor(() => expect(terminal.text).toContain('Words that are there.'))
})
