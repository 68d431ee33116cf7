import type { OnigString } from 'shiki/textmate'

/** Positions in the table of `Presence`: pairs of ASCII characters come first, then the characters of Latin-1, then all others as one. */
const single = 128 * 128
const beyond = 256
const size = single + beyond + 1

/** A line, or its beginning, in which patterns are looked for. */
export class ScannedLine implements OnigString {
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

/** Needs as positions in the table of `Presence`. */
export type Needs = readonly (readonly number[])[]

/** @param needs lists of strings of one or two characters, as scripts/data/needs.mjs makes them */
export function compileNeeds(needs: readonly (readonly string[])[]): Needs {
  return needs.map((need) =>
    need.map((text) =>
      text.length === 1 ? single + text.charCodeAt(0) : pair(text.charCodeAt(0), text.charCodeAt(1)),
    ),
  )
}

function pair(first: number, second: number): number {
  return (first << 7) | second
}

/** Which characters and pairs of neighbours stand in a line. */
export class Presence {
  /** The current generation where the line holds what the position stands for: nothing is wiped between lines. */
  readonly #table = new Uint32Array(size)
  #generation = 0
  #line = 0
  #lines = 0

  /** A number for the next line, from 1. */
  nextLine(): number {
    return ++this.#lines
  }

  /** Looks at a line, unless it was the last one that was looked at. */
  read(line: number, text: string): void {
    if (this.#line === line) return
    this.#line = line
    const table = this.#table
    const generation = ++this.#generation
    // No neighbour of the first character is ASCII.
    let before = 128
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      table[single + Math.min(code, beyond)] = generation
      const folded = code >= 65 && code <= 90 ? code + 32 : code
      if (folded < 128 && before < 128) table[pair(before, folded)] = generation
      before = folded
    }
  }

  /** Whether the line that was read last has one of each need’s list. */
  meets(needs: Needs): boolean {
    for (const need of needs) if (!this.#hasOne(need)) return false
    return true
  }

  #hasOne(need: readonly number[]): boolean {
    for (const position of need) if (this.#table[position] === this.#generation) return true
    return false
  }
}
