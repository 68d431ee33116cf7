import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { Failure } from '#contract/failure.ts'
import type { TextBuffer } from './buffer.ts'
import { guarded } from './guard.ts'
import type { Position, Range } from '#authoring/lines.ts'
import {
  expressionOf,
  type Found,
  foundIn,
  partAfter,
  partBefore,
  partOf,
  type Query,
  replacementAt,
} from './pattern.ts'

export type { Found, Query } from './pattern.ts'

/** Work between two looks at the keyboard, in milliseconds. */
const slice = 4
/** Finds of a line that are marked. */
const marked = 500

/** How often a query is found in one version of a text. */
export interface Count {
  readonly total: number
  /** How many begin before a position: of the find there, its number from 0. */
  before(position: Position): number
}

/** What a find becomes: the text as it is, or, of a pattern, with `$1` and its like filled in. */
export interface Replacement {
  readonly text: string
  readonly isPattern: boolean
}

/** Parts of a text that are looked at before what was seen is used: a short text is not gone over again and again. */
const mostParts = 1_000
/** So often a walk is broken off before it is given up, each time for some ten milliseconds. */
const mostBroken = 20

interface Walk<T> {
  readonly begin: Position
  readonly advance: (place: Position) => Position
  /** @param turn of how many parts this is the next, from 0 */
  readonly look: (place: Position, turn: number) => T
  readonly apply: (looked: T, place: Position) => boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Finds in a text that is edited meanwhile. The text is searched in slices of some milliseconds, so that 5 MB do not
 * make the keyboard wait; a pattern that never ends is given up.
 */
export class Finder {
  readonly #buffer: TextBuffer
  readonly #expression: RegExp
  /** Runs what the expression finds. Only of a pattern it may never end. */
  readonly #bounded: typeof guarded
  readonly #known = new LRUCache<string, readonly Found[]>({ max: 500 })
  #isTooSlow = false

  /**
   * @param bounded what runs a pattern, and breaks it off
   * @throws Failure invalid_request when a pattern is none
   */
  constructor(buffer: TextBuffer, query: Query, bounded = guarded) {
    this.#buffer = buffer
    this.#expression = expressionOf(query)
    this.#bounded = query.pattern === true ? bounded : (work) => ({ value: work() })
  }

  /** The finds of a line, to be marked: of a long line those of its part at `column`, of very many the first. */
  on(line: number, column = 0): readonly Found[] {
    const text = this.#buffer.at(line)
    const from = partOf(text, column)
    const known = from === 0 ? this.#known.get(text) : undefined
    if (known !== undefined || this.#isTooSlow) return known ?? []
    const found = this.#bounded(() => foundIn(text, this.#expression, { from, limit: marked }))?.value
    if (found === undefined) this.#isTooSlow = true
    else if (from === 0 && text.length < 10_000) this.#known.set(text, found)
    return found ?? []
  }

  /**
   * The next find that begins at a position or behind it; after the end of the text it goes on at the beginning.
   * @throws Failure invalid_request when the pattern takes too long
   */
  async next(from: Position, signal?: AbortSignal): Promise<Range | undefined> {
    return this.#nearest({ from, isForward: true }, signal)
  }

  /** The nearest find that begins before a position. @throws Failure invalid_request when the pattern takes too long */
  async previous(from: Position, signal?: AbortSignal): Promise<Range | undefined> {
    return this.#nearest({ from, isForward: false }, signal)
  }

  /** Counts the finds. Resolves with undefined when the text changed meanwhile, or the signal fired. */
  async count(signal?: AbortSignal): Promise<Count | undefined> {
    const counts = new Uint32Array(this.#buffer.count)
    const hasEnded = await this.#everywhere({
      look: (_, found) => found.length,
      apply: (line, found) => (counts[line] = (counts[line] ?? 0) + found),
      signal,
    })
    if (!hasEnded) return undefined
    const total = counts.reduce((sum, one) => sum + one, 0)
    const before = ({ line, column }: Position): number => {
      let sum = this.on(line, column).filter(({ from }) => from < column).length
      for (let at = 0; at < line; at++) sum += counts[at] ?? 0
      return sum
    }
    return { total, before }
  }

  /** What would stand in the place of a find; undefined where there is none just there. */
  replacement({ start, end }: Range, replacement: Replacement): string | undefined {
    if (start.line !== end.line) return undefined
    const found = { from: start.column, to: end.column }
    return this.#bounded(() => replacementAt(this.#buffer.at(start.line), this.#expression, { found, ...replacement }))
      ?.value
  }

