import { afterEach, beforeAll, describe, expect, it, vi, onTestFinished } from 'vitest'
import type { Application } from '#cli/tui/app/application.ts'
import type { SettingsValues } from '#cli/tui/app/settings.ts'
import type { Command, View } from '#cli/tui/app/view.ts'
import { span } from '#cli/tui/canvas/lines.ts'
import { ListPane } from '#cli/tui/panes/list.ts'
import { Failure } from '#contract/failure.ts'
import { startApplication } from '#test/support/tui-application.ts'
import type { ScreenTerminal } from '#test/support/screen-terminal.ts'

class FruitView implements View {
  readonly title: string
  readonly about = 'Fruits that can be picked.'
  readonly list = new ListPane<string>({
    items: ['apple', 'banana', 'cherry', 'date'],
    text: (item) => item,
    row: (item) => [span(item)],
    onOpen: (item) => this.opened.push(item),
  })
  readonly opened: string[] = []
  readonly #commands: readonly Command[]

  constructor(title = 'fruits', commands: readonly Command[] = []) {
    this.title = title
    this.#commands = commands
  }

  layout({ width, height }: { width: number; height: number }) {
    return [{ pane: this.list, row: 0, column: 0, width, height }]
  }

  commands(): readonly Command[] {
    return this.#commands
  }
}

let app: Application
let terminal: ScreenTerminal

const start = async (view: View, linear = false, settings: Partial<SettingsValues> = {}): Promise<void> => {
  ;({ app, terminal } = await startApplication(view, { linear, settings }))
}

beforeAll(async () => {
  // Ink is loaded once; the first test would pay for it.
  await import('#cli/tui/app/chrome/chrome.tsx')
})

afterEach(() => app.stop())

