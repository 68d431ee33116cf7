import { flatCopy } from '../lib/flat-copy.ts'
import type { Steps } from '../lib/slices.ts'
import { wordsOf } from '../site/search/words.ts'
import { askedTerms, termsOf } from './words.ts'

/*
 * Ours because the indexes that are published keep each entry as a member of a Map, ten times the bytes, and look a
 * question up in one go: of 5,000 pages that took 160 MB and half a second in which nobody else is served.
 */

/** Where something was found. */
export interface Hit {
  /** Number of the page, and of the passage on it. */
  readonly page: number
  readonly passage: number
  readonly score: number
}

/** How much more a word says in a place than in the text. */
const weights = { title: 2, heading: 3, text: 1 } as const
type Place = keyof typeof weights

/** The constants of BM25, as commonly taken. */
const saturation = 1.2
const lengthNormalised = 0.75

/** An entry is the number of a passage and, in its last bits, how much a term says there. */
const weightBits = 5
const maxWeight = (1 << weightBits) - 1

/** What one site may have: passages, distinct terms, entries. What comes after is not found. */
const maxPassages = 100_000
const maxTerms = 250_000
const maxEntries = 8_000_000
/** Words as they are written, of which the terms are remembered. */
const maxRemembered = 300_000
/** Entries that are looked at without a pause: some tenths of a millisecond. */
const atOnce = 50_000

/** Bytes that a term takes beside its entries, about. */
const termBytes = 100

/** Collects the passages of a site. */
export class PassageIndexBuilder {
  readonly #terms = new Map<string, number>()
  readonly #remembered = new Map<string, readonly number[]>()
  readonly #weightOf = new Map<number, number>()
  /** Entries in the order that they come, with the term of each. */
  #entryTerms = new Uint32Array(1 << 14)
  #entries = new Uint32Array(1 << 14)
  #count = 0
  readonly #pages: number[] = []
  readonly #numbers: number[] = []
  readonly #lengths: number[] = []

  get isFull(): boolean {
    return this.#pages.length >= maxPassages || this.#count >= maxEntries
  }

  /** Adds a passage: its number on the page, and what it says where. Beyond what a site may have, nothing. */
  add(page: number, number: number, texts: Readonly<Record<Place, string>>): void {
    if (this.isFull) return
    const length = this.#weigh(texts)
    const passage = this.#pages.length
    this.#pages.push(page)
    this.#numbers.push(number)
    this.#lengths.push(length)
    for (const [term, weight] of this.#weightOf) {
      this.#append(term, ((passage << weightBits) | Math.min(weight, maxWeight)) >>> 0)
    }
  }

  /** Sums up how much each term says; returns how many words there are. */
  #weigh(texts: Readonly<Record<Place, string>>): number {
    const weightOf = this.#weightOf
    weightOf.clear()
    let length = 0
    for (const place of ['title', 'heading', 'text'] as const) {
      for (const word of wordsOf(texts[place])) {
        length += 1
        for (const term of this.#numbersOf(word)) weightOf.set(term, (weightOf.get(term) ?? 0) + weights[place])
      }
    }
    return length
  }

