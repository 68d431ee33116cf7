import { Failure } from '../../../src/contract/failure.ts'
import type { Environment } from '../../environment.ts'
import { chordOf, typedBy, type Input, type Mouse } from '../canvas/input.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { App, MessageKind } from './app.ts'
import type { ChromeRenderer } from './chrome/frame.ts'
import { DialogStack } from './dialogs/stack.ts'
import { tellFailure } from './failures.ts'
import { helpOf, paletteOf } from './help.ts'
import { Messages } from './messages.ts'
import { Painter } from './painter.ts'
import type { Settings } from './settings.ts'
import { Speech } from './speech.ts'
import { Tour } from './tour.ts'
import type { Command, View } from './view.ts'

export interface ApplicationOptions {
  readonly environment: Environment
  readonly settings: Settings
  readonly terminal: Terminal
  readonly chrome: ChromeRenderer
  readonly openBrowser: (address: string) => void
  readonly log: (message: string) => void
  /** At the right of the header. */
  readonly corner: () => { readonly text: string; readonly offline: boolean }
  /** Makes everything durable; throws when that cannot be. */
  readonly settle: () => Promise<void>
  /** A failure was dealt with, and need not be told. */
  readonly dealsWith?: (failure: Failure) => boolean
  /** What can be done on every screen, beside what the application itself knows. */
  readonly commands?: () => readonly Command[]
}

/** Milliseconds between two frames that no key asked for. */
const frameMs = 16

/** Navigation, keys and painting: the views’ host. */
export class Application implements App {
  readonly environment: Environment
  readonly settings: Settings
  readonly dialogs: DialogStack
  readonly #options: ApplicationOptions
  readonly #terminal: Terminal
  readonly #painter: Painter
  readonly #messages: Messages
  readonly #speech: Speech
  readonly #tour: Tour
  readonly #views: View[] = []
  #painting: NodeJS.Timeout | undefined
  #ended: (() => void) | undefined
  #suspended = false

  constructor(options: ApplicationOptions) {
    this.#options = options
    this.#terminal = options.terminal
    this.environment = options.environment
    this.settings = options.settings
    this.#tour = new Tour(options.settings)
    this.#painter = new Painter(options.chrome)
    this.#messages = new Messages(() => this.refresh())
    this.#speech = new Speech((text) => this.#terminal.say(text))
    this.dialogs = new DialogStack({
      refresh: () => this.refresh(),
      fail: (error) => this.fail(error),
      run: (command) => this.#run(command),
    })
  }

