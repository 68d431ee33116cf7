import { chordOf, type Input } from '../canvas/input.ts'
import { span, wrapText } from '../canvas/lines.ts'
import type { Cursor, Pane, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { shown, widthOf } from '../canvas/width.ts'

/** What can be ticked. */
export interface Check {
  readonly value: string
  /** What it means, beside it. */
  readonly detail?: string
}

const box = { ticked: '[x] ', empty: '[ ] ' }

/** Any of several words, one below the other; ↑ and ↓ go to one, Space ticks it, and so does a click. */
export class ChecklistField implements Pane {
  readonly #checks: readonly Check[]
  readonly #ticked: Set<string>
  #index = 0
  #rows: readonly { readonly line: Line; readonly index: number }[] = []
  /** The keyboard is here: the row that Space ticks stands out. */
  isActive = false

  /** @param value those that are ticked, between commas */
  constructor(checks: readonly Check[], value: string) {
    this.#checks = checks
    const wanted = new Set(tickedIn(value))
    this.#ticked = new Set(checks.map((check) => check.value).filter((one) => wanted.has(one)))
  }

  /** Those that are ticked, in their order, between commas. */
  get value(): string {
    return this.#checks
      .map(({ value }) => value)
      .filter((value) => this.#ticked.has(value))
      .join(', ')
  }

  get cursor(): Cursor | undefined {
    const row = this.#rows.findIndex(({ index }) => index === this.#index)
    return row === -1 ? undefined : { row, column: 1 }
  }

  /** Rows that it takes in a width. */
  height(width: number): number {
    return this.#laidOut(width).length
  }

  /** Where there is no room for all, those around the one that the keyboard is at. */
  draw({ width, height }: Size): readonly Line[] {
    const all = this.#laidOut(width)
    const end = all.findLastIndex(({ index }) => index === this.#index) + 1
    const from = Math.max(0, Math.min(end - height, all.length - height))
    this.#rows = all.slice(from, from + height)
    return this.#rows.map(({ line }) => line)
  }

  /** ↑ on the first and ↓ on the last leave it. */
  input(input: Input): boolean {
    if (input.type === 'mouse') return this.#click(input.mouse)
    if (input.type !== 'key') return false
    const chord = chordOf(input.key)
    if (chord === 'space') return this.#tick(this.#index)
    const to = { up: this.#index - 1, down: this.#index + 1, home: 0, end: this.#checks.length - 1 }[chord]
    if (to === undefined || to < 0 || to >= this.#checks.length) return false
    this.#index = to
    return true
  }

  spoken(): string {
    const check = this.#checks[this.#index]
    if (check === undefined) return 'nothing to tick'
    const { value, detail = '' } = check
    const state = this.#ticked.has(value) ? 'ticked' : 'not ticked'
    const place = `${this.#index + 1} of ${this.#checks.length}`
    return [shown(value), state, shown(detail), place].filter((part) => part !== '').join(', ')
  }

  #tick(index: number): boolean {
    const check = this.#checks[index]
    if (check === undefined) return false
    this.#index = index
    if (!this.#ticked.delete(check.value)) this.#ticked.add(check.value)
    return true
  }

  #click({ action, row }: Extract<Input, { type: 'mouse' }>['mouse']): boolean {
    const at = action === 'press' ? this.#rows[row] : undefined
    return at !== undefined && this.#tick(at.index)
  }

  #laidOut(width: number): { readonly line: Line; readonly index: number }[] {
    const indent = Math.max(...this.#checks.map(({ value }) => widthOf(shown(value)))) + 2
    const room = Math.max(8, width - box.empty.length - indent)
    return this.#checks.flatMap(({ value, detail = '' }, index) => {
      const isTicked = this.#ticked.has(value)
      const word = shown(value)
      const label: Line = [
        span(isTicked ? box.ticked : box.empty, isTicked ? { color: 'success', bold: true } : { color: 'muted' }),
        span(word, this.isActive && index === this.#index ? { background: 'selected', bold: true } : undefined),
        span(' '.repeat(indent - widthOf(word))),
      ]
      return wrapText(shown(detail), room).map((text, at) => ({
        line: [...(at === 0 ? label : [span(' '.repeat(box.empty.length + indent))]), span(text, { color: 'muted' })],
        index,
      }))
    })
  }
}

/** The words of a checklist’s value. */
export function tickedIn(value: string): string[] {
  return value.split(/[\s,]+/).filter((word) => word !== '')
}
