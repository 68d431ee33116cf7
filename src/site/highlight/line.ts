import type { OnigString } from 'shiki/textmate'
import type { Needs, Presence } from './presence.ts'

/** A line, or its beginning, in which patterns are looked for. */
export class Line implements OnigString {
  readonly content: string
  /** All of it is in Latin-1. */
  readonly isNarrow: boolean
  /** Counts from 1. */
  readonly id: number
  readonly #presence: Presence

  /** @param presence shared by all lines: it holds one at a time */
  constructor(text: string, presence: Presence) {
    this.content = text
    this.isNarrow = isLatin1(text)
    this.id = presence.nextLine()
    this.#presence = presence
  }

  /** False when nothing with these needs matches anywhere in the line. */
  mayMatch(needs: Needs): boolean {
    if (needs.length === 0) return true
    this.#presence.read(this.id, this.content)
    return this.#presence.meets(needs)
  }
}

/**
 * The lines of a text, each with one byte a character where that is possible. V8 compiles a regular expression once for
 * each width of text, and a line cut from a page with a single wide character is wide, too: half of the time and of the
 * memory of cold highlighting went there.
 */
export function linesOf(text: string): string[] {
  return isLatin1(text)
    ? narrowed(text).split('\n')
    : text.split('\n').map((line) => (isLatin1(line) ? narrowed(line) : line))
}

function narrowed(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

function isLatin1(text: string): boolean {
  return !/[^\0-\xFF]/.test(text)
}
