import { Failure } from '#contract/failure.ts'
import type { Environment } from '../../environment.ts'
import type { Input } from '../canvas/input.ts'
import type { Color, Line } from '../canvas/style.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { App, MessageKind } from './app.ts'
import type { ChromeRenderer } from './chrome/frame.ts'
import { Commands } from './commands.ts'
import { DialogStack } from './dialogs/stack.ts'
import { tellFailure } from './failures.ts'
import { InputRouter } from './input-router.ts'
import { Interactions } from './interactions.ts'
import { Messages } from './messages.ts'
import { Painter } from './painter.ts'
import { Quitting, type Quit } from './quitting.ts'
import type { Settings } from './settings.ts'
import { Speech } from './speech.ts'
import { Tour } from './tour.ts'
import type { Command, View } from './view.ts'
import { ViewStack } from './view-stack.ts'

export interface ApplicationOptions {
  readonly environment: Environment
  readonly settings: Settings
  readonly terminal: Terminal
  readonly chrome: ChromeRenderer
  readonly openBrowser: (address: string) => void
  readonly log: (message: string) => void
  /** At the right of the header. */
  readonly corner: () => { readonly text: string; readonly offline: boolean }
  /** Makes everything durable, and ends it where the signal has not fired by then; throws when that cannot be. */
  readonly settle: (signal: AbortSignal) => Promise<void>
  /** What was typed and is not durable yet, in words. */
  readonly unkept: () => readonly string[]
  /** A failure was dealt with, and need not be told. */
  readonly dealsWith?: (failure: Failure) => boolean
  /** What can be done on every screen, beside what the application itself knows. */
  readonly commands?: () => readonly Command[]
}

/** Milliseconds between two frames that no key asked for. */
const frameMs = 16

/** The views’ host: brings together navigation, keys, dialogs, messages and painting. */
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
  readonly #views: ViewStack
  readonly #interactions = new Interactions(() => this.#views.top)
  readonly #commands: Commands
  readonly #router: InputRouter
  readonly #quitting: Quitting
  #painting: NodeJS.Timeout | undefined
  #ended: ((quit: Quit) => void) | undefined
  #suspended = false
  /** What led to the frame that is painted next. */
  #cause: Input | undefined

  constructor(options: ApplicationOptions) {
    this.#options = options
    this.#terminal = options.terminal
    this.environment = options.environment
    this.settings = options.settings
    this.#tour = new Tour(options.settings)
    this.#painter = new Painter(options.chrome)
    this.#messages = new Messages(() => this.refresh())
    this.#speech = new Speech(this.#terminal)
    this.dialogs = new DialogStack({
      refresh: () => this.refresh(),
      fail: (error) => this.fail(error),
      run: (command) => this.#commands.run(command),
      isHere: () => this.#interactions.isHere,
      missed: (words) => this.notify(words, 'warning'),
    })
    this.#views = new ViewStack((view) => this.#show(view))
    this.#commands = new Commands(this, {
      views: this.#views,
      tour: this.#tour,
      terminal: options.terminal,
      screen: this.#painter,
      more: () => options.commands?.() ?? [],
    })
    this.#quitting = new Quitting({
      dialogs: this.dialogs,
      mayLeave: () => this.#views.mayLeave(),
      settle: options.settle,
      unkept: options.unkept,
      log: options.log,
      end: (quit) => {
        this.#views.close()
        this.stop()
        this.#ended?.(quit)
      },
    })
    this.#router = new InputRouter({
      views: this.#views,
      screen: this.#painter,
      dialog: () => this.dialogs.top,
      commands: this.#commands,
      interrupt: () => this.#messages.interrupt(),
      quit: () => void this.quit(),
    })
  }

  /** Shows a view; resolves when the person has quit. */
  run(first: View): Promise<Quit> {
    const ended = new Promise<Quit>((resolve) => (this.#ended = resolve))
    this.#terminal.start({ input: (input) => this.#input(input), resize: () => this.#paint() })
    this.push(first)
    this.#paint()
    return ended
  }

  push(view: View): void {
    if (this.#interactions.isHere) this.#views.push(view)
    else this.#miss(view)
  }

  pop(count = 1): void {
    if (this.#interactions.isHere) this.#views.pop(count)
  }

  replace(view: View): void {
    if (this.#interactions.isHere) this.#views.replace(view)
    else this.#miss(view)
  }

  /** Does what belongs to no view, such as to ask for a sign-in: that may come up over any. */
  anywhere<T>(work: () => T): T {
    return this.#interactions.anywhere(work)
  }

  /** How many views lie one over the other. */
  get depth(): number {
    return this.#views.all.length
  }

  restart(view: View): void {
    this.#views.restart(view)
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

  quit(): Promise<void> {
    return this.anywhere(() => this.#quitting.quit())
  }

  /** Lets go of the terminal, without asking. */
  stop(): void {
    clearTimeout(this.#painting)
    this.#messages.close()
    this.#terminal.stop()
    this.#options.chrome.close()
  }

  #input(input: Input): void {
    try {
      this.#messages.seen()
      this.#interactions.begin(() => this.#router.take(input))
    } catch (error) {
      this.fail(error)
    }
    this.#cause = input
    if (!this.#suspended) this.#paint()
  }

  #show(view: View): void {
    this.#interactions.led()
    this.#interactions.begin(() => view.shown?.())
    this.refresh()
  }

  /** A view that was long in coming, when the person has gone elsewhere. */
  #miss(view: View): void {
    view.closed?.()
    this.notify(`“${view.title}” was not opened, as you had gone on.`)
  }

  #paint(): void {
    clearTimeout(this.#painting)
    this.#painting = undefined
    if (this.#suspended) return
    const { text: corner, offline } = this.#options.corner()
    const frame = this.#painter.frame({
      size: this.#terminal.size,
      views: this.#views.all,
      box: this.dialogs.top,
      commands: this.dialogs.top === undefined ? this.#commands.all() : [],
      message: this.#messages.current(),
      note: this.#tour.box(this.#views.top),
      corner,
      offline,
    })
    this.#terminal.title = ['Quire', ...this.#views.all.slice(1).map(({ title }) => title)].join(' › ')
    this.#terminal.draw(frame)
    const cause = this.#cause
    this.#cause = undefined
    if (!this.#terminal.linear) return
    this.#speech.tell({
      view: this.#views.top,
      dialog: this.dialogs.top,
      focused: this.dialogs.top === undefined ? this.#painter.focused : this.dialogs.top.focused,
      message: this.#messages.spoken(),
      note: this.#tour.spoken(this.#views.top),
      state: stateIn(this.#views.top?.status?.() ?? []),
      input: cause,
    })
  }
}

const stateColors: ReadonlySet<Color | undefined> = new Set(['accent', 'success', 'warning', 'danger'])

/** Of what a view says at the bottom: what is coloured as a state, not numbers that change with every key. */
function stateIn(status: Line): string {
  const states = status.filter(({ style }) => stateColors.has(style?.color))
  return states.map(({ text }) => text.replaceAll('·', '').trim()).join(', ')
}
