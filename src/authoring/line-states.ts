import type { Highlighter, StyledRange } from './language.ts'
import type { Lines, LinesChange } from './lines.ts'
import { later } from './later.ts'
import { LinePaint, longestColored, noPaint, type Paint } from './painting.ts'

/**
 * Reads a line that begins in a state and answers with the state in which the next one begins. States are compared by
 * identity.
 */
export type Tokenize<S> = (text: string, state: S, paint: Paint) => S

export interface LineStatesOptions<S> {
  readonly lines: Lines
  readonly start: S
  readonly tokenize: Tokenize<S>
  /** Colours that were a guess are known now: to be drawn again. */
  readonly onRefined?: (() => void) | undefined
}

/** Milliseconds that an answer may take to find out in which state its line begins, and a slice in the background. */
const patience = 2
/** A guess begins so many lines further up. */
const guessedLines = 100
const mostCached = 5_000
/** Lines that are put in without a look at whether what follows is still true. */
const mostMoved = 10_000

/**
 * Colours of a text whose lines each begin in the state in which the one before ended. States are worked out as far as
 * anybody looks; a jump far down is answered with a guess, and with the truth when the lines between have been read in
 * the background. After a change, lines are read again only until their states are the same as before.
 */
export class LineStates<S> implements Highlighter {
  readonly #lines: Lines
  readonly #tokenize: Tokenize<S>
  readonly #onRefined: () => void
  readonly #first: S
  /** The states in which lines begin. */
  readonly #starts: S[]
  /** So many of them are true. */
  #valid = 1
  /** From here on, up to the end of the list, they follow from each other: true again as soon as one of them is. */
  #resync = 1
  readonly #paint = new LinePaint()
  #cache = new Map<S, Map<string, readonly StyledRange[]>>()
  #cached = 0
  /** The furthest line that was guessed. */
  #wanted = -1
  #guessed: { readonly line: number; readonly state: S } | undefined
  #isAtWork = false

  constructor({ lines, start, tokenize, onRefined }: LineStatesOptions<S>) {
    this.#lines = lines
    this.#first = start
    this.#starts = [start]
    this.#tokenize = tokenize
    this.#onRefined = onRefined ?? (() => undefined)
  }

  ranges(line: number): readonly StyledRange[] {
    if (line < 0 || line >= this.#lines.count) return []
    if (line < this.#valid || (!this.#isAtWork && this.#advance(line)))
      return this.#rangesOf(line, this.#starts[line] as S)
    this.#wanted = Math.max(this.#wanted, line)
    this.#workOn()
    return this.#rangesOf(line, this.#guess(line))
  }

  changed({ line, removed, added }: LinesChange): void {
    const starts = this.#starts
    const behind = line + Math.max(added, 1)
    const isPending = this.#valid < starts.length
    // What has been read since the last change does not lead to what stands behind it.
    const resync = Math.max(this.#resync, this.#valid)
    const moved = resync > line ? resync + added - removed : resync
    this.#resync = isPending ? Math.max(behind, moved) : behind
    if (added > mostMoved) starts.length = Math.min(starts.length, line + 1)
    else if (line < starts.length && added !== removed) this.#shift(line, removed, added)
    this.#valid = Math.min(this.#valid, line + 1)
    this.#guessed = undefined
  }

  /** The state in which the first of the lines begins stays; that of the line behind them keeps its place before it. */
  #shift(line: number, removed: number, added: number): void {
    const state = this.#starts[line] as S
    if (added === 0) this.#starts.splice(line + 1, removed)
    else {
      const gap = Array.from({ length: removed === 0 ? added : added - 1 }, () => state)
      this.#starts.splice(line + 1, Math.max(removed - 1, 0), ...gap)
    }
  }

  /** Whether the state in which a line begins is known, after a while of reading at most. */
  #advance(line: number): boolean {
    const deadline = performance.now() + patience
    for (let read = 1; this.#valid <= line; read++) {
      this.#step()
      if (read % 64 === 0 && performance.now() > deadline) return this.#valid > line
    }
    return true
  }

  #step(): void {
    const at = this.#valid - 1
    const next = this.#tokenize(this.#textOf(at), this.#starts[at] as S, noPaint)
    const isTheSame = at + 1 >= this.#resync && at + 1 < this.#starts.length && this.#starts[at + 1] === next
    this.#starts[at + 1] = next
    this.#valid = isTheSame ? this.#starts.length : at + 2
  }

  #textOf(line: number): string {
    const text = this.#lines.at(line)
    return text.length > longestColored ? text.slice(0, longestColored) : text
  }

  #rangesOf(line: number, state: S): readonly StyledRange[] {
    const text = this.#textOf(line)
    let ofState = this.#cache.get(state)
    const known = ofState?.get(text)
    if (known !== undefined) return known
    this.#tokenize(text, state, this.#paint)
    const ranges = this.#paint.take(text.length)
    if (this.#cached >= mostCached) {
      this.#cache = new Map()
      this.#cached = 0
      ofState = undefined
    }
    if (ofState === undefined) {
      ofState = new Map()
      this.#cache.set(state, ofState)
    }
    ofState.set(text, ranges)
    this.#cached++
    return ranges
  }

  #guess(line: number): S {
    const last = this.#guessed
    // Lines are asked for one after the other: what was guessed for the one above goes on.
    const isNear = last !== undefined && last.line <= line && line - last.line < guessedLines
    let at = isNear ? last.line : Math.max(1, line - guessedLines)
    let state = isNear ? last.state : this.#first
    for (; at < line; at++) state = this.#tokenize(this.#textOf(at), state, noPaint)
    this.#guessed = { line, state }
    return state
  }

  #workOn(): void {
    if (this.#isAtWork) return
    this.#isAtWork = true
    later(() => {
      this.#isAtWork = false
      const wanted = Math.min(this.#wanted, this.#lines.count - 1)
      if (!this.#advance(wanted)) this.#workOn()
      else if (this.#wanted >= 0) {
        this.#wanted = -1
        this.#guessed = undefined
        this.#onRefined()
      }
    })
  }
}