  #numbersOf(word: string): readonly number[] {
    const known = this.#remembered.get(word)
    if (known !== undefined) return known
    const numbers: number[] = []
    for (const term of termsOf(word)) {
      const number = this.#terms.get(term) ?? this.#newTerm(term)
      if (number !== undefined) numbers.push(number)
    }
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear()
    this.#remembered.set(flatCopy(word), numbers)
    return numbers
  }

  #newTerm(term: string): number | undefined {
    const number = this.#terms.size
    if (number >= maxTerms) return undefined
    this.#terms.set(flatCopy(term), number)
    return number
  }

  #append(term: number, entry: number): void {
    if (this.#count === this.#entries.length) {
      this.#entryTerms = grown(this.#entryTerms)
      this.#entries = grown(this.#entries)
    }
    this.#entryTerms[this.#count] = term
    this.#entries[this.#count] = entry
    this.#count += 1
  }

  /** Puts the entries in the order of their terms. */
  *finish(): Steps<PassageIndex> {
    const starts = new Uint32Array(this.#terms.size + 1)
    for (let at = 0; at < this.#count; at += 1) {
      if (at % atOnce === 0) yield 'large'
      const next = valueAt(this.#entryTerms, at) + 1
      starts[next] = valueAt(starts, next) + 1
    }
    for (let term = 1; term < starts.length; term += 1) starts[term] = valueAt(starts, term) + valueAt(starts, term - 1)
    yield 'large'
    const entries = new Uint32Array(this.#count)
    const ends = starts.slice()
    for (let at = 0; at < this.#count; at += 1) {
      if (at % atOnce === 0) yield 'large'
      const term = valueAt(this.#entryTerms, at)
      const place = valueAt(ends, term)
      entries[place] = valueAt(this.#entries, at)
      ends[term] = place + 1
    }
    return new PassageIndex({
      terms: this.#terms,
      starts,
      entries,
      pages: Uint32Array.from(this.#pages),
      numbers: Uint16Array.from(this.#numbers),
      lengths: Uint16Array.from(this.#lengths),
    })
  }
}

interface Tables {
  readonly terms: ReadonlyMap<string, number>
  /** Where the entries of a term begin. */
  readonly starts: Uint32Array
  readonly entries: Uint32Array
  /** By passage. */
  readonly pages: Uint32Array
  readonly numbers: Uint16Array
  readonly lengths: Uint16Array
}

/** Finds the passages of a site that say most about a question (BM25). Has no texts: those are read again where they are needed. */
export class PassageIndex {
  readonly #tables: Tables
  readonly #meanLength: number

  constructor(tables: Tables) {
    this.#tables = tables
    const { lengths } = tables
    this.#meanLength = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length))
  }

  get size(): number {
    return this.#tables.pages.length
  }

  /** Bytes, about. */
  get weight(): number {
    const { terms, starts, entries, pages, numbers, lengths } = this.#tables
    const arrays = [starts, entries, pages, numbers, lengths].reduce((sum, { byteLength }) => sum + byteLength, 0)
    return arrays + terms.size * termBytes
  }

  /** The best passages, best first; none where no word of the question is known. @param isWanted whether a page may be among them */
  *search(question: string, most: number, isWanted: (page: number) => boolean = () => true): Steps<readonly Hit[]> {
    const { pages, numbers } = this.#tables
    const scores = new Float32Array(pages.length)
    let isAny = false
    for (const term of askedTerms(question)) isAny = (yield* this.#score(term, scores)) || isAny
    if (!isAny) return []
    const best: Hit[] = []
    for (let passage = 0; passage < scores.length; passage += 1) {
      if (passage % atOnce === 0) yield 'large'
      const score = scores[passage] ?? 0
      if (score <= (best.length < most ? 0 : (best.at(-1)?.score ?? 0))) continue
      const page = valueAt(pages, passage)
      if (!isWanted(page)) continue
      const place = best.findIndex((other) => other.score < score)
      best.splice(place === -1 ? best.length : place, 0, { page, passage: valueAt(numbers, passage), score })
      if (best.length > most) best.pop()
    }
    return best
  }

  /** Adds to the scores of the passages that have a term. */
  *#score(name: string, scores: Float32Array): Steps<boolean> {
    const { terms, starts, entries, lengths } = this.#tables
    const term = terms.get(name)
    if (term === undefined) return false
    const start = valueAt(starts, term)
    const end = valueAt(starts, term + 1)
    const count = end - start
    const rarity = Math.log(1 + (lengths.length - count + 0.5) / (count + 0.5))
    for (let at = start; at < end; at += 1) {
      if ((at - start) % atOnce === 0) yield 'large'
      const entry = valueAt(entries, at)
      const passage = entry >>> weightBits
      const weight = entry & maxWeight
      const norm = 1 - lengthNormalised + (lengthNormalised * valueAt(lengths, passage)) / this.#meanLength
      scores[passage] = (scores[passage] ?? 0) + (rarity * weight * (saturation + 1)) / (weight + saturation * norm)
    }
    return count > 0
  }
}

/** Of a place that is there. */
function valueAt(array: Uint32Array | Uint16Array, index: number): number {
  return array[index] as number
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
