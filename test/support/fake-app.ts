import { readEnvironment, type Environment } from '#cli/environment.ts'
import type { App, MessageKind } from '#cli/tui/app/app.ts'
import type { Settings, SettingsValues } from '#cli/tui/app/settings.ts'
import type { Command, View } from '#cli/tui/app/view.ts'
import { chordOf, typedBy, type Input, type Key } from '#cli/tui/canvas/input.ts'
import { fit, lineWidth, slice } from '#cli/tui/canvas/lines.ts'
import type { Pane, Size } from '#cli/tui/canvas/pane.ts'
import type { Line } from '#cli/tui/canvas/style.ts'
import { Failure } from '#contract/failure.ts'
import { FakeDialogs } from './fake-dialogs.ts'

/** Stands in for the application: keeps what views tell it, answers dialogs from a script, draws a view as text. */
export class FakeApp implements App {
  readonly environment: Environment = {
    ...readEnvironment({ color: false, input: false }),
    browser: true,
    ci: false,
    interactive: true,
  }
  readonly dialogs = new FakeDialogs()
  readonly settings: Settings
  /** The views, the one on top last. */
  readonly views: View[] = []
  /** What the line at the bottom said, such as `error: It is gone.` */
  readonly notes: string[] = []
  /** What was thrown and is no Failure. */
  readonly bugs: unknown[] = []
  readonly copied: string[] = []
  readonly opened: string[] = []
  readonly logged: string[] = []
  /** Titles of the work that was begun. */
  readonly tasks: string[] = []
  refreshes = 0
  hasQuit = false
  #abort = new AbortController()
  /** Of the screen that was drawn last. */
  #size: Size = { width: 100, height: 24 }

  constructor(values: Partial<SettingsValues> = {}) {
    const settings = { values: { mouse: false, theme: 'auto' as const, toured: true, ...values } }
    this.settings = {
      get values() {
        return settings.values
      },
      change(changed) {
        settings.values = { ...settings.values, ...changed }
      },
    }
  }

  get top(): View {
    const view = this.views.at(-1)
    if (view === undefined) throw new Error('no view is shown')
    return view
  }

  push(view: View): void {
    this.views.push(view)
    view.shown?.()
  }

  pop(count = 1): void {
    for (const view of this.views.splice(-count).toReversed()) view.closed?.()
    this.views.at(-1)?.shown?.()
  }

  replace(view: View): void {
    this.views.pop()?.closed?.()
    this.push(view)
  }

  restart(view: View): void {
    for (const before of this.views.splice(0)) before.closed?.()
    this.push(view)
  }

  refresh(): void {
    this.refreshes += 1
  }

  notify(message: string, kind: MessageKind = 'info'): void {
    this.notes.push(`${kind}: ${message}`)
  }

  fail(error: unknown): void {
    if (error instanceof Failure) this.notify([error.message, error.hint ?? ''].join(' ').trim(), 'error')
    else this.bugs.push(error)
  }

  async task<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.tasks.push(title)
    this.#abort = new AbortController()
    const { signal } = this.#abort
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted) this.fail(error)
      return undefined
    }
  }

  /** Esc while a task runs. */
  breakOff(): void {
    this.#abort.abort()
  }

  suspend<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  copy(text: string): void {
    this.copied.push(text)
  }

  openBrowser(address: string): void {
    this.opened.push(address)
  }

  log(message: string): void {
    this.logged.push(message)
  }

  async quit(): Promise<void> {
    this.hasQuit = true
  }

  /** The view on top, as text: trailing spaces of rows and empty rows at the end are left out. */
  screen(size: Size = this.#size): string {
    this.#size = size
    const rows: string[] = Array.from({ length: size.height }, () => ' '.repeat(size.width))
    const put = (row: number, column: number, text: string): void => {
      const before = rows[row]
      if (before === undefined) throw new Error(`row ${row} is outside of the body`)
      rows[row] = textOf([
        ...slice([{ text: before }], 0, column),
        { text },
        ...slice([{ text: before }], column + lineWidth([{ text }]), size.width),
      ])
    }
    for (const { pane, row, column, width, height, title } of this.top.layout(size)) {
      if (column + width > size.width || row + height > size.height) throw new Error('a pane reaches beyond the body')
      if (title !== undefined) put(row - 1, column, textOf(fit([{ text: title }], width)))
      const lines = pane.draw({ width, height })
      if (lines.length > height) throw new Error('a pane draws more lines than it has rows')
      for (const [index, line] of lines.entries()) put(row + index, column, textOf(fit(line, width)))
    }
    return rows
      .map((row) => row.trimEnd())
      .join('\n')
      .trimEnd()
  }

  /** Presses keys, each by its chord: `n`, `P`, `enter`, `ctrl+s`. Resolves when what they began has had its turn. */
  async press(...chords: readonly string[]): Promise<void> {
    for (const chord of chords) {
      this.#key(keyOf(chord))
      await turn()
    }
  }

  /** Types a text, a key a character. */
  async type(text: string): Promise<void> {
    await this.press(...Array.from(text, (character) => (character === ' ' ? 'space' : character)))
  }

  async input(input: Input): Promise<void> {
    this.#pane()?.input(input)
    await turn()
  }

  /** The command of the view on top that has this id; what it answers is what its key answers. */
  command(id: string): Command {
    const command = this.top.commands().find((one) => one.id === id)
    if (command === undefined) throw new Error(`the view has no command ${id}`)
    return command
  }

  #pane(): Pane | undefined {
    return this.top.focused ?? this.top.layout(this.#size)[0]?.pane
  }

  #key(key: Key): void {
    const chord = chordOf(key)
    const toPane = (): boolean => this.#pane()?.input({ type: 'key', key }) ?? false
    const typing =
      (this.top.typing === true || this.#pane()?.typing === true) && (typedBy(key) !== undefined || chord === 'escape')
    if ((typing || chord === 'escape') && toPane()) return
    const command = typing ? undefined : this.top.commands().find(({ keys = [] }) => keys.includes(chord))
    if (command?.unavailable !== undefined) this.notify(command.unavailable, 'warning')
    else if (command !== undefined) void Promise.resolve(command.run()).catch((error: unknown) => this.fail(error))
    else if (!typing && toPane()) return
    else if (chord === 'escape' && this.views.length > 1) this.pop()
  }
}

function keyOf(chord: string): Key {
  const parts = chord === '+' ? ['+'] : chord.split(/\+(?=.)/)
  const base = parts.at(-1) ?? ''
  return {
    name: base === 'space' ? ' ' : base,
    ctrl: parts.includes('ctrl'),
    alt: parts.includes('alt'),
    shift: parts.includes('shift'),
  }
}

function textOf(line: Line): string {
  return line.map(({ text }) => text).join('')
}

/** Lets promises that are due have their turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
