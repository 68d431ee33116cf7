import { LRUCache } from 'lru-cache'
import { type Cell, cellsOf, cellsWidth, graphemeBoundary } from './graphemes.ts'
import { detached } from '#authoring/fragment.ts'
import type { Lines, Position } from '#authoring/lines.ts'

/** A row of the screen: UTF-16 units `from` up to, not including, `to` of a line. */
export interface Row {
  readonly line: number
  readonly from: number
  readonly to: number
  /** Columns in front of it, under the text of a list item or a quote. */
  readonly indent: number
}

/**
 * A longer line is wrapped in parts of this length, each by itself, so that a line of 5 MB costs no more than what is
 * seen of it. A row may end early where a part does.
 */
const partLength = 2_000

/** What continues under its own text: quotes, list items, task boxes, and what is indented. */
const hanging = /^[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/

const plain = /^[\x20-\x7e]*$/

/** No row begins with these, nor ends with those, in the scripts that break between any two characters. */
const closes = /^[、。，．：；！？）」』】〉》〕］｝’”…ー々\p{Pe}\p{Pf}]/u
const opens = /^[（「『【〈《〔［｛‘“\p{Ps}\p{Pi}]/u

/**
 * A text as rows of a width, broken at words. Nothing is wrapped before it is asked for; what was is known by its text,
 * so that a change costs the line that it is in.
 */
export class Wrap {
  readonly #lines: Lines
  /** Where the rows of a line begin, by its text. */
  readonly #known = new LRUCache<string, readonly number[]>({ max: 4_000 })
  /** The same of the parts of long lines. */
  readonly #knownParts = new LRUCache<string, readonly number[]>({ max: 200 })
  #width = 80

  constructor(lines: Lines) {
    this.#lines = lines
  }

  get width(): number {
    return this.#width
  }

  set width(width: number) {
    if (width === this.#width) return
    this.#width = Math.max(2, width)
    this.#known.clear()
    this.#knownParts.clear()
  }

  /** The row in which a position is; between two rows, the second. */
  rowAt({ line, column }: Position): Row {
    const text = this.#lines.at(line)
    const rows = this.#rowsAround(text, column)
    let row = 0
    while (row + 1 < rows.length && (rows[row + 1]?.from ?? 0) <= column) row++
    return { line, ...(rows[row] ?? { from: 0, to: text.length, indent: 0 }) }
  }

  next({ line, to }: Row): Row | undefined {
    if (to < this.#lines.at(line).length) return this.rowAt({ line, column: to })
    return line + 1 < this.#lines.count ? this.rowAt({ line: line + 1, column: 0 }) : undefined
  }

  previous({ line, from }: Row): Row | undefined {
    if (from > 0) return this.rowAt({ line, column: from - 1 })
    return line > 0 ? this.rowAt({ line: line - 1, column: this.#lines.at(line - 1).length }) : undefined
  }

  /** So many rows further down, or up where `count` is below zero; the first or last row where there are not so many. */
  step(row: Row, count: number): Row {
    let at = row
    for (let left = Math.abs(count); left > 0; left--) {
      const next = count > 0 ? this.next(at) : this.previous(at)
      if (next === undefined) return at
      at = next
    }
    return at
  }

  /** Columns of the row to the left of a position in it, with the indent. */
  columnOf(row: Row, position: Position): number {
    const text = this.#lines.at(row.line).slice(row.from, Math.max(row.from, position.column))
    return row.indent + cellsWidth(text, row.indent)
  }

  /** The position in a row that is nearest to a column. */
  positionIn(row: Row, column: number): Position {
    const text = this.#lines.at(row.line)
    let at = row.indent
    for (const cell of cellsOf(text.slice(row.from, row.to), row.indent)) {
      // The second half of a wide character is nearer to what stands behind it.
      if (at + Math.ceil(cell.width / 2) > column) return { line: row.line, column: row.from + cell.index }
      at += cell.width
    }
    return { line: row.line, column: this.lastOf(row) }
  }

  /** The last place of a row at which the cursor stands in this row and not in the next one. */
  lastOf({ line, to }: Row): number {
    const text = this.#lines.at(line)
    return to < text.length ? graphemeBoundary(text, to - 1) : to
  }

  #rowsAround(text: string, column: number): { from: number; to: number; indent: number }[] {
    if (text.length <= partLength) {
      const indent = this.#indentOf(text)
      const starts = known(this.#known, text, () => startsOf(text, this.#width, indent))
      return rowsFrom(starts, { begin: 0, end: text.length, indent })
    }
    const part = Math.min(Math.floor(column / partLength), Math.floor((text.length - 1) / partLength))
    let begin = partStart(text, part)
    let end = partStart(text, part + 1)
    if (column < begin) [begin, end] = [partStart(text, part - 1), begin]
    else if (column >= end && end < text.length) [begin, end] = [end, partStart(text, part + 2)]
    const own = detached(text.slice(begin, end))
    const starts = known(this.#knownParts, own, () => startsOf(own, this.#width, 0))
    return rowsFrom(starts, { begin, end, indent: 0 })
  }

  #indentOf(text: string): number {
    if (text.length < this.#width / 2) return 0
    const width = cellsWidth(hanging.exec(text)?.[0] ?? '')
    return width <= this.#width / 2 ? width : 0
  }
}

function known(
  cache: LRUCache<string, readonly number[]>,
  text: string,
  make: () => readonly number[],
): readonly number[] {
  const value = cache.get(text) ?? make()
  cache.set(text, value)
  return value
}

function rowsFrom(
  starts: readonly number[],
  { begin, end, indent }: { readonly begin: number; readonly end: number; readonly indent: number },
): { from: number; to: number; indent: number }[] {
  return starts.map((from, row) => ({
    from: begin + from,
    to: row + 1 < starts.length ? begin + (starts[row + 1] ?? 0) : end,
    indent: row === 0 ? 0 : indent,
  }))
}

function partStart(text: string, part: number): number {
  return graphemeBoundary(text, part * partLength)
}

/** Where the rows of a text begin. */
function startsOf(text: string, width: number, indent: number): readonly number[] {
  if (text.length <= width && plain.test(text)) return [0]
  return plain.test(text) ? plainStarts(text, width, indent) : cellStarts(text, width, indent)
}

/** Of text in which each unit is a column. Spaces at the end of a row hang over its edge. */
function plainStarts(text: string, width: number, indent: number): readonly number[] {
  const starts = [0]
  let from = 0
  let room = width
  while (text.length - from > room) {
    let to = text.lastIndexOf(' ', from + room) + 1
    while (to > from && text.charCodeAt(to) === 0x20) to++
    // In the indent of a line, too, no row ends.
    if (to <= from || text.slice(from, to).trim() === '') to = hyphen(text, from, from + room) ?? from + room
    if (to >= text.length) break
    starts.push(to)
    from = to
    room = width - indent
  }
  return starts
}

/** Behind the last hyphen or slash between letters, for words that are longer than a row. */
function hyphen(text: string, from: number, limit: number): number | undefined {
  for (let at = limit - 1; at > from + 10; at--)
    if (/[-/]/.test(text.charAt(at - 1)) && /\w/.test(text.charAt(at))) return at
  return undefined
}

/** Of any text, by user-perceived characters. */
function cellStarts(text: string, width: number, indent: number): readonly number[] {
  const starts = [0]
  const cells = cellsOf(text)
  let first = 0
  let lastBreak = 0
  let column = 0
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at]
    if (cell === undefined) break
    const tab = text.charCodeAt(cell.index) === 9
    const isSpace = tab || cell.text === ' '
    if (at > first && breaks(cells[at - 1], cell)) lastBreak = at
    // The tabs of `cells` count from the beginning of the line.
    const cellWidth = tab ? cellsWidth('\t', column) : cell.width
    if (column + cellWidth > width && !isSpace && at > first) {
      const to = lastBreak > first ? lastBreak : at
      starts.push(cells[to]?.index ?? text.length)
      first = to
      lastBreak = to
      column = indent
      // Goes over the cells of the new row once more.
      at = to - 1
      continue
    }
    column += cellWidth
  }
  return starts
}

/** Whether a row may end between two characters that follow each other. */
function breaks(before: Cell | undefined, after: Cell): boolean {
  if (before === undefined || after.text.startsWith(' ')) return false
  if (before.text.endsWith(' ')) return true
  // Chinese and Japanese write without spaces; what takes two columns is one of them, or an emoji.
  if (before.width === 2 || after.width === 2) return !closes.test(after.text) && !opens.test(before.text)
  return false
}
