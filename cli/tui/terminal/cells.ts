import { graphemesOf, graphemeWidth, isSure } from '../canvas/width.ts'
import type { Line } from '../canvas/style.ts'
import type { Theme } from './theme.ts'

/** A row of the screen, column by column. */
export interface Cells {
  /** What stands in a column; empty in the second one of a wide character. */
  readonly texts: string[]
  /** Parameters of its style; `0` is none. */
  readonly styles: string[]
  /** Holds something whose width terminals disagree about. */
  unsure: boolean
}

const control = /\p{Cc}/gu
const ascii = /^[\x20-\x7e]*$/
/** A line as a row of exactly `width` columns: cut, or filled with spaces. */
export function cellsOf(line: Line, width: number, theme: Theme): Cells {
  const cells: Cells = { texts: [], styles: [], unsure: false }
  for (const { text, style } of line) {
    if (cells.texts.length >= width) break
    const sgr = theme.sgr(style)
    if (ascii.test(text)) addAscii(cells, text, { sgr, width })
    else addGraphemes(cells, text, { sgr, width })
  }
  while (cells.texts.length < width) {
    cells.texts.push(' ')
    cells.styles.push('0')
  }
  return cells
}

interface Piece {
  readonly sgr: string
  readonly width: number
}

function addAscii({ texts, styles }: Cells, text: string, { sgr, width }: Piece): void {
  const end = Math.min(text.length, width - texts.length)
  for (let index = 0; index < end; index++) {
    texts.push(text[index] ?? ' ')
    styles.push(sgr)
  }
}

function addGraphemes(cells: Cells, text: string, { sgr, width }: Piece): void {
  const { texts, styles } = cells
  // Panes see to it; what they miss must not be obeyed.
  for (const grapheme of graphemesOf(text.replace(control, '\uFFFD'))) {
    const columns = graphemeWidth(grapheme)
    if (columns === 0) {
      // A mark without a letter belongs to what stands before it.
      const before = texts.at(-1) === '' ? texts.length - 2 : texts.length - 1
      if (before >= 0) texts[before] += grapheme
      cells.unsure = true
      continue
    }
    if (texts.length + columns > width) {
      // Half a wide character does not fit.
      while (texts.length < width) {
        texts.push(' ')
        styles.push(sgr)
      }
      return
    }
    texts.push(grapheme)
    styles.push(sgr)
    if (columns === 2) {
      texts.push('')
      styles.push(sgr)
    }
    cells.unsure ||= !isSure(grapheme)
  }
}

/**
 * Columns in which two rows differ: from `from` up to, not including, `to`; undefined where they do not. Wide characters
 * are whole in it. Behind something unsure everything is written again, because it may stand elsewhere.
 */
export function difference(before: Cells, after: Cells): { readonly from: number; readonly to: number } | undefined {
  const width = after.texts.length
  const isSame = (column: number): boolean =>
    before.texts[column] === after.texts[column] && before.styles[column] === after.styles[column]
  let from = 0
  while (from < width && isSame(from)) from++
  if (from === width) return undefined
  let to = width
  if (!before.unsure && !after.unsure) {
    while (to > from && isSame(to - 1)) to--
    while (to < width && (before.texts[to] === '' || after.texts[to] === '')) to++
  }
  while (from > 0 && (before.texts[from] === '' || after.texts[from] === '')) from--
  return { from, to }
}

/** Columns that are left to the end of the row where nothing but spaces without a style is. */
export function blankFrom({ texts, styles }: Cells): number {
  let column = texts.length
  while (column > 0 && texts[column - 1] === ' ' && styles[column - 1] === '0') column--
  return column
}
