import type { Line, Span, Style } from './style.ts'
import { ascii, graphemesOf, graphemeWidth, widthOf } from './width.ts'

export function span(text: string, style?: Style): Span {
  return style === undefined ? { text } : { text, style }
}

export function lineWidth(line: Line): number {
  let width = 0
  for (const { text } of line) width += widthOf(text)
  return width
}

/** Columns `from` to `to` of a line; half of a wide character becomes a space. */
export function slice(line: Line, from: number, to: number): Line {
  const taken: Span[] = []
  let column = 0
  for (const piece of line) {
    const width = widthOf(piece.text)
    const end = column + width
    if (column >= from && end <= to) taken.push(piece)
    else if (end > from && column < to)
      taken.push({ ...piece, text: sliceText(piece.text, from - column, to - column) })
    column = end
    if (column >= to) break
  }
  return taken
}

function sliceText(text: string, from: number, to: number): string {
  if (ascii.test(text)) return text.slice(Math.max(0, from), to)
  let taken = ''
  let column = 0
  for (const grapheme of graphemesOf(text)) {
    const end = column + graphemeWidth(grapheme)
    if (column >= from && end <= to) taken += grapheme
    else if (end > from && column < to) taken += ' '
    column = end
  }
  return taken
}

/** A line of exactly so many columns: cut with `…`, or filled with spaces of the style. */
export function fit(line: Line, width: number, style?: Style): Line {
  const own = lineWidth(line)
  if (own < width) return [...line, span(' '.repeat(width - own), style)]
  if (own === width || width <= 0) return width <= 0 ? [] : line
  const cut = slice(line, 0, width - 1)
  return [...cut, span('…', cut.at(-1)?.style)]
}

/** A line with another one, of `width` columns, laid over it at a column. */
export function overlay(
  under: Line,
  over: Line,
  { column, width }: { readonly column: number; readonly width: number },
): Line {
  const before = fitPlain(slice(under, 0, column), column)
  return [
    ...before,
    ...fitPlain(slice(over, 0, width), width),
    ...slice(under, column + width, Number.POSITIVE_INFINITY),
  ]
}

function fitPlain(line: Line, width: number): Line {
  const missing = width - lineWidth(line)
  return missing <= 0 ? line : [...line, span(' '.repeat(missing))]
}

/** A text in lines of at most so many columns, broken at spaces; words that are longer are broken hard. Indents stay. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    const [indent] = /^ */.exec(paragraph) ?? ['']
    let line = ''
    for (const [index, word] of paragraph.slice(indent.length).split(' ').entries()) {
      const joined = index === 0 ? indent + word : line === '' ? word : `${line} ${word}`
      if (widthOf(joined) <= width) {
        line = joined
        continue
      }
      if (line !== '') lines.push(line)
      line = word
      while (widthOf(line) > width) {
        const head = sliceText(line, 0, Math.max(1, width))
        // Half of a wide character is no progress.
        const taken = head.trimEnd() === '' ? (graphemesOf(line)[0] ?? '') : head.trimEnd()
        lines.push(taken)
        line = line.slice(taken.length)
      }
    }
    lines.push(line)
  }
  return lines
}
