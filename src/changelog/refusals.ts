const minute = 60_000

/** Milliseconds until a refused entry is rendered again: twice as many each time. */
const firstWaitMs = 10 * minute
const longestWaitMs = 24 * 60 * minute

/**
 * Entries of one changelog that the renderer of today refuses: for what they hold, or because it was too busy to end in
 * time. Nobody can tell, so they are tried again, ever more rarely. Times are milliseconds since 1970.
 */
export class Refusals {
  readonly #known = new Map<string, { readonly tries: number; readonly until: number }>()

  /** Whether an entry was refused not long ago. */
  holds(id: string, now: number): boolean {
    return (this.#known.get(id)?.until ?? 0) > now
  }

  /** How many are to be tried again now. */
  due(now: number): number {
    return [...this.#known.values()].filter(({ until }) => until <= now).length
  }

  add(id: string, now: number): void {
    const tries = (this.#known.get(id)?.tries ?? 0) + 1
    this.#known.set(id, { tries, until: now + Math.min(firstWaitMs * 2 ** (tries - 1), longestWaitMs) })
  }

  /** Whether it was there. */
  remove(id: string): boolean {
    return this.#known.delete(id)
  }
}
