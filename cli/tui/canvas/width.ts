import { eastAsianWidth } from 'get-east-asian-width'
import { printable } from '../../output.ts'
import type { Line } from './style.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Of a text of nothing else, a unit is a column. */
export const ascii = /^[\x20-\x7e]*$/
const emoji = /\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}{2}/u
const invisible = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

/** User-perceived characters of a text, in order. */
export function graphemesOf(text: string): string[] {
  if (ascii.test(text)) return text.split('')
  const found: string[] = []
  for (let at = 0; at < text.length;) {
    if (isAlone(text, at)) {
      found.push(text[at] ?? '')
      at++
      continue
    }
    const end = runEnd(text, at)
    for (const grapheme of graphemesOfRun(text.slice(at, end))) found.push(grapheme)
    at = end
  }
  return found
}

/** Short runs, such as an emoji between two words: they are on the screen again and again. */
const knownRuns = new Map<string, readonly string[]>()
const mostKnown = 2_000
const longestKnown = 64

/** User-perceived characters by the tables of Unicode, which takes some microseconds however short the text is. */
function graphemesOfRun(run: string): readonly string[] {
  const known = knownRuns.get(run)
  if (known !== undefined) return known
  const found = Array.from(graphemes.segment(run), ({ segment }) => segment)
  if (run.length > longestKnown) return found
  if (knownRuns.size >= mostKnown) knownRuns.clear()
  // A piece of a line would keep the line in memory.
  knownRuns.set(` ${run}`.slice(1), found)
  return found
}

/** Columns that a user-perceived character takes in a terminal: 0, 1 or 2. */
export function graphemeWidth(grapheme: string): 0 | 1 | 2 {
  const code = grapheme.codePointAt(0) ?? 0
  const simple = grapheme.length === 1 ? simpleWidth(code) : 0
  if (simple > 0) return simple
  if (invisible.test(grapheme)) return 0
  if (emoji.test(grapheme)) return 2
  return eastAsianWidth(code) === 2 ? 2 : 1
}

/** Whether terminals agree about the width of a user-perceived character: not about emoji, nor what is put together. */
export function isSure(grapheme: string): boolean {
  return grapheme.length === 1 && simpleWidth(grapheme.charCodeAt(0)) > 0
}

/** Columns that a text takes. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (let at = 0; at < text.length;) {
    if (isAlone(text, at)) {
      width += simpleWidth(text.charCodeAt(at))
      at++
      continue
    }
    const end = runEnd(text, at)
    for (const grapheme of graphemesOfRun(text.slice(at, end))) width += graphemeWidth(grapheme)
    at = end
  }
  return width
}

/** Whether a simple character is followed by another, or by nothing: what comes may join it otherwise. */
export function isAlone(text: string, at: number): boolean {
  return simpleWidth(text.charCodeAt(at)) > 0 && (at + 1 === text.length || simpleWidth(text.charCodeAt(at + 1)) > 0)
}

/** Where the run of characters ends for which the tables of Unicode are needed: between two simple ones. */
export function runEnd(text: string, from: number): number {
  let end = from + 1
  while (end < text.length && !(simpleWidth(text.charCodeAt(end - 1)) > 0 && simpleWidth(text.charCodeAt(end)) > 0))
    end++
  return end
}

/**
 * Columns of a code unit that is a character of its own wherever its neighbours are such, too; 0 of all others. It is
 * what nearly all text is made of, and twenty times as fast to tell as by the tables of Unicode.
 */
export function simpleWidth(code: number): 0 | 1 | 2 {
  if (code < 0x7f) return code >= 0x20 ? 1 : 0
  if (code < 0x3_00) return code > 0xa0 && code !== 0xad ? 1 : 0
  // Greek and Cyrillic without their combining marks; dashes, quotation marks and dots; arrows, boxes and blocks.
  if (code < 0x30_01) {
    const isGreek = code >= 0x3_91 && code <= 0x4_82 && code !== 0x3_a2
    return isGreek || (code >= 0x4_8a && code <= 0x5_2f) || isSign(code) ? 1 : 0
  }
  // Chinese, Japanese and Korean.
  const isWide =
    (code >= 0x4e_00 && code <= 0x9f_ff) ||
    (code >= 0x30_41 && code <= 0x30_96) ||
    (code >= 0x30_a0 && code <= 0x30_ff) ||
    (code >= 0xac_00 && code <= 0xd7_a3) ||
    code <= 0x30_29 ||
    (code >= 0xff_01 && code <= 0xff_60)
  return isWide ? 2 : 0
}

function isSign(code: number): boolean {
  return (
    (code >= 0x20_10 && code <= 0x20_27) || (code >= 0x21_90 && code <= 0x21_ff) || (code >= 0x25_00 && code <= 0x25_9f)
  )
}

/** A text of others as one line for a terminal: tabs as spaces, whatever the terminal would obey as `�`. */
export function shown(text: string): string {
  return ascii.test(text) ? text : printable(text).replaceAll('\t', '    ').replaceAll('\n', ' ')
}

/** The words of a line, without its styles. */
export function lineText(line: Line): string {
  return line.map(({ text }) => text).join('')
}
