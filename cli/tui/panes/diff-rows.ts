import type { DiffHunk, FileDiff } from '#contract/branches.ts'
import { fit, lineWidth, slice, span } from '../canvas/lines.ts'
import type { Background, Color, Line, Style } from '../canvas/style.ts'
import { graphemesOf, graphemeWidth, shown } from '../canvas/width.ts'

export type DiffLine = DiffHunk['lines'][number]

/** A row of a file’s diff. */
export interface DiffRow {
  /** Made when it is seen: a diff may have tens of thousands of rows. */
  readonly draw: () => Line
  /** Index of the file that it is of. */
  readonly file: number
  /** Index of the hunk; undefined: the heading of the file, or what is said in the place of its hunks. */
  readonly hunk?: number
  /** Line of the file as it is now, from 1: where an editor would open it. */
  readonly at: number
  /** A change begins here: what `]` goes to. */
  readonly begins?: boolean
  /** Between two files. */
  readonly isGap?: true
}

/** At this width both sides stand beside each other. */
const sideBySide = 140
/** Nobody reads a longer line to its end here. */
const longestLine = 20_000
const muted: Style = { color: 'muted' }
const edge = span(' │ ', muted)

interface Side {
  readonly number: number
  readonly line: DiffLine
}

/**
 * The hunks of a file in rows: one under the other, or where there is room for it both sides beside each other.
 * @param index of the file
 */
export function diffRows(file: FileDiff, index: number, width: number): DiffRow[] {
  const last = file.hunks.at(-1)
  const digits =
    last === undefined ? 1 : String(Math.max(last.oldStart + last.oldLines, last.newStart + last.newLines)).length
  const rows: DiffRow[] = []
  for (const [number, hunk] of file.hunks.entries()) {
    const title = hunkTitle(hunk, number === 0)
    const first = rows.length
    const put = (draw: () => Line, at: number): void => {
      rows.push({ draw, file: index, hunk: number, at, begins: rows.length === first })
    }
    if (title !== '') put(() => [span(title, muted)], hunk.newStart)
    if (width >= sideBySide) besides(hunk, { width, digits }, put)
    else unified(hunk, { width, digits }, put)
  }
  return rows
}

type Put = (draw: () => Line, at: number) => void

function hunkTitle({ newStart, newLines, oldStart }: DiffHunk, isFirst: boolean): string {
  const first = newLines === 0 ? oldStart : newStart
  return isFirst && first <= 1 ? '' : `⋯ line ${first}`
}

interface Measures {
  readonly width: number
  readonly digits: number
}

function unified(hunk: DiffHunk, { width, digits }: Measures, put: Put): void {
  let before = hunk.oldStart
  let after = hunk.newStart
  for (const line of hunk.lines) {
    const at = Math.max(1, after)
    const left = line.kind === 'added' ? '' : String(before++)
    const right = line.kind === 'deleted' ? '' : String(after++)
    const { height, row } = laid(line, `${left.padStart(digits)} ${right.padStart(digits)}`, width)
    for (let part = 0; part < height; part++) put(() => row(part), at)
  }
}

/** Deleted lines beside the added ones that took their place. */
function besides(hunk: DiffHunk, { width, digits }: Measures, put: Put): void {
  const half = Math.floor((width - lineWidth([edge])) / 2)
  let left: Side[] = []
  let right: Side[] = []
  let before = hunk.oldStart
  let after = hunk.newStart
  const pair = (one: Side | undefined, other: Side | undefined): void => {
    const [lefts, rights] = [one, other].map((side) =>
      side === undefined ? undefined : laid(side.line, String(side.number).padStart(digits), half),
    )
    const height = Math.max(lefts?.height ?? 0, rights?.height ?? 0)
    const at = Math.max(1, other?.number ?? after)
    for (let part = 0; part < height; part++) {
      put(() => [...fit(lefts?.row(part) ?? [], half), edge, ...(rights?.row(part) ?? [])], at)
    }
  }
  const settle = (): void => {
    for (let at = 0; at < Math.max(left.length, right.length); at++) pair(left[at], right[at])
    left = []
    right = []
  }
  for (const line of hunk.lines) {
    if (line.kind === 'deleted') {
      if (right.length > 0) settle()
      left.push({ number: before++, line })
    } else if (line.kind === 'added') right.push({ number: after++, line })
    else {
      settle()
      pair({ number: before++, line }, { number: after++, line })
    }
  }
  settle()
}

