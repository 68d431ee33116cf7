import { chordOf, type Input } from '../canvas/input.ts'
import { fit, lineWidth, slice, span } from '../canvas/lines.ts'
import type { Pane, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { shown, widthOf } from '../canvas/width.ts'

/** One of several words in a row; ← and → choose, and so does a click. */
export class ChoiceField implements Pane {
  readonly #choices: readonly string[]
  #index: number
  /** Columns that are hidden at the left, where not all words have room. */
  #hidden = 0

  constructor(choices: readonly string[], value: string) {
    this.#choices = choices
    this.#index = Math.max(0, choices.indexOf(value))
  }

  get value(): string {
    return this.#choices[this.#index] ?? ''
  }

  draw({ width }: Size): readonly Line[] {
    const words: Line = this.#choices.map((choice, index) =>
      span(` ${shown(choice)} `, index === this.#index ? { background: 'selected', bold: true } : { color: 'muted' }),
    )
    const begin = lineWidth(words.slice(0, this.#index))
    const end = begin + lineWidth(words.slice(this.#index, this.#index + 1))
    const isLast = this.#index === words.length - 1
    // The chosen word is seen, and a mark where there are more at either side.
    this.#hidden = Math.max(0, Math.min(begin - 1, end + (isLast ? 0 : 1) - width))
    const line = fit(slice(words, this.#hidden, lineWidth(words)), width)
    return [this.#hidden === 0 ? line : [span('…', { color: 'muted' }), ...slice(line, 1, width)]]
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') return this.#click(input.mouse)
    if (input.type !== 'key') return false
    const step = { left: -1, right: 1, space: 1 }[chordOf(input.key)]
    if (step === undefined) return false
    this.#index = (this.#index + step + this.#choices.length) % this.#choices.length
    return true
  }

  spoken(): string {
    return `${this.value}, ${this.#index + 1} of ${this.#choices.length}`
  }

  #click({ action, column }: Extract<Input, { type: 'mouse' }>['mouse']): boolean {
    if (action !== 'press') return false
    let end = -this.#hidden
    const index = this.#choices.findIndex((choice) => column < (end += widthOf(shown(choice)) + 2))
    if (index >= 0) this.#index = index
    return index >= 0
  }
}
