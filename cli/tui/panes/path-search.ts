import fuzzysort from 'fuzzysort'

type Prepared = ReturnType<typeof fuzzysort.prepare>
type Match = NonNullable<ReturnType<typeof fuzzysort.single>>

export interface FoundPath {
  readonly path: string
  /** UTF-16 indices of the characters that matched, in order. */
  readonly indexes: readonly number[]
}

interface Candidate {
  readonly index: number
  readonly score: number
  readonly match: Match
}

/** Milliseconds of work between two looks at what else is to be done. */
const sliceMs = 3
/** Paths between two looks at the clock. */
const step = 250
/** Results that are kept: nobody reads on, but types on. */
const mostResults = 200

/**
 * Looks for paths fuzzily, in slices, so that tens of thousands of them never hold up a key. Results come as they are
 * found, the best first; a new query ends the search before it. What a query found is all that a longer one looks at.
 */
export class PathSearch {
  readonly #paths: readonly string[]
  readonly #onFound: (found: readonly FoundPath[], done: boolean) => void
  readonly #prepared: Prepared[] = []
  #run = 0
  #last: { readonly query: string; readonly matches: readonly number[] } | undefined

  constructor(paths: readonly string[], onFound: (found: readonly FoundPath[], done: boolean) => void) {
    this.#paths = paths
    this.#onFound = onFound
  }

  search(query: string): void {
    this.#run += 1
    if (query.trim() === '') {
      this.#last = undefined
      this.#onFound(
        this.#paths.slice(0, mostResults).map((path) => ({ path, indexes: [] })),
        true,
      )
      return
    }
    const last = this.#last
    const within = last !== undefined && query.startsWith(last.query) ? last.matches : undefined
    this.#slice({ run: this.#run, query, within, at: 0, best: [], matches: [] })
  }

  stop(): void {
    this.#run += 1
  }

  #slice(state: {
    readonly run: number
    readonly query: string
    readonly within: readonly number[] | undefined
    at: number
    best: Candidate[]
    readonly matches: number[]
  }): void {
    if (state.run !== this.#run) return
    const until = performance.now() + sliceMs
    const count = state.within?.length ?? this.#paths.length
    while (state.at < count && performance.now() < until) {
      const found: Candidate[] = []
      // What is worse than all that are kept need not be sorted in.
      const least = state.best.length < mostResults ? -1 : (state.best.at(-1)?.score ?? -1)
      const end = Math.min(count, state.at + step)
      for (; state.at < end; state.at++) {
        const index = state.within?.[state.at] ?? state.at
        const match = fuzzysort.single(state.query, this.#preparedAt(index))
        if (match === null) continue
        state.matches.push(index)
        const { score } = match
        if (score > least) found.push({ index, score, match })
      }
      if (found.length > 0) state.best = bestOf(state.best, found)
    }
    const isDone = state.at >= count
    if (isDone) this.#last = { query: state.query, matches: state.matches }
    else setImmediate(() => this.#slice(state))
    // Where a path matches is worked out when it is read: of those that are shown alone.
    this.#onFound(
      state.best.map(({ match }) => ({ path: match.target, indexes: match.indexes })),
      isDone,
    )
  }

  #preparedAt(index: number): Prepared {
    return (this.#prepared[index] ??= fuzzysort.prepare(this.#paths[index] ?? ''))
  }
}

function bestOf(best: readonly Candidate[], found: readonly Candidate[]): Candidate[] {
  return [...best, ...found].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, mostResults)
}
