import { graphemesOf, graphemeWidth, isAlone, runEnd, simpleWidth } from '../canvas/width.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** UTF-16 units looked at around a place: a line may be 5 MB long, a user-perceived character is seldom longer than 30. */
const neighbourhood = 256

/** Columns from one tab stop to the next. */
export const tabWidth = 4

/** Printable ASCII, and beyond it everything below the first combining mark. */
function stands(code: number): boolean {
  return code >= 0x20 && code < 0x300 && code !== 0xad
}

/** Where the user-perceived character that begins at a column ends; the column itself at the end of the line. */
export function graphemeEnd(line: string, column: number): number {
  if (column >= line.length) return line.length
  const next = column + 1
  if (stands(line.charCodeAt(column)) && (next === line.length || stands(line.charCodeAt(next)))) return next
  const [first] = segmenter.segment(line.slice(column, column + neighbourhood))
  return column + (first?.segment.length ?? 1)
}

/** Where the user-perceived character that ends at a column, or has it in its middle, begins; 0 at the beginning. */
export function graphemeStart(line: string, column: number): number {
  if (column <= 1) return 0
  const end = Math.min(column, line.length)
  if (stands(line.charCodeAt(end - 1)) && stands(line.charCodeAt(end - 2))) return end - 1
  const from = safeStart(line, end)
  let start = from
  for (const { index } of segmenter.segment(line.slice(from, end + neighbourhood))) {
    if (from + index >= end) break
    start = from + index
  }
  return start
}

/** The nearest place at or before a column that is not in the middle of a user-perceived character. */
export function graphemeBoundary(line: string, column: number): number {
  if (column <= 0) return 0
  if (column >= line.length) return line.length
  const start = graphemeStart(line, column)
  return graphemeEnd(line, start) <= column ? column : start
}

/** A place before a column, not far, where a user-perceived character surely begins. */
function safeStart(line: string, column: number): number {
  const last = Math.max(0, column - neighbourhood)
  for (let at = column - 1; at > last; at--)
    if (stands(line.charCodeAt(at)) && stands(line.charCodeAt(at - 1))) return at
  // Between the halves of a pair would be the one place that is surely wrong.
  const isLowHalf = (line.charCodeAt(last) & 0xfc_00) === 0xdc_00
  return last > 0 && isLowHalf ? last - 1 : last
}

/** What a user-perceived character looks like in an editor. */
export interface Cell {
  /** UTF-16 units into the text that was asked about. */
  readonly index: number
  readonly length: number
  /** Printable. */
  readonly text: string
  /** Columns of the terminal, at least 1: what is in the text can be seen, and the cursor can stand on it. */
  readonly width: number
  /** The text is a symbol for a character that has no look of its own. */
  readonly symbol: boolean
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** @param column where a tab stands, of the terminal */
function look(grapheme: string, column: number): { text: string; width: number; symbol: boolean } {
  if (grapheme === '\t') {
    const width = tabWidth - (column % tabWidth)
    return { text: ' '.repeat(width), width, symbol: false }
  }
  const width = graphemeWidth(grapheme)
  const [first = ''] = grapheme
  if (width > 0 && !unprintable.test(first)) return { text: grapheme, width, symbol: false }
  const code = first.codePointAt(0) ?? 0
  if (code < 0x20) return { text: String.fromCodePoint(0x24_00 + code), width: 1, symbol: true }
  if (code === 0x7f) return { text: '\u2421', width: 1, symbol: true }
  if (/\p{M}/u.test(first)) return { text: `\u25CC${grapheme}`, width: 1, symbol: true }
  return { text: '\uFFFD', width: 1, symbol: true }
}

/** The cells of a text, which is cut at user-perceived characters. @param column where it begins, for the tabs in it */
export function cellsOf(text: string, column = 0): readonly Cell[] {
  const cells: Cell[] = []
  let at = column
  for (let index = 0; index < text.length;) {
    if (isAlone(text, index)) {
      const width = simpleWidth(text.charCodeAt(index))
      cells.push({ index, length: 1, text: text.charAt(index), width, symbol: false })
      at += width
      index++
      continue
    }
    // Up to where two simple characters follow each other, whoever knows all of Unicode is asked.
    const end = runEnd(text, index)
    for (const grapheme of graphemesOf(text.slice(index, end))) {
      const cell = look(grapheme, at)
      cells.push({ index, length: grapheme.length, ...cell })
      index += grapheme.length
      at += cell.width
    }
  }
  return cells
}

const plain = /^[\x20-\x7e]*$/

/** Columns that a text takes in an editor. @param column where it begins */
export function cellsWidth(text: string, column = 0): number {
  if (plain.test(text)) return text.length
  let at = column
  for (const { width } of cellsOf(text, column)) at += width
  return at - column
}
