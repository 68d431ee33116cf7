import { LRUCache } from 'lru-cache'
import { FairLimit } from '../lib/fair-limit.ts'
import { forOwner } from '../lib/slices.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { SiteIndex } from './site-index.ts'

export interface IndexesOptions {
  readonly hosting: Pick<Hosting, 'open'>
  readonly ownerOf: (projectId: string) => string
}

/** Bytes of all indexes in memory. One of the most that a site may have takes half. */
const heldBytes = 128 << 20
/** Indexes that are made at a time: their time is divided among owners, too. */
const building = { slots: 2, firsts: 6, share: 1, reserve: 1 }

/** The indexes of sites that were asked lately, of their live release. */
export class SiteIndexes {
  readonly #options: IndexesOptions
  readonly #kept = new LRUCache<string, SiteIndex>({ maxSize: heldBytes, sizeCalculation: ({ weight }) => weight })
  readonly #made = new Map<string, Promise<SiteIndex>>()
  readonly #turns = new FairLimit(building)
  readonly #closing = new AbortController()

  constructor(options: IndexesOptions) {
    this.#options = options
  }

  /**
   * The index of a release, made at the first question. It is made to its end also when who asked has gone: the next
   * reader asks the same, and whoever comes and goes cannot have it begun again and again.
   */
  async of(projectId: string, release: string): Promise<SiteIndex> {
    const kept = this.#kept.get(projectId)
    if (kept?.release === release) return kept
    const key = `${projectId}/${release}`
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made = this.#make(projectId, release).finally(() => this.#made.delete(key))
    this.#made.set(key, made)
    // Whoever asked may have gone by then.
    made.catch(() => undefined)
    return made
  }

  close(): void {
    this.#closing.abort(new Error('the service has come to its end'))
  }

  async #make(projectId: string, release: string): Promise<SiteIndex> {
    const { hosting, ownerOf } = this.#options
    const { signal } = this.#closing
    const owner = ownerOf(projectId)
    const make = (): Promise<SiteIndex> => SiteIndex.of(() => hosting.open(projectId), release, signal)
    const index = await this.#turns.run(owner, () => forOwner(owner, make), signal)
    this.#kept.set(projectId, index)
    return index
  }
}
