import type { Encoded } from './manifest.ts'

/** Memory of a route and of a page record with its summary: estimates. */
const weights = { route: 400, page: 4000 } as const

/**
 * Releases that were made or read lately, decoded: the next one is likely built from one of them. The live site and the
 * previews of a project take turns, and to decode a release of thousands of pages costs more than to build a page.
 */
export class RecentReleases {
  readonly #maxWeight: number
  /** Longest unused first. */
  readonly #kept = new Map<string, { readonly encoded: Encoded; readonly weight: number }>()
  #weight = 0

  /** @param maxWeight in bytes; one release is kept even when it is heavier. */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight
  }

  get weight(): number {
    return this.#weight
  }

  /** The one that was used last. */
  get latest(): Encoded | null {
    return [...this.#kept.values()].at(-1)?.encoded ?? null
  }

  get(id: string): Encoded | undefined {
    const found = this.#kept.get(id)
    if (found === undefined) return undefined
    this.#kept.delete(id)
    this.#kept.set(id, found)
    return found.encoded
  }

  /** As `get`, but it does not count as a use. */
  peek(id: string): Encoded | undefined {
    return this.#kept.get(id)?.encoded
  }

  put(encoded: Encoded): void {
    const { id } = encoded.manifest
    this.delete(id)
    const weight = entriesOf(encoded, 'routes') * weights.route + entriesOf(encoded, 'pages') * weights.page
    this.#kept.set(id, { encoded, weight })
    this.#weight += weight
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#maxWeight || oldest === id) return
      this.delete(oldest)
    }
  }

  delete(id: string): void {
    this.#weight -= this.#kept.get(id)?.weight ?? 0
    this.#kept.delete(id)
  }
}

function entriesOf({ keys }: Encoded, table: 'routes' | 'pages'): number {
  return keys[table]?.reduce((sum, bucket) => sum + bucket.length, 0) ?? 0
}
