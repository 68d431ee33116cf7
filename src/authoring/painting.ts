import { textColors, type TextColor, type TextStyle } from './text-style.ts'
import type { StyledRange } from './language.ts'

/** More of a line is not looked at: nobody reads so long a line by its colours, and each look at it takes time. */
export const longestColored = 5_000

export const bold = 1
export const italic = 2
export const underline = 4
export const strikethrough = 8

/** 0: none. */
const paints: readonly (TextColor | undefined)[] = [undefined, ...textColors]
const numbers = new Map(paints.map((color, number) => [color, number]))
const styles = new Map<number, TextStyle>()

/** What a tokenizer tells of a line: colours, of which the last one counts, and marks, which add up. */
export interface Paint {
  color(from: number, to: number, color: TextColor): void
  mark(from: number, to: number, marks: number): void
}

/** For whoever wants to know only how a line ends. */
export const noPaint: Paint = {
  color: () => undefined,
  mark: () => undefined,
}

/** A paint by columns: whatever is told, in whatever order, the ranges are in order and without overlaps. */
export class LinePaint implements Paint {
  readonly #colors = new Uint8Array(longestColored)
  readonly #marks = new Uint8Array(longestColored)
  #used = 0

  color(from: number, to: number, color: TextColor): void {
    this.#fill(this.#colors, from, to, numbers.get(color) ?? 0)
  }

  mark(from: number, to: number, marks: number): void {
    const end = Math.min(to, longestColored)
    for (let at = from; at < end; at++) this.#marks[at] = (this.#marks[at] ?? 0) | marks
    this.#used = Math.max(this.#used, end)
  }

  #fill(columns: Uint8Array, from: number, to: number, value: number): void {
    const end = Math.min(to, longestColored)
    if (from < end) columns.fill(value, from, end)
    this.#used = Math.max(this.#used, end)
  }

  /** The ranges of a line of this length; begins anew. */
  take(length: number): StyledRange[] {
    const ranges: StyledRange[] = []
    const end = Math.min(length, this.#used)
    for (let from = 0; from < end;) {
      const key = this.#keyAt(from)
      let to = from + 1
      while (to < end && this.#keyAt(to) === key) to++
      if (key !== 0) ranges.push({ from, to, style: styleOf(key) })
      from = to
    }
    this.#colors.fill(0, 0, this.#used)
    this.#marks.fill(0, 0, this.#used)
    this.#used = 0
    return ranges
  }

  #keyAt(column: number): number {
    return ((this.#colors[column] ?? 0) << 4) | (this.#marks[column] ?? 0)
  }
}

function styleOf(key: number): TextStyle {
  const known = styles.get(key)
  if (known !== undefined) return known
  const color = paints[key >> 4]
  const style: TextStyle = {
    ...(color === undefined ? {} : { color }),
    ...((key & bold) === 0 ? {} : { bold: true }),
    ...((key & italic) === 0 ? {} : { italic: true }),
    ...((key & underline) === 0 ? {} : { underline: true }),
    ...((key & strikethrough) === 0 ? {} : { strikethrough: true }),
  }
  styles.set(key, style)
  return style
}
