import { span } from '../canvas/lines.ts'
import type { Color } from '../canvas/style.ts'
import { shown } from '../canvas/width.ts'
import type { MessageKind } from './app.ts'
import type { Message } from './message-line.ts'

const colors: Readonly<Record<MessageKind, Color>> = {
  info: 'muted',
  success: 'success',
  warning: 'warning',
  error: 'danger',
}
const marks: Readonly<Record<MessageKind, string>> = { info: '', success: '✓ ', warning: '! ', error: '✗ ' }

/** How long what is no error stays, in milliseconds. */
const stayMs = 6000
/** How long it stays at least, whatever is pressed. */
const readMs = 1500
const spinnerMs = 120
const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** The line at the bottom: work under way, else what was told last. */
export class Messages {
  readonly #refresh: () => void
  #message: { readonly text: string; readonly kind: MessageKind } | undefined
  #toldAt = 0
  #expiry: NodeJS.Timeout | undefined
  readonly #tasks: { readonly title: string; readonly interruption: AbortController }[] = []
  #ticker: NodeJS.Timeout | undefined
  #tick = 0

  constructor(refresh: () => void) {
    this.#refresh = refresh
  }

  notify(text: string, kind: MessageKind): void {
    clearTimeout(this.#expiry)
    this.#message = { text, kind }
    this.#toldAt = performance.now()
    if (kind !== 'error') this.#expiry = setTimeout(() => this.clear(), stayMs)
    this.#expiry?.unref()
    this.#refresh()
  }

  clear(): void {
    clearTimeout(this.#expiry)
    if (this.#message === undefined) return
    this.#message = undefined
    this.#refresh()
  }

  /** A key was pressed: an error has been seen, and whatever else stood long enough to be read. It may take room. */
  seen(): void {
    if (this.#message?.kind === 'error' || performance.now() - this.#toldAt > readMs) this.clear()
  }

  /** Begins to show work. Answers its signal, and how to end it. */
  begin(title: string): { readonly signal: AbortSignal; readonly end: () => void } {
    const task = { title, interruption: new AbortController() }
    this.#tasks.push(task)
    this.#ticker ??= setInterval(() => {
      this.#tick += 1
      this.#refresh()
    }, spinnerMs)
    this.#refresh()
    const end = (): void => {
      this.#tasks.splice(this.#tasks.indexOf(task), 1)
      if (this.#tasks.length === 0) {
        clearInterval(this.#ticker)
        this.#ticker = undefined
      }
      this.#refresh()
    }
    return { signal: task.interruption.signal, end }
  }

  /** Breaks off the last work that began; false when there is none. */
  interrupt(): boolean {
    const task = this.#tasks.findLast(({ interruption }) => !interruption.signal.aborted)
    task?.interruption.abort()
    return task !== undefined
  }

  current(): Message {
    const message = this.#message
    const task = this.#tasks.at(-1)
    if (message !== undefined && (task === undefined || message.kind === 'error')) {
      const line = [span(` ${marks[message.kind]}${shown(message.text)}`, { color: colors[message.kind] })]
      return { line, isWork: false }
    }
    if (task === undefined) return { line: [], isWork: false }
    const wheel = spinner[this.#tick % spinner.length] ?? ''
    const line = [span(` ${wheel} `, { color: 'accent' }), span(`${shown(task.title)} …`, { color: 'muted' })]
    return { line, isWork: true }
  }

  /** What a screen reader says; a spinner that turns says nothing new. */
  spoken(): string {
    return this.#message?.text ?? this.#tasks.at(-1)?.title ?? ''
  }

  close(): void {
    clearTimeout(this.#expiry)
    clearInterval(this.#ticker)
  }
}
