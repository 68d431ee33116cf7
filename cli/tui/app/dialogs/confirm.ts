import { chordText, type Input } from '../../canvas/input.ts'
import type { Hint, Pane } from '../../canvas/pane.ts'
import { TextField } from '../../panes/text-field.ts'
import type { Confirmation } from '../dialogs.ts'
import { chordIn, inside, paragraphs, spokenContent, widthFor, type Content, type DialogBox } from './box.ts'
import { LinesPane } from './reader.ts'

const scrolling: ReadonlySet<string> = new Set(['up', 'down', 'pageup', 'pagedown'])

/** Enter does it. What cannot be undone wants a word typed, or `y`. */
export class ConfirmBox implements DialogBox {
  readonly width: number
  readonly #confirmation: Confirmation
  readonly #answer: (yes: boolean) => void
  readonly #field: TextField | undefined
  readonly #text: LinesPane
  /** There is more to be read than the window has room for. */
  #isCut = false

  constructor(confirmation: Confirmation, answer: (yes: boolean) => void) {
    this.width = widthFor(confirmation.body, 64)
    this.#confirmation = confirmation
    this.#answer = answer
    this.#text = new LinesPane((width) => paragraphs(confirmation.body, width))
    this.#field = confirmation.typed === undefined ? undefined : new TextField({ placeholder: confirmation.typed })
  }

  get title(): string {
    return this.#confirmation.title
  }

  get danger(): boolean {
    return this.#confirmation.danger === true
  }

  get focused(): TextField | undefined {
    return this.#field
  }

  get hints(): readonly Hint[] {
    const chord = this.#actsOnY ? 'y' : 'enter'
    return [
      { chord, word: inside(this.#confirmation.act) },
      ...(this.#isCut ? [{ chord: 'down', word: 'more' }] : []),
      { chord: 'escape', word: this.#confirmation.leave ?? 'cancel' },
    ]
  }

  content(width: number, height: number): Content {
    const { body, typed } = this.#confirmation
    const asked = typed === undefined ? [] : paragraphs([`Type ${typed} to go on:`], width, { bold: true })
    // What is asked for is in sight, however much there is to be read before.
    const below = this.#field === undefined ? [] : [[], ...asked, []]
    const lines = paragraphs(body, width)
    const rows = Math.max(1, Math.min(lines.length, height - below.length))
    this.#isCut = rows < lines.length
    const text = this.#isCut ? Array.from({ length: rows }, () => []) : lines
    return {
      lines: [...text, ...below],
      slots: [
        ...(this.#isCut ? [{ pane: this.#text, row: 0, height: rows }] : []),
        ...(this.#field === undefined ? [] : [{ pane: this.#field, row: rows + below.length - 1, height: 1 }]),
      ],
    }
  }

  input(input: Input, pane?: Pane): void {
    const chord = chordIn(input)
    if (chord === 'escape') this.#answer(false)
    else if (chord === (this.#actsOnY ? 'y' : 'enter')) {
      if (this.#field === undefined || this.#field.value.trim() === this.#confirmation.typed) this.#answer(true)
    } else if (pane === this.#text || scrolling.has(chord ?? '')) this.#text.input(input)
    else this.#field?.input(input)
  }

  spoken(): string {
    return spokenContent(this, chordText)
  }

  stands(): readonly string[] {
    return this.#field === undefined ? [] : [this.#field.spoken()]
  }

  /** Of what cannot be undone, Enter, pressed a moment too late, does nothing. */
  get #actsOnY(): boolean {
    return this.danger && this.#field === undefined
  }
}