describe('the application', () => {
  it('shows where one is, the list, and the keys of the moment', async () => {
    await start(
      new FruitView('fruits', [
        { id: 'pick', title: 'Pick a fruit', keys: ['n'], hint: 'pick', run: vi.fn<() => void>() },
      ]),
    )
    expect(terminal.text).toContain('Quire')
    expect(terminal.text).toContain('fruits')
    expect(terminal.text).toContain('banana')
    expect(terminal.text.split('\n').at(-1)).toContain('n pick')
    expect(terminal.frame.rows).toHaveLength(24)
  })

  it('goes on to a view with Enter and back with Esc, and Esc never quits', async () => {
    const view = new FruitView()
    await start(view)
    terminal.press('down', 'enter')
    expect(view.opened).toEqual(['banana'])
    app.push(new FruitView('inner'))
    terminal.press('home')
    expect(terminal.text).toContain('fruits › inner')
    terminal.press('escape')
    await vi.waitFor(() => expect(terminal.text).not.toContain('inner'))
    terminal.press('escape', 'escape')
    expect(terminal.text).toContain('fruits')
  })

  it('leaves several views at once, without showing those between', async () => {
    const shown = vi.fn<() => void>()
    await start(new FruitView())
    app.push(Object.assign(new FruitView('the branch'), { shown }))
    app.push(new FruitView('its publish'))
    shown.mockClear()
    app.pop(2)
    terminal.press('home')
    expect(terminal.text).not.toContain('the branch')
    expect(shown).not.toHaveBeenCalled()
    app.pop(9)
    terminal.press('home')
    expect(terminal.text).toContain('fruits')
  })

  it('does what a key is bound to, but not while a filter is typed', async () => {
    const run = vi.fn<() => void>()
    await start(new FruitView('fruits', [{ id: 'pick', title: 'Pick', keys: ['n'], run }]))
    terminal.press('n')
    expect(run).toHaveBeenCalledTimes(1)
    terminal.press('/')
    terminal.types('ban')
    expect(run).toHaveBeenCalledTimes(1)
    expect(terminal.text).toContain('/ ban')
    expect(terminal.text).not.toContain('cherry')
    terminal.press('escape')
    expect(terminal.text).toContain('cherry')
  })

  it('says why a command cannot be done now', async () => {
    const run = vi.fn<() => void>()
    await start(
      new FruitView('fruits', [
        { id: 'x', title: 'Pick', keys: ['x'], hint: 'pick', unavailable: 'It is not ripe.', run },
      ]),
    )
    expect(terminal.text.split('\n').at(-1)).not.toContain('pick')
    terminal.press('x')
    expect(run).not.toHaveBeenCalled()
    expect(terminal.text).toContain('It is not ripe.')
  })

  it('finds commands by name in the palette', async () => {
    const run = vi.fn<() => void>()
    await start(new FruitView('fruits', [{ id: 'pick', title: 'Pick a fruit', keys: ['n'], run }]))
    terminal.press('ctrl+p')
    expect(terminal.text).toContain('Commands')
    terminal.types('pick')
    terminal.press('enter')
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1))
    expect(terminal.text).not.toContain('Commands')
  })

  it('explains the screen in its help', async () => {
    await start(new FruitView('fruits', [{ id: 'pick', title: 'Pick a fruit', keys: ['n'], run: vi.fn<() => void>() }]))
    terminal.press('f1')
    expect(terminal.text).toContain('Fruits that can be picked.')
    expect(terminal.text).toContain('Pick a fruit')
    terminal.press('escape')
    expect(terminal.text).not.toContain('Fruits that can be picked.')
  })

  it('wants the name typed before it deletes', async () => {
    await start(new FruitView())
    const answered = vi.fn<(yes: boolean) => void>()
    const body = ['It cannot be undone.']
    void app.dialogs
      .confirm({ title: 'Delete new-api?', body, act: 'Delete', danger: true, typed: 'new-api' })
      .then(answered)
    terminal.press('enter')
    terminal.types('new-ap')
    terminal.press('enter')
    await Promise.resolve()
    expect(answered).not.toHaveBeenCalled()
    terminal.types('i')
    terminal.press('enter')
    await vi.waitFor(() => expect(answered).toHaveBeenCalledWith(true))
  })

  it('keeps what was typed in a form when the service refuses it, and says why', async () => {
    await start(new FruitView())
    const submit = vi
      .fn<(values: Readonly<Record<string, string>>) => Promise<void>>()
      .mockRejectedValueOnce(
        new Failure('branch_exists', 'There is a branch new-api.', { hint: 'Choose another name.' }),
      )
      .mockResolvedValueOnce()
    const answered = vi.fn<(values: unknown) => void>()
    const fields = [{ name: 'name', label: 'Name' }]
    void app.dialogs.ask({ title: 'New branch', fields, act: 'Create', submit }).then(answered)
    terminal.types('new-api')
    terminal.press('enter')
    await vi.waitFor(() => expect(terminal.text).toContain('There is a branch new-api.'))
    expect(terminal.text).toContain('Choose another name.')
    terminal.types('2')
    terminal.press('enter')
    await vi.waitFor(() => expect(answered).toHaveBeenCalledWith({ name: 'new-api2' }))
  })

  it('tells what failed and hides what is a bug, which goes to the log', async () => {
    await start(new FruitView())
    app.fail(new Failure('unavailable', 'The service cannot be reached.', { hint: 'Try again.' }))
    await vi.waitFor(() => expect(terminal.text).toContain('The service cannot be reached. Try again.'))
    app.fail(new TypeError('x is undefined'))
    await vi.waitFor(() => expect(terminal.text).toContain('Something went wrong in Quire itself'))
    expect(terminal.text).not.toContain('x is undefined')
  })

  it('says where a text is wrong, be it of a file or of none', async () => {
    await start(new FruitView())
    const errors = [
      { line: 6, message: 'A brace is not closed.' },
      { path: 'a.mdx', line: 2, message: 'A tag is not closed.' },
      { path: 'b.mdx', message: 'It is empty.' },
    ]
    app.fail(new Failure('invalid_request', 'It cannot be shown.', { errors }))
    await vi.waitFor(() => expect(terminal.text).toContain('Line 6  A brace is not closed.'))
    expect(terminal.text).toContain('a.mdx:2  A tag is not closed.')
    expect(terminal.text).toContain('b.mdx  It is empty.')
  })

  it('gives a long message rows of the body, above the keys and what the view says, until it has been read', async () => {
    const view = new FruitView()
    await start(Object.assign(view, { status: () => [span('4 fruits ')] }))
    view.list.items = Array.from({ length: 30 }, (_, at) => `fruit ${at}`)
    terminal.press('end')
    const words =
      'This is what you wrote here and did not save, from an earlier time: Ctrl-S saves it, and the palette gives it up.'
    const bottom = (rows: number): readonly string[] => terminal.text.split('\n').slice(-rows)
    app.notify(words, 'error')
    await vi.waitFor(() => expect(bottom(3).join(' ').replaceAll(/\s+/g, ' ')).toContain(words.slice(0, 80)))
    expect(bottom(3)[0]).toMatch(/^ ✗ This is what you wrote .+ Ctrl-S$/)
    expect(bottom(3)[1]).toMatch(/^ saves it, and the palette gives it up\. +4 fruits$/)
    expect(bottom(1)[0]).toContain('F1 help')
    // The last one, which is selected, is to be seen still.
    expect(bottom(4)[0]).toContain('fruit 29')
    terminal.press('up')
    expect(bottom(2)[0]?.trim()).toBe('4 fruits')
    expect(terminal.text).not.toContain('This is what you wrote')
  })

  it('leaves a dialog over a long message where both can be read', async () => {
    await start(new FruitView())
    app.notify('It is told at length. '.repeat(12), 'error')
    void app.dialogs.confirm({ title: 'Delete it?', body: ['Gone is gone. '.repeat(50)], act: 'Delete' })
    await vi.waitFor(() => expect(terminal.text).toContain('Delete it?'))
    const rows = terminal.text.split('\n')
    expect(rows.findIndex((row) => row.includes('It is told'))).toBeGreaterThan(
      rows.findIndex((row) => row.includes('╰')),
    )
  })

  it('shows a message to its end, however many lines that takes', async () => {
    await start(new FruitView())
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')
    app.notify(`${words} and what to do next.`, 'error')
    await vi.waitFor(() => expect(terminal.text).toContain('what to do next.'))
    expect(terminal.text.replaceAll(/\s+/g, ' ')).toContain(words)
    expect(terminal.frame.rows).toHaveLength(24)
    expect(terminal.text).toContain('date')
  })

  it('lets what was told go with the next key, once there was time to read it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await start(new FruitView())
    app.notify('Saved on words', 'success')
    terminal.press('down')
    expect(terminal.text).toContain('Saved on words')
    vi.advanceTimersByTime(1501)
    terminal.press('down')
    expect(terminal.text).not.toContain('Saved on words')
  })

  it('breaks work off with Esc', async () => {
    await start(new FruitView())
    const ended = vi.fn<(value: unknown) => void>()
    const work = (signal: AbortSignal): Promise<void> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    void app.task('Loading', work).then(ended)
    await vi.waitFor(() => expect(terminal.text).toContain('Loading …'))
    terminal.press('escape')
    await vi.waitFor(() => expect(ended).toHaveBeenCalledWith(undefined))
    await vi.waitFor(() => expect(terminal.text).not.toContain('Loading …'))
  })

  it('says in a window that is too small what it needs, and goes on when it is larger', async () => {
    await start(new FruitView())
    terminal.resize({ width: 40, height: 12 })
    expect(terminal.text).toContain('this window is 40×12.')
    terminal.resize({ width: 120, height: 40 })
    expect(terminal.text).toContain('banana')
  })

  it('does nothing unseen while the window is too small, but to quit', async () => {
    const view = new FruitView()
    const run = vi.fn<() => void>()
    await start(Object.assign(view, { commands: () => [{ id: 'pick', title: 'Pick', keys: ['n'], run }] }))
    terminal.resize({ width: 40, height: 12 })
    terminal.press('down', 'enter', 'n', '/')
    terminal.input({ type: 'paste', text: 'words' })
    terminal.input({
      type: 'mouse',
      mouse: { action: 'press', button: 'left', row: 2, column: 2, shift: false, ctrl: false, alt: false },
    })
    terminal.resize({ width: 80, height: 24 })
    expect([view.opened, view.list.selected, view.list.typing, run.mock.calls]).toEqual([[], 'apple', false, []])
    terminal.press('down')
    expect(view.list.selected).toBe('banana')
  })

  it('goes with Tab from part to part, and with a click', async () => {
    const view = new FruitView()
    const right = new ListPane<string>({ items: ['one', 'two'], text: String, row: (item) => [span(item)] })
    const layout = ({ height }: { height: number }) => [
      { pane: view.list, row: 0, column: 0, width: 40, height },
      { pane: right, row: 0, column: 40, width: 40, height },
    ]
    await start(Object.assign(view, { layout }))
    terminal.press('tab', 'down')
    expect(right.selected).toBe('two')
    expect(view.list.selected).toBe('apple')
    const place = { row: 4, column: 5, shift: false, ctrl: false, alt: false, button: 'left' as const }
    terminal.input({ type: 'mouse', mouse: { action: 'press', ...place } })
    expect(view.list.selected).toBe('cherry')
  })

  it('asks before a click on the way back leaves what one may want to stay in', async () => {
    const answers = [false, true]
    const page: View = Object.assign(new FruitView('page'), { mayLeave: async () => answers.shift() ?? true })
    await start(new FruitView('fruits'))
    app.push(page)
    app.push(new FruitView('above'))
    const place = { row: 0, column: 9, shift: false, ctrl: false, alt: false, button: 'left' as const }
    terminal.input({ type: 'mouse', mouse: { action: 'press', ...place } })
    await vi.waitFor(() => expect(answers).toEqual([true]))
    await vi.waitFor(() => expect(terminal.text).not.toContain('above'))
    expect(app.depth).toBe(2)
    terminal.input({ type: 'mouse', mouse: { action: 'press', ...place } })
    await vi.waitFor(() => expect(app.depth).toBe(1))
  })

  it('leaves the keyboard where it is when something is clicked in which nothing can be done', async () => {
    const view = new FruitView()
    const note = { inert: true, draw: () => [[span('a note')]], input: () => false, spoken: () => 'a note' }
    const layout = ({ height }: { height: number }) => [
      { pane: view.list, row: 0, column: 0, width: 40, height },
      { pane: note, row: 0, column: 40, width: 40, height },
    ]
    await start(Object.assign(view, { layout }))
    const place = { row: 4, column: 50, shift: false, ctrl: false, alt: false, button: 'left' as const }
    terminal.input({ type: 'mouse', mouse: { action: 'press', ...place } })
    terminal.press('tab', 'down')
    expect(view.list.selected).toBe('banana')
  })

  it('guides through the real screens once, and again when it is asked to', async () => {
    const view = Object.assign(new FruitView(), { tour: { text: ['Pick one with Enter.'], last: true as const } })
    await start(view, false, { toured: false })
    expect(terminal.text).toContain('Pick one with Enter.')
    expect(terminal.text).toContain('banana')
    terminal.press('ctrl+t')
    expect(terminal.text).not.toContain('Pick one with Enter.')
    expect(app.settings.values.toured).toBe(true)
    terminal.press('ctrl+p')
    terminal.types('begin tour')
    terminal.press('enter')
    await vi.waitFor(() => expect(terminal.text).toContain('Pick one with Enter.'))
  })

  it('never shows control characters of names', async () => {
    await start(new FruitView('\u001B[2Jevil\u0007'))
    expect(terminal.text).not.toContain('\u001B')
    expect(terminal.text).toContain('evil')
  })

  it('says line by line what changes, for a screen reader', async () => {
    await start(new FruitView(), true)
    terminal.press('down')
    terminal.press('down')
    expect(terminal.said.join('\n')).toContain('fruits. Fruits that can be picked.')
    expect(terminal.said.slice(-2)).toEqual(['banana, 2 of 4', 'cherry, 3 of 4'])
    terminal.press('ctrl+p')
    expect(terminal.said.at(-1)).toContain('Commands.')
    terminal.press('escape')
    void app.dialogs.ask({
      title: 'New key',
      fields: [
        { name: 'name', label: 'Name' },
        { name: 'scopes', label: 'Scopes', value: 'read', checks: [{ value: 'read' }, { value: 'write' }] },
      ],
      act: 'Create',
    })
    terminal.press('tab')
    expect(terminal.said.at(-1)).toMatch(/^New key\. .+ Scopes\. read, ticked, 1 of 2$/)
    terminal.press('down')
    terminal.press('space')
    expect(terminal.said.slice(-2)).toEqual(['write, not ticked, 2 of 2', 'write, ticked, 2 of 2'])
  })

  it('says every phase of long work and how it ended, but not how far each is', async () => {
    await start(new FruitView(), true)
    const progress = app.dialogs.progress({ title: 'Publishing', cancel: 'stop waiting' })
    progress.phase('joining with main')
    await vi.waitFor(() => expect(terminal.said.at(-1)).toContain('Publishing. … joining with main'))
    progress.detail('another deploy is under way; again in 3 s')
    progress.phase('building pages')
    progress.counted(1, 2)
    progress.phase('going live')
    void progress.end('done', ['Live at https://docs.example.com', '2 pages.'])
    await vi.waitFor(() =>
      expect(terminal.said.slice(-4)).toEqual([
        'another deploy is under way; again in 3 s',
        'building pages',
        'going live',
        'Done. Live at https://docs.example.com 2 pages. Enter: close.',
      ]),
    )
    terminal.press('enter')
    expect(terminal.said.at(-1)).toContain('1 of 4')
  })

  it('says in whole why work waits, and no more when it goes on', async () => {
    await start(new FruitView())
    const progress = app.dialogs.progress({ title: 'Publishing' })
    progress.phase('joining with main')
    progress.detail(`${'The service cannot be reached. '.repeat(3)}again in 3 s`)
    await vi.waitFor(() => expect(terminal.text).toContain('again in 3 s'))
    progress.phase('building pages')
    await vi.waitFor(() => expect(terminal.text).toContain('building pages'))
    expect(terminal.text).not.toContain('cannot be reached')
  })
})
