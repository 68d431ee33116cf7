import { graphemeBoundary } from './graphemes.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** UTF-16 units looked at to each side of a place; of a longer word, a jump goes so far. */
const neighbourhood = 200

interface Word {
  readonly from: number
  readonly to: number
}

/** The words of a line around a column, in order, also of languages that write no spaces between them. */
function wordsAround(line: string, column: number): Word[] {
  let from = Math.max(0, column - neighbourhood)
  // A space is a safe place to begin at; without one, the first word may be cut.
  const space = from === 0 ? -1 : line.lastIndexOf(' ', from + neighbourhood / 2)
  from = space >= from ? space : graphemeBoundary(line, from)
  const words: Word[] = []
  for (const { index, segment, isWordLike } of segmenter.segment(line.slice(from, column + neighbourhood)))
    if (isWordLike === true) words.push({ from: from + index, to: from + index + segment.length })
  return words
}

/** Where the next word ends, or the line. */
export function wordEnd(line: string, column: number): number {
  for (const { to } of wordsAround(line, column)) if (to > column) return to
  return Math.min(line.length, column + neighbourhood)
}

/** Where the word before a column begins, or the line. */
export function wordStart(line: string, column: number): number {
  const before = wordsAround(line, column).findLast(({ from }) => from < column)
  return before?.from ?? Math.max(0, column - neighbourhood)
}

/** The word at a column, or the run of spaces or signs there. */
export function wordAt(line: string, column: number): Word {
  const word = wordsAround(line, column).find(({ from, to }) => from <= column && to >= column)
  if (word !== undefined) return word
  const at = Math.min(column, Math.max(0, line.length - 1))
  const isSpace = /\s/.test(line.charAt(at))
  const same = (index: number): boolean =>
    /\s/.test(line.charAt(index)) === isSpace && !/[\p{L}\p{N}]/u.test(line.charAt(index))
  let from = at
  let to = at
  while (from > 0 && at - from < neighbourhood && same(from - 1)) from--
  while (to < line.length && to - at < neighbourhood && same(to)) to++
  return { from, to }
}
