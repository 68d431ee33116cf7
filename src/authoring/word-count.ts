import { later } from './later.ts'
import type { Lines, LinesChange } from './lines.ts'
import { PageParts } from './page-parts.ts'

const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}'’._-]*[\p{L}\p{N}])?/gu
/** What is no prose in a line of it: tags, expressions, addresses of links, code. */
const marks = /<\/?[A-Za-z][^<>]{0,2000}>|\{[^{}]{0,2000}\}|\]\([^()\s]{0,2000}\)|`[^`]{0,2000}`|https?:\/\/\S{1,2000}/g
const longestCounted = 100_000
/** Milliseconds of a slice of the first count. */
const slice = 3

/** UTF-16 units of a line that is counted again only when nobody types, so many milliseconds later. */
const longLine = 5_000
const rest = 300

/** Characters between two looks at the clock. */
const unwatched = 10_000

/** How many words the prose of a line has; a character of Chinese or Japanese counts as one. */
export function wordsIn(text: string): number {
  const prose = text.slice(0, longestCounted).replaceAll(marks, ' ')
  return prose.match(word)?.length ?? 0
}

/** Lines of a change that are counted at once. */
const mostCounted = 100
const unknown = -1

/** Of a line: its words, whether it may begin or end what is no prose, and whether it is prose. */
const entryOf = (words: number, isTurn: boolean, prose: boolean): number =>
  words * 4 + (isTurn ? 2 : 0) + (prose ? 1 : 0)
const wordsOf = (entry: number): number => entry >> 2
const turnsAt = (entry: number): boolean => (entry & 2) !== 0
const isProse = (entry: number): boolean => (entry & 1) !== 0

/** Fences, front matter, comments and imports begin and end with lines like these; so does an import with an empty one. */
function turns(text: string): boolean {
  return /^\s*(?:$|[`~$<{.-]|(?:import|export)\b)/.test(text) || text.includes('*/') || text.includes('-->')
}

/**
 * The words of a page, without those of code, front matter and comments. The count of each line is kept, so that a key
 * costs that of its line; which lines are prose is found anew when a line changes that may tell.
 */
export class WordCount {
  readonly #lines: Lines
  readonly #onCounted: () => void
  #entries: number[]
  #next = 0
  #total: number | undefined
  /** The total before the last change. */
  #last: number | undefined
  #sum: Sum | undefined
  #isAtWork = false
  #timer: NodeJS.Timeout | undefined

  /** @param onCounted the count of a long text is done */
  constructor(lines: Lines, onCounted: () => void = () => undefined) {
    this.#lines = lines
    this.#onCounted = onCounted
    this.#entries = Array.from({ length: lines.count }, () => unknown)
  }

  /** Undefined while a long text is counted for the first time; that of before while it is counted again. */
  get total(): number | undefined {
    if (this.#total === undefined && !this.#isAtWork && this.#timer === undefined) this.#count()
    return this.#total ?? this.#last
  }

  /** The lines have changed already. */
  changed({ line, removed, added }: LinesChange): void {
    const before = this.#entries.slice(line, line + removed)
    this.#sum = undefined
    this.#last = this.#total ?? this.#last
    const after = this.#after(before, line, added)
    const fresh = after ?? Array.from({ length: added }, () => unknown)
    if (this.#total !== undefined && after !== undefined) this.#total += sumOf(after) - sumOf(before)
    else this.#total = undefined
    if (added === 1 && removed === 1) this.#entries[line] = fresh[0] ?? unknown
    else if (added > mostCounted)
      this.#entries = this.#entries.slice(0, line).concat(fresh, this.#entries.slice(line + removed))
    else this.#entries.splice(line, removed, ...fresh)
    this.#next = Math.min(this.#next, line)
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#total === undefined && this.#isLong(line, added)) this.#countLater()
  }

  #isLong(line: number, added: number): boolean {
    for (let at = line; at < line + Math.min(added, mostCounted); at++)
      if (this.#lines.at(at).length > longLine) return true
    return false
  }

  /** Until then the total is that of before. */
  #countLater(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.total !== undefined) this.#onCounted()
    }, rest).unref()
  }

  /** The entries of changed lines, where what they belong to is as sure as before. */
  #after(before: readonly number[], line: number, added: number): number[] | undefined {
    const [first] = before
    if (this.#total === undefined || first === undefined || added > mostCounted) return undefined
    if (this.#isLong(line, added)) return undefined
    // What stands on the first line decides whether there is front matter.
    if (line === 0) return undefined
    // An empty line in prose ends nothing; but an import may stand around it.
    const prose = isProse(first)
    const mayBeEmpty = prose && isProse(this.#entries[line - 1] ?? entryOf(0, false, true))
    const isSure = (entry: number): boolean => !turnsAt(entry) || (mayBeEmpty && isProse(entry) && wordsOf(entry) === 0)
    const follows = this.#lines.at(Math.min(line + added, this.#lines.count - 1))
    if (before.some((entry) => !isSure(entry)) || /^(?:import|export)\b/.test(follows)) return undefined
    const after: number[] = []
    for (let at = line; at < line + added; at++) {
      const text = this.#lines.at(at)
      if (turns(text) && !(mayBeEmpty && text === '')) return undefined
      after.push(entryOf(wordsIn(text), text === '', prose))
    }
    return after
  }

  #count(): void {
    const deadline = performance.now() + slice
    let read = 0
    for (; this.#next < this.#lines.count; this.#next++) {
      if (this.#entries[this.#next] !== unknown) continue
      const text = this.#lines.at(this.#next)
      this.#entries[this.#next] = entryOf(wordsIn(text), turns(text), false)
      read += 100 + text.length
      if (read < unwatched) continue
      read = 0
      if (performance.now() > deadline) return this.#goOnLater()
    }
    this.#sum ??= new Sum()
    for (; this.#sum.line < this.#lines.count;) {
      this.#sum.next(this.#lines, this.#entries)
      if (this.#sum.line % 1_000 === 0 && performance.now() > deadline) return this.#goOnLater()
    }
    this.#total = this.#sum.words
    this.#last = this.#total
    this.#sum = undefined
  }

  #goOnLater(): void {
    this.#isAtWork = true
    later(() => {
      this.#isAtWork = false
      this.#count()
      if (!this.#isAtWork) this.#onCounted()
    })
  }
}

/** Goes through the lines of a page and says of each whether it is prose. */
class Sum {
  readonly #parts = new PageParts()
  #isModule = false
  #isFresh = true
  line = 0
  words = 0

  next(lines: Lines, entries: number[]): void {
    const entry = entries[this.line] ?? 0
    let isText = !this.#parts.isOpen
    // The others belong to what the line before them belongs to.
    if (turnsAt(entry) || this.line === 0) {
      const text = lines.at(this.line)
      isText = this.#parts.next(text) === 'text'
      if (text === '') this.#isModule = false
      else if (this.#isFresh && isText && /^(?:import|export)\b/.test(text)) this.#isModule = true
      this.#isFresh = text === '' || !isText
    } else this.#isFresh = false
    const prose = isText && !this.#isModule
    entries[this.line] = entryOf(wordsOf(entry), turnsAt(entry), prose)
    if (prose) this.words += wordsOf(entry)
    this.line++
  }
}

function sumOf(entries: readonly number[]): number {
  return entries.reduce((sum, entry) => sum + (isProse(entry) ? wordsOf(entry) : 0), 0)
}
