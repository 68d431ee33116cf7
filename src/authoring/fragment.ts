import type { Position } from './lines.ts'

export type LineEnd = '\n' | '\r\n' | '\r'

/** A piece of text by lines, each with the end that it has in the file; there is one end less than lines. */
export interface Fragment {
  readonly lines: readonly string[]
  readonly ends: readonly LineEnd[]
}

/** A text with its line ends as they are. Joined again, it is the same text. */
export function fragmentOf(text: string): Fragment {
  if (!text.includes('\r')) {
    const lines = text.split('\n')
    return { lines, ends: Array.from<LineEnd>({ length: lines.length - 1 }).fill('\n') }
  }
  const lines: string[] = []
  const ends: LineEnd[] = []
  let from = 0
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push(text.slice(from, match.index))
    ends.push(match[0] as LineEnd)
    from = match.index + match[0].length
  }
  lines.push(text.slice(from))
  return { lines, ends }
}

/** A text whose line ends all become the given one. */
export function fragmentWith(text: string, end: LineEnd): Fragment {
  const { lines } = fragmentOf(text)
  return { lines, ends: Array.from<LineEnd>({ length: lines.length - 1 }).fill(end) }
}

export function textOf({ lines, ends }: Fragment): string {
  const [end = '\n'] = ends
  if (ends.every((other) => other === end)) return lines.join(end)
  const pieces: string[] = []
  for (const [index, line] of lines.entries()) pieces.push(line, ends[index] ?? '')
  return pieces.join('')
}

/** Lines that are joined in one go: few enough that what comes of them is soon forgotten. */
const pieceLines = 500

/** As `textOf`, piece by piece, so that other work gets its turn between them. */
export function* piecesOf({ lines, ends }: Fragment): Generator<string, void, undefined> {
  for (let start = 0; start < lines.length; start += pieceLines) {
    const piece = { lines: lines.slice(start, start + pieceLines), ends: ends.slice(start, start + pieceLines - 1) }
    yield textOf(piece) + (ends[start + pieceLines - 1] ?? '')
  }
}

/** Where a fragment ends that begins at a position. */
export function endAt({ line, column }: Position, { lines }: Fragment): Position {
  const last = lines.at(-1) ?? ''
  return lines.length === 1
    ? { line, column: column + last.length }
    : { line: line + lines.length - 1, column: last.length }
}

/** UTF-16 units of it, its line ends each counted as one. */
export function unitsOf({ lines }: Fragment): number {
  let units = lines.length - 1
  for (const line of lines) units += line.length
  return units
}

/** The end that most lines have. */
export function dominantEnd({ ends }: Fragment): LineEnd {
  const counts: Record<LineEnd, number> = { '\n': 0, '\r\n': 0, '\r': 0 }
  for (const end of ends) counts[end]++
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n'
  return counts['\r'] > counts['\n'] ? '\r' : '\n'
}

/**
 * The same text in memory of its own: a piece of a string keeps the whole string in memory, which matters where that is
 * a line of 5 MB and the piece is kept.
 */
export function detached(piece: string): string {
  return ` ${piece}`.slice(1)
}
