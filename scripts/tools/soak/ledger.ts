import type { Oid } from '#content/repository.ts'

/** A commit that a writer was told of, on the branch that it was made on. */
export interface Acknowledged {
  readonly commit: Oid
  readonly branch: string
  readonly by: string
}

/** A file that only one writer changes, and only on one branch: its saves are numbered. */
export interface OwnFile {
  readonly path: string
  readonly branch: string
  /** The last save that was acknowledged, or seen when it was read again. */
  kept: number
  /** The last save that was tried. */
  tried: number
}

/** A publish: one idempotency key, one message that says which it was. */
export interface PublishOrder {
  readonly message: string
  readonly branch: string
  /** What the service said; `open`: the run ended before it said anything. */
  state: 'open' | 'live' | 'refused' | 'gone'
  mergeCommit?: Oid
  number?: number
}

const counters = {
  saves: 'saves acknowledged',
  landed: 'saves that landed without an answer',
  stale: 'saves refused as stale (412)',
  pushes: 'pushes acknowledged',
  pushesLanded: 'pushes that landed without an answer',
  pushesRefused: 'pushes refused (fetch first)',
  publishes: 'publishes acknowledged',
  conflicts: 'conflicts of publishes settled',
  givenUp: 'publishes given up after 20 conflicts',
  updates: 'updates from main',
  cut: 'requests cut off',
  mistakes: 'answers 500',
} as const
export type Counter = keyof typeof counters

/** What everybody was told. The run is sound when the service still knows all of it at the end. */
export class Ledger {
  readonly #counts = new Map<Counter, number>()
  readonly acknowledged: Acknowledged[] = []
  readonly ownFiles: OwnFile[] = []
  /** Lines that were added to files that many write, by path. */
  readonly lines = new Map<string, Set<string>>()
  readonly orders: PublishOrder[] = []
  /** What nobody should ever be told. */
  readonly unexpected: string[] = []

  count(counter: Counter): void {
    this.#counts.set(counter, this.countOf(counter) + 1)
  }

  countOf(counter: Counter): number {
    return this.#counts.get(counter) ?? 0
  }

  keepLine(path: string, line: string): void {
    const lines = this.lines.get(path) ?? new Set()
    this.lines.set(path, lines.add(line))
  }

  /** Every counter with its words. */
  figures(): [label: string, count: number][] {
    return (Object.keys(counters) as Counter[]).map((counter) => [counters[counter], this.countOf(counter)])
  }
}