  /**
   * Replaces every find in one step of undo.
   * @returns how many; undefined when the text changed meanwhile or the signal fired, and nothing was replaced
   */
  async replaceAll(replacement: Replacement, signal?: AbortSignal): Promise<number | undefined> {
    const texts = new Map<number, string>()
    let open: { readonly line: number; readonly parts: string[]; at: number } | undefined
    let replaced = 0
    // As it goes: put together in the end, the lines of a large text would hold the keyboard.
    const finish = (): void => {
      if (open === undefined) return
      const { line, parts, at } = open
      texts.set(line, [...parts, this.#buffer.at(line).slice(at)].join(''))
    }
    const hasEnded = await this.#everywhere({
      look: (line, found) => found.map((one) => ({ ...one, becomes: this.#becomes(line, one, replacement) })),
      apply: (line, found) => {
        if (found.length === 0) return
        if (open?.line !== line) {
          finish()
          open = { line, parts: [], at: 0 }
        }
        const text = this.#buffer.at(line)
        for (const { from, to, becomes } of found) {
          // What a part of a long line began may reach into the next part.
          if (becomes === undefined || from < open.at) continue
          open.parts.push(text.slice(open.at, from), becomes)
          open.at = to
          replaced++
        }
      },
      signal,
    })
    if (!hasEnded) return undefined
    finish()
    if (texts.size > 0) this.#rewrite(texts)
    return replaced
  }

  /** Only a pattern has to be asked once more what it found. */
  #becomes(line: number, found: Found, replacement: Replacement): string | undefined {
    if (!replacement.isPattern) return replacement.text
    return replacementAt(this.#buffer.at(line), this.#expression, { found, ...replacement })
  }

  #rewrite(texts: ReadonlyMap<number, string>): void {
    const first = texts.keys().next().value ?? 0
    let last = first
    for (const line of texts.keys()) last = line
    const length = last - first + 1
    this.#buffer.rewrite(
      first,
      Array.from({ length }, (_, index) => texts.get(first + index) ?? this.#buffer.at(first + index)),
    )
  }

  async #nearest(
    { from, isForward }: { readonly from: Position; readonly isForward: boolean },
    signal?: AbortSignal,
  ): Promise<Range | undefined> {
    const buffer = this.#buffer
    const begin: Position = { line: from.line, column: partOf(buffer.at(from.line), from.column) }
    let range: Range | undefined
    let isFirst = true
    await this.#slices<Range | undefined>({
      begin,
      // Once around: of the part that it begins in, the half that it left out comes last.
      advance: (place) => (isForward ? partAfter(buffer, place) : partBefore(buffer, place)),
      look: (place, turn) => {
        const all = foundIn(buffer.at(place.line), this.#expression, { from: place.column, limit: Infinity })
        const fits = (one: Found): boolean => turn > 0 || (isForward ? one.from >= from.column : one.from < from.column)
        const found = isForward ? all.find(fits) : all.findLast(fits)
        return found === undefined ? undefined : rangeOn(place.line, found)
      },
      apply: (found, place) => {
        range = found
        const isAround = !isFirst && place.line === begin.line && place.column === begin.column
        isFirst = false
        return range !== undefined || isAround
      },
      signal,
    })
    return range
  }

  /** @returns false when the text changed meanwhile or the signal fired */
  async #everywhere<T>({
    look,
    apply,
    signal,
  }: {
    readonly look: (line: number, found: readonly Found[]) => T
    readonly apply: (line: number, looked: T) => void
    readonly signal: AbortSignal | undefined
  }): Promise<boolean> {
    const buffer = this.#buffer
    const { version } = buffer
    let hasEnded = false
    await this.#slices<T>({
      begin: { line: 0, column: 0 },
      advance: (place) => partAfter(buffer, place),
      look: ({ line, column }) =>
        look(line, foundIn(buffer.at(line), this.#expression, { from: column, limit: Infinity })),
      apply: (looked, { line, column }) => {
        if (buffer.version !== version) return true
        apply(line, looked)
        const next = partAfter(buffer, { line, column })
        hasEnded = next.line < line || (next.line === line && next.column <= column)
        return hasEnded
      },
      signal,
    })
    return hasEnded
  }

  /**
   * Goes over the parts of the text in slices. `look` is what a pattern can make slow, and may be broken off anywhere: it
   * changes nothing. `apply` does, with what was seen, and answers whether that was enough.
   */
  async #slices<T>({ begin, advance, look, apply, signal }: Walk<T>): Promise<void> {
    let place = begin
    let turn = 0
    let isBroken = false
    let broken = 0
    for (;;) {
      const until = performance.now() + slice
      const from = place
      // What was broken off is tried once more by itself: the machine may have been busy with something else.
      const most = isBroken ? 1 : mostParts
      const seen = this.#bounded(() => {
        const looked: { readonly place: Position; readonly value: T }[] = []
        let at = from
        do {
          looked.push({ place: at, value: look(at, turn + looked.length) })
          at = advance(at)
        } while (performance.now() < until && looked.length < most)
        return looked
      })?.value
      if (seen === undefined && (isBroken || ++broken > mostBroken)) throw this.#tooSlow()
      isBroken = seen === undefined
      for (const { place: at, value } of seen ?? []) {
        if (apply(value, at)) return
        place = advance(at)
        turn++
      }
      await nextTurn()
      if (signal?.aborted === true) return
    }
  }

  #tooSlow(): Failure {
    this.#isTooSlow = true
    return new Failure('invalid_request', 'This pattern takes too long.', {
      hint: 'Write it without one repetition inside another, such as (a+)+.',
    })
  }
}

function rangeOn(line: number, { from, to }: Found): Range {
  return { start: { line, column: from }, end: { line, column: to } }
}
