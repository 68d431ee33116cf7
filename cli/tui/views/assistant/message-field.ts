import { chordOf, type Input } from '../../canvas/input.ts'
import { span } from '../../canvas/lines.ts'
import type { Cursor, Hint, Pane, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { EditorPane } from '../../panes/editor.ts'
import { TextBuffer } from '../../text/buffer.ts'
import { cursorAt, endOf } from '../../text/positions.ts'

interface MessageFieldOptions {
  readonly placeholder: string
  readonly onSend: (text: string) => void
  /** Something was typed, or taken back. */
  readonly onChange?: () => void
  readonly copy: (text: string) => void
  /** PgUp and PgDn: of what stands above. */
  readonly scroll: (input: Input) => boolean
  /** Esc breaks something off now. */
  readonly isBusy: () => boolean
}

/** Chords that terminals send for a new line in a message, as many as tell them from Enter. */
const newLine: ReadonlySet<string> = new Set(['alt+enter', 'shift+enter', 'ctrl+enter', 'ctrl+j'])
const enter: Input = { type: 'key', key: { name: 'enter', ctrl: false, alt: false, shift: false } }

/** A message of several lines: Enter sends it, Alt-Enter begins another line. */
export class MessageField implements Pane {
  readonly typing = true
  readonly #options: MessageFieldOptions
  #editor: EditorPane

  constructor(options: MessageFieldOptions) {
    this.#options = options
    this.#editor = this.#fresh('')
  }

  get value(): string {
    return this.#editor.buffer.text()
  }

  set value(value: string) {
    this.#editor = this.#fresh(value)
  }

  get cursor(): Cursor | undefined {
    return this.#editor.cursor
  }

  get hints(): readonly Hint[] {
    return this.#options.isBusy() ? [{ chord: 'escape', word: 'break off' }] : []
  }

  draw(size: Size): readonly Line[] {
    const lines = this.#editor.draw(size)
    if (this.value !== '') return lines
    return [[span(' '.repeat(this.cursor?.column ?? 0)), span(this.#options.placeholder, { color: 'muted' })]]
  }

  input(input: Input): boolean {
    const chord = input.type === 'key' ? chordOf(input.key) : ''
    if (newLine.has(chord)) return this.#editor.input(enter)
    if (chord === 'pageup' || chord === 'pagedown') return this.#options.scroll(input)
    if (chord === 'enter') {
      if (this.value.trim() !== '') this.#options.onSend(this.value.trim())
      return true
    }
    return this.#editor.input(input)
  }

  spoken(): string {
    return this.value === '' ? this.#options.placeholder : this.value
  }

  /** Whoever gets a text back goes on at its end. */
  #fresh(text: string): EditorPane {
    const buffer = new TextBuffer(text)
    buffer.selection = cursorAt(endOf(buffer))
    buffer.onChange(() => this.#options.onChange?.())
    return new EditorPane({ buffer, copy: this.#options.copy })
  }
}
