import { chordText, type Input } from '../../canvas/input.ts'
import { TextField } from '../../panes/text-field.ts'
import type { Confirmation } from '../dialogs.ts'
import { chordIn, paragraphs, spokenContent, type Content, type DialogBox, type Hint } from './box.ts'

/** Enter does it. What cannot be undone wants a word typed, or `y`. */
export class ConfirmBox implements DialogBox {
  readonly width = 64
  readonly #confirmation: Confirmation
  readonly #answer: (yes: boolean) => void
  readonly #field: TextField | undefined

  constructor(confirmation: Confirmation, answer: (yes: boolean) => void) {
    this.#confirmation = confirmation
    this.#answer = answer
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
      { chord, word: this.#confirmation.act },
      { chord: 'escape', word: 'cancel' },
    ]
  }

  content(width: number): Content {
    const { body, typed } = this.#confirmation
    const lines = paragraphs(body, width)
    if (typed === undefined || this.#field === undefined) return { lines, slots: [] }
    const asked = [...lines, [], ...paragraphs([`Type ${typed} to go on:`], width, { bold: true })]
    return { lines: [...asked, []], slots: [{ pane: this.#field, row: asked.length, height: 1 }] }
  }

  input(input: Input): void {
    const chord = chordIn(input)
    if (chord === 'escape') this.#answer(false)
    else if (chord === (this.#actsOnY ? 'y' : 'enter')) {
      if (this.#field === undefined || this.#field.value.trim() === this.#confirmation.typed) this.#answer(true)
    } else this.#field?.input(input)
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
