import type { OnigString } from 'shiki/textmate'
import type { Needs, Presence } from './presence.ts'

/** A line, or its beginning, in which patterns are looked for. */
export class Line implements OnigString {
  readonly content: string
  /** Counts from 1. */
  readonly id: number
  private readonly presence: Presence

  /** @param presence shared by all lines: it holds one at a time */
  constructor(text: string, presence: Presence) {
    this.content = narrow(text)
    this.id = presence.nextLine()
    this.presence = presence
  }

  /** False when nothing with these needs matches anywhere in the line. */
  mayMatch(needs: Needs): boolean {
    if (needs.length === 0) return true
    this.presence.read(this.id, this.content)
    return this.presence.meets(needs)
  }
}

/**
 * The same text, one byte a character where that is possible. V8 compiles a regular expression once for each width of
 * text, and a line cut from a page with a single wide character is wide, too: half of the time and of the memory of
 * cold highlighting went there.
 */
function narrow(text: string): string {
  return latin1.test(text) ? Buffer.from(text, 'latin1').toString('latin1') : text
}

// eslint-disable-next-line no-control-regex -- the range is all of Latin-1
const latin1 = /^[\0-\xFF]*$/