const looks = {
  context: { sign: ' ', color: undefined, background: undefined, word: undefined },
  added: { sign: '+', color: 'added', background: 'added', word: 'addedWord' },
  deleted: { sign: '−', color: 'deleted', background: 'deleted', word: 'deletedWord' },
} as const satisfies Record<
  DiffLine['kind'],
  {
    readonly sign: string
    readonly color: Color | undefined
    readonly background: Background | undefined
    readonly word: Background | undefined
  }
>

interface Laid {
  readonly height: number
  /** Empty below the last one. */
  readonly row: (index: number) => Line
}

/** A line behind its number and its sign, wrapped; its changed words stand out. */
function laid(line: DiffLine, gutter: string, width: number): Laid {
  const { sign, color, background, word } = looks[line.kind]
  const style: Style | undefined = color === undefined ? undefined : { color, background }
  const room = Math.max(8, width - gutter.length - 3)
  const ends = breaksOf(
    piecesOf(line)
      .map(({ text }) => text)
      .join(''),
    room,
  )
  let spans: Line | undefined
  const row = (index: number): Line => {
    if (index > ends.length || (index === ends.length && line.unterminated !== true)) return []
    spans ??= piecesOf(line).map(({ text, changed }) =>
      span(text, changed && word !== undefined ? { ...style, background: word, bold: true } : style),
    )
    const part =
      index === ends.length ? [span('(no line end)', muted)] : slice(spans, ends[index - 1] ?? 0, ends[index] ?? 0)
    const head = [
      span(`${index === 0 ? gutter : ' '.repeat(gutter.length)} `, muted),
      span(`${index === 0 ? sign : ' '} `, style),
    ]
    return style === undefined ? [...head, ...part] : [...head, ...fit(part, room, style)]
  }
  return { height: ends.length + (line.unterminated === true ? 1 : 0), row }
}

interface Piece {
  readonly text: string
  readonly changed: boolean
}

function piecesOf({ kind, text, words }: DiffLine): readonly Piece[] {
  // The carriage return of a line that is the same on both sides tells nothing.
  const visible = (part: string): string => shown(part.replace(/\r$/, kind === 'context' ? '' : '␍'))
  if (text.length > longestLine) {
    const more = ` … ${text.length - longestLine} more characters`
    return [{ text: visible(text.slice(0, longestLine)) + more, changed: false }]
  }
  if (words === undefined) return [{ text: visible(text), changed: false }]
  return words.map((piece) => ({ text: visible(piece.text), changed: piece.changed }))
}

/** Columns of a character that is one by itself; undefined where that takes a closer look. */
function plainWidth(code: number): 1 | 2 | undefined {
  if (code < 0x2_00) return 1
  const isWide =
    (code >= 0x30_41 && code <= 0x9f_ff) || (code >= 0xac_00 && code <= 0xd7_a3) || code === 0x30_01 || code === 0x30_02
  return isWide && (code < 0x30_99 || code > 0x30_9a) ? 2 : undefined
}

/** The columns in which the rows of a text end, broken behind spaces where it has any; nothing of it is left out. */
export function breaksOf(text: string, width: number): number[] {
  const breaks = new Breaks(width)
  for (let at = 0; at < text.length; at++) {
    const own = plainWidth(text.charCodeAt(at))
    if (own === undefined) return carefulBreaks(text, width)
    breaks.put(own, text[at] === ' ')
  }
  return breaks.end()
}

function carefulBreaks(text: string, width: number): number[] {
  const breaks = new Breaks(width)
  for (const grapheme of graphemesOf(text)) breaks.put(graphemeWidth(grapheme), grapheme === ' ')
  return breaks.end()
}

class Breaks {
  readonly #width: number
  readonly #ends: number[] = []
  #start = 0
  #column = 0
  #afterSpace = 0

  constructor(width: number) {
    this.#width = width
  }

  put(own: number, isSpace: boolean): void {
    if (own > 0 && this.#column + own - this.#start > this.#width) {
      const end = !isSpace && this.#afterSpace > this.#start ? this.#afterSpace : this.#column
      this.#ends.push(end)
      this.#start = end
    }
    this.#column += own
    if (isSpace) this.#afterSpace = this.#column
  }

  end(): number[] {
    if (this.#column > this.#start || this.#ends.length === 0) this.#ends.push(this.#column)
    return this.#ends
  }
}
