import type { Steps } from './slices.ts'

/** A line that has what was looked for. */
export interface LineMatch {
  /** From 1. */
  readonly line: number
  /** Of the first match in the line; UTF-16 units, from 1. */
  readonly column: number
  /** The line; of a long one, what stands around the match. */
  readonly text: string
  /** Where the match begins and ends in `text`; UTF-16 units, from 0. */
  readonly start: number
  readonly end: number
}

export interface LineSearch {
  /** With a line end in it, it is in no line. */
  readonly wanted: string
  /** Whether capitals count. */
  readonly exact: boolean
  /** Lines, at most. */
  readonly most: number
  /** UTF-16 units of a line that are told, at most. */
  readonly shown: number
}

/** Units that are looked through without a pause; where text and what is wanted repeat, a step takes a millisecond. */
const step = 8192
const stepLines = 500
/** Units that are shown before a match in a long line, where there is room. */
const lead = 80

/** The lines of a text that contain another one, in order. */
export function* linesWith(text: string, { wanted, exact, most, shown }: LineSearch): Steps<LineMatch[]> {
  if (wanted === '' || wanted.includes('\n')) return []
  const looked = exact ? text : yield* folded(text)
  const needle = exact ? wanted : foldedPart(wanted)
  const found: LineMatch[] = []
  let line = 1
  let start = 0
  for (let from = 0; found.length < most;) {
    const at = yield* indexFrom(looked, needle, from)
    if (at === -1) break
    let end = looked.indexOf('\n', start)
    for (; end !== -1 && end < at; end = looked.indexOf('\n', start)) {
      if (line % stepLines === 0) yield 'large'
      line += 1
      start = end + 1
    }
    const stop = end === -1 ? looked.length : end
    found.push({ line, column: at - start + 1, ...clipOf(text, { start, stop, at, length: needle.length, shown }) })
    from = stop + 1
    yield 'large'
  }
  return found
}

function* indexFrom(text: string, needle: string, from: number): Steps<number> {
  for (let start = from; start <= text.length - needle.length; start += step) {
    const at = text.slice(start, start + step + needle.length - 1).indexOf(needle)
    if (at !== -1) return start + at
    yield 'large'
  }
  return -1
}

/** In lower case, of the same length: places in it are places in the text. */
function* folded(text: string): Steps<string> {
  const parts: string[] = []
  for (let start = 0; start < text.length;) {
    const end = start + step
    // A character of two units is folded whole.
    const stop = isLow(text, end) ? end + 1 : end
    parts.push(foldedPart(text.slice(start, stop)))
    start = stop
    yield 'large'
  }
  return parts.join('')
}

/** The one letter whose lower case is longer: it stays as it is. */
const dotted = 'İ'

function foldedPart(part: string): string {
  const lower = part.toLowerCase()
  const same = lower.length === part.length ? lower : part.split(dotted).map(lowered).join(dotted)
  // Which of the two a capital becomes depends on what follows it.
  return same.replaceAll('ς', 'σ')
}

const lowered = (text: string): string => text.toLowerCase()

interface Place {
  /** Of the line. */
  readonly start: number
  readonly stop: number
  /** Of the match. */
  readonly at: number
  readonly length: number
  readonly shown: number
}

function clipOf(text: string, { start, stop, at, length, shown }: Place): Pick<LineMatch, 'text' | 'start' | 'end'> {
  const last = text[stop - 1] === '\r' && stop > at + length ? stop - 1 : stop
  let from = start
  let to = last
  if (last - start > shown) {
    from = Math.max(start, Math.min(at - Math.max(0, Math.min(lead, shown - length)), last - shown))
    to = Math.min(last, Math.max(from + shown, at + length))
    if (from > start && from < at && isLow(text, from)) from += 1
    if (to < last && to > at + length && isLow(text, to)) to -= 1
  }
  return { text: text.slice(from, to), start: at - from, end: at - from + length }
}

/** Whether a character begins before this unit. */
function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}
