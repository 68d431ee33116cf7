import { LeaseLost, type Lease } from '../store.ts'

/** Fences of one process; 2^53 leaves room for two million starts. */
const fencesOfAStart = 2 ** 32

/**
 * Locks by name. They live in memory, because only one process has the directory: with it they are gone. Fences grow
 * across starts because the number of the start is their upper part.
 */
export class Leases {
  readonly #held = new Map<string, Lease>()
  #next: number

  /** @param start Number of this start of the store: larger than that of every start before. */
  constructor(start: number) {
    this.#next = start * fencesOfAStart
  }

  acquire(document: string, name: string): Lease | null {
    const key = keyOf({ document, name })
    if (this.#held.has(key)) return null
    this.#next += 1
    const lease: Lease = { document, name, fence: this.#next }
    this.#held.set(key, lease)
    return lease
  }

  /** A lease that is held no more is fine. */
  release(lease: Lease): void {
    if (this.#holds(lease)) this.#held.delete(keyOf(lease))
  }

  /** Throws LeaseLost unless the lease is the one that is held, and of this document. */
  check(lease: Lease, document: string): void {
    if (lease.document !== document || !this.#holds(lease)) throw new LeaseLost(lease)
  }

  #holds(lease: Lease): boolean {
    return this.#held.get(keyOf(lease))?.fence === lease.fence
  }
}

function keyOf({ document, name }: Pick<Lease, 'document' | 'name'>): string {
  return `${document} ${name}`
}
