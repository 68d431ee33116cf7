import { PathQuery } from './path-match.ts'

export interface FoundPath {
  readonly path: string
  /** UTF-16 indices of the characters that matched, in order. */
  readonly indexes: readonly number[]
}

interface Candidate {
  readonly index: number
  readonly score: number
}

/** What a query has found, which is all that a longer one looks at. */
interface Known {
  readonly query: string
  readonly matches: Uint32Array
  readonly best: readonly Candidate[]
}

interface Search {
  readonly text: string
  readonly query: PathQuery
  /** Undefined: all paths. */
  readonly within: Uint32Array | undefined
  readonly matches: number[]
  at: number
  best: readonly Candidate[]
  found: Candidate[]
}

/** Milliseconds of work between two looks at what else is to be done. */
const sliceMs = 2
/** Paths between two looks at the clock. */
const step = 64
/** What was found is sorted in when there is so much of it. */
const mostUnsorted = 1_000
/** Results that are kept: nobody reads on, but types on. */
export const mostResults = 200

/**
 * Looks for paths fuzzily, in slices, so that tens of thousands of them never hold up a key. Results are told when all
 * paths have been looked at; a new query ends the search before it. What a query found is all that a longer one looks at,
 * and is known when letters are taken back. Nothing is kept of each path.
 */
export class PathSearch {
  #paths: readonly string[]
  readonly #onFound: (found: readonly FoundPath[]) => void
  #search: Search | undefined
  #turn: NodeJS.Immediate | undefined
  /** Each the beginning of the next one. */
  #known: Known[] = []

  constructor(paths: readonly string[], onFound: (found: readonly FoundPath[]) => void) {
    this.#paths = paths
    this.#onFound = onFound
  }

  /** Other paths, to be searched from now on. */
  set paths(paths: readonly string[]) {
    this.stop()
    this.#paths = paths
    this.#known = []
  }

  get isAtWork(): boolean {
    return this.#search !== undefined
  }

  search(text: string): void {
    this.stop()
    const query = new PathQuery(text)
    while (this.#known.length > 0 && !text.startsWith(this.#known.at(-1)?.query ?? '')) this.#known.pop()
    const known = this.#known.at(-1)
    if (text.trim() === '') this.#onFound(this.#paths.slice(0, mostResults).map((path) => ({ path, indexes: [] })))
    else if (known?.query === text) this.#tell(query, known.best)
    else {
      this.#search = { text, query, within: known?.matches, matches: [], at: 0, best: [], found: [] }
      this.#slice()
    }
  }

  /** What is under way is brought to its end at once: somebody takes what was found. */
  finish(): void {
    if (this.#search === undefined) return
    clearImmediate(this.#turn)
    this.#slice(Number.POSITIVE_INFINITY)
  }

  stop(): void {
    clearImmediate(this.#turn)
    this.#search = undefined
  }

  #slice(ms = sliceMs): void {
    const search = this.#search
    if (search === undefined) return
    const until = performance.now() + ms
    const count = search.within?.length ?? this.#paths.length
    while (search.at < count && performance.now() < until) this.#look(search, Math.min(count, search.at + step))
    if (search.at < count) this.#turn = setImmediate(() => this.#slice())
    else this.#end(search)
  }

  #look(search: Search, end: number): void {
    const { query, within, matches } = search
    // What is worse than all that are kept need not be sorted in.
    const least = search.best.length < mostResults ? -Infinity : (search.best.at(-1)?.score ?? -Infinity)
    for (; search.at < end; search.at++) {
      const index = within?.[search.at] ?? search.at
      const score = query.score(this.#paths[index] ?? '')
      if (score === undefined) continue
      matches.push(index)
      if (score > least) search.found.push({ index, score })
    }
    if (search.found.length >= mostUnsorted) sortIn(search)
  }

  #end(search: Search): void {
    const { text, query, within, matches } = search
    this.#search = undefined
    sortIn(search)
    const isSame = within?.length === matches.length
    this.#known.push({ query: text, matches: isSame ? within : Uint32Array.from(matches), best: search.best })
    this.#tell(query, search.best)
  }

  /** Where a path matches is worked out when it is read: of those that are shown alone. */
  #tell(query: PathQuery, best: readonly Candidate[]): void {
    this.#onFound(
      best.map(({ index }) => {
        const path = this.#paths[index] ?? ''
        let indexes: readonly number[] | undefined
        return {
          path,
          get indexes() {
            return (indexes ??= query.indexes(path))
          },
        }
      }),
    )
  }
}

function sortIn(search: Search): void {
  search.best = [...search.best, ...search.found]
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, mostResults)
  search.found = []
}