  /** Shows a view; resolves when the person has quit. */
  run(first: View): Promise<void> {
    const ended = new Promise<void>((resolve) => (this.#ended = resolve))
    this.#terminal.start({ input: (input) => this.#input(input), resize: () => this.#paint() })
    this.push(first)
    this.#paint()
    return ended
  }

  push(view: View): void {
    this.#view?.hidden?.()
    this.#views.push(view)
    this.#shown(view)
  }

  pop(): void {
    if (this.#views.length <= 1) return
    this.#views.pop()?.closed?.()
    const view = this.#views.at(-1)
    if (view !== undefined) this.#shown(view)
  }

  replace(view: View): void {
    this.#views.pop()?.closed?.()
    this.push(view)
  }

  /** How many views lie one over the other. */
  get depth(): number {
    return this.#views.length
  }

  /** Leaves all views, and begins with another one. */
  restart(view: View): void {
    for (const left of this.#views.splice(0).toReversed()) left.closed?.()
    this.push(view)
  }

  refresh(): void {
    if (this.#suspended) return
    this.#painting ??= setTimeout(() => this.#paint(), frameMs)
  }

  notify(message: string, kind: MessageKind = 'info'): void {
    this.#messages.notify(message, kind)
  }

  fail(error: unknown): void {
    if (error instanceof Failure && this.#options.dealsWith?.(error) === true) return
    tellFailure(error, this)
  }

  async task<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { signal, end } = this.#messages.begin(title)
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted) this.fail(error)
      return undefined
    } finally {
      end()
    }
  }

  async suspend<T>(work: () => Promise<T>): Promise<T> {
    this.#suspended = true
    try {
      return await this.#terminal.suspend(work)
    } finally {
      this.#suspended = false
      this.refresh()
    }
  }

  copy(text: string): void {
    this.#terminal.copy(text)
  }

  openBrowser(address: string): void {
    this.#options.openBrowser(address)
  }

  log(message: string): void {
    this.#options.log(message)
  }

  async quit(): Promise<void> {
    for (const view of this.#views.toReversed()) if ((await view.mayLeave?.()) === false) return
    try {
      await this.#options.settle()
    } catch (error) {
      this.log(String(error))
      const leaves = await this.dialogs.confirm({
        title: 'Not everything is safe',
        body: [
          error instanceof Error ? error.message : String(error),
          'What you typed last is only in this window: copy it, or save it on the branch, before you quit.',
        ],
        act: 'Quit and lose it',
        danger: true,
      })
      if (!leaves) return
    }
    for (const view of this.#views.toReversed()) view.closed?.()
    this.stop()
    this.#ended?.()
  }

  /** Lets go of the terminal, without asking. */
  stop(): void {
    clearTimeout(this.#painting)
    this.#messages.close()
    this.#terminal.stop()
    this.#options.chrome.close()
  }

  #shown(view: View): void {
    view.shown?.()
    this.refresh()
  }

  get #view(): View | undefined {
    return this.#views.at(-1)
  }

  /** What can be done now: by the view, then everywhere. */
  #commands(): readonly Command[] {
    const view = this.#view
    const own = view?.commands() ?? []
    const global: readonly Command[] = [
      ...this.#tour.commands(view),
      ...(this.#options.commands?.() ?? []),
      { id: 'help', title: 'Help for this screen', keys: ['f1', '?'], hint: 'help', run: () => this.#help() },
      { id: 'palette', title: 'Command palette', keys: ['ctrl+p'], hint: 'commands', run: () => this.#palette() },
      {
        id: 'mouse',
        title: this.#terminal.mouse ? 'Switch the mouse off' : 'Switch the mouse on',
        run: () => this.#toggleMouse(),
      },
      ...(this.#views.length > 1
        ? [{ id: 'back', title: 'Go back', keys: ['escape'], hint: 'back', run: () => this.#back() }]
        : []),
      { id: 'quit', title: 'Quit', keys: ['ctrl+q'], hint: 'quit', run: () => this.quit() },
    ]
    const taken = new Set(own.map(({ id }) => id))
    return [...own, ...global.filter(({ id }) => !taken.has(id))]
  }

  #input(input: Input): void {
    try {
      this.#messages.seen()
      this.#dispatch(input)
    } catch (error) {
      this.fail(error)
    }
    if (!this.#suspended) this.#paint()
  }

  #dispatch(input: Input): void {
    if (input.type === 'mouse') {
      this.#mouse(input.mouse)
      return
    }
    const chord = input.type === 'key' ? chordOf(input.key) : undefined
    if (chord === 'ctrl+q') {
      void this.quit()
      return
    }
    const box = this.dialogs.top
    if (box !== undefined) {
      box.input(input)
      return
    }
    const focused = this.#painter.focused
    const typing = this.#view?.typing === true || focused?.typing === true
    if (typing && isForText(input) && focused?.input(input) === true) return
    if (chord !== undefined && this.#runChord(chord)) return
    if (focused?.input(input) === true) return
    if (chord === 'tab' || chord === 'shift+tab') this.#focusNext(chord === 'tab' ? 1 : -1)
    else if (chord === 'escape') this.#messages.interrupt()
  }

  #runChord(chord: string): boolean {
    // Esc goes to the pane first, which may have something to close; then it breaks off work; then it goes back.
    if (chord === 'escape' && (this.#painter.focused?.input(escape) === true || this.#messages.interrupt())) return true
    const command = this.#commands().find(({ keys = [] }) => keys.includes(chord))
    if (command === undefined) return false
    if (command.unavailable === undefined) this.#run(command)
    else this.notify(command.unavailable, 'warning')
    return true
  }

  #run(command: Command): void {
    void this.#settled(command)
  }

  async #settled(command: Command): Promise<void> {
    try {
      await command.run()
    } catch (error) {
      this.fail(error)
    }
    this.refresh()
  }

  async #back(): Promise<void> {
    const view = this.#view
    if ((await view?.mayLeave?.()) === false || view !== this.#view) return
    this.pop()
  }

  #focusNext(step: number): void {
    const view = this.#view
    const { focused } = this.#painter
    const panes = this.#painter.panes.filter(({ inert }) => inert !== true)
    if (view === undefined || panes.length < 2) return
    const at = focused === undefined ? 0 : panes.indexOf(focused)
    view.focused = panes[(at + step + panes.length) % panes.length]
  }

  #mouse(mouse: Mouse): void {
    const box = this.dialogs.top
    const crumb = box === undefined && mouse.action === 'press' ? this.#painter.crumbAt(mouse) : undefined
    if (crumb !== undefined) while (this.#views.length > crumb + 1) this.pop()
    const region = this.#painter.regionAt(mouse)
    if (region === undefined) return
    const input: Input = {
      type: 'mouse',
      mouse: { ...mouse, row: mouse.row - region.row, column: mouse.column - region.column },
    }
    if (box !== undefined) box.input(input, region.pane)
    else {
      if (mouse.action === 'press' && this.#view !== undefined && region.pane.inert !== true)
        this.#view.focused = region.pane
      region.pane.input(input)
    }
  }

  async #palette(): Promise<void> {
    const command = await this.dialogs.choose({ title: 'Commands', choices: paletteOf(this.#commands()) })
    if (command !== undefined) this.#run(command)
  }

  #help(): void {
    const view = this.#view
    if (view === undefined) return
    void this.dialogs.tell({ title: `Help: ${view.title}`, body: helpOf(view, this.#commands()) })
  }

  #toggleMouse(): void {
    const mouse = !this.#terminal.mouse
    this.settings.change({ mouse })
    this.notify(mouse ? 'The mouse works here; hold Shift to select text.' : 'The mouse is your terminal’s again.')
  }

  #paint(): void {
    clearTimeout(this.#painting)
    this.#painting = undefined
    if (this.#suspended) return
    const { text: corner, offline } = this.#options.corner()
    const frame = this.#painter.frame({
      size: this.#terminal.size,
      views: this.#views,
      box: this.dialogs.top,
      commands: this.dialogs.top === undefined ? this.#commands() : [],
      message: this.#messages.line(),
      note: this.#tour.box(this.#view),
      corner,
      offline,
    })
    this.#terminal.draw(frame)
    if (!this.#terminal.linear) return
    this.#speech.tell({
      view: this.#view,
      dialog: this.dialogs.top,
      focused: this.dialogs.top === undefined ? this.#painter.focused : this.dialogs.top.focused,
      message: this.#messages.spoken() || this.#tour.spoken(this.#view),
    })
  }
}

const escape: Input = { type: 'key', key: { name: 'escape', ctrl: false, alt: false, shift: false } }

/** Input that a text field needs for itself: what types, and what moves in text; not keys with Ctrl, Alt or F1 … F12. */
function isForText(input: Input): boolean {
  if (input.type !== 'key') return true
  const { key } = input
  return typedBy(key) !== undefined || !(key.ctrl || key.alt || /^f\d/.test(key.name))
}
