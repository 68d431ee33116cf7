import { LRUCache } from 'lru-cache'
import type { Entry, EntryQuery } from '../contract/changelog.ts'
import type { List } from '../contract/common.ts'
import type { Audience } from './changelog.ts'
import { Encoded } from './encoded.ts'

export interface ListCachePorts {
  readonly changelog: {
    /** Another version whenever what a list shows may have changed, drafts included. */
    snapshot(slug: string): Promise<{ readonly version: string }>
    list(slug: string, query: EntryQuery, audience: Audience): Promise<List<Entry>>
  }
}

/** Bytes of all lists in memory. */
const maxBytes = 32 * 1024 * 1024

interface Kept {
  /** Which version of the changelog it shows. */
  readonly version: string
  readonly list: Encoded
}

/**
 * Pages of the lists of all changelogs as JSON, made when they are asked for after a change: fifty entries are fifty
 * reads of a file.
 */
export class ListCache {
  readonly #changelog: ListCachePorts['changelog']
  readonly #kept = new LRUCache<string, Kept>({ maxSize: maxBytes, sizeCalculation: ({ list }) => list.size })
  readonly #making = new Map<string, Promise<Kept>>()

  constructor({ changelog }: ListCachePorts) {
    this.#changelog = changelog
  }

  /**
   * The page as it is now, as JSON; what each audience sees is kept apart. A hundred clients at once cause one reading.
   * Throws Failure `invalid_request` for a cursor that no page gave.
   */
  async read(slug: string, query: EntryQuery, audience: Audience): Promise<Encoded> {
    const { version } = await this.#changelog.snapshot(slug)
    const { limit, cursor, tag, status } = query
    const key = JSON.stringify([slug, audience, limit, cursor, tag, status])
    const kept = this.#kept.get(key)
    if (kept?.version === version) return kept.list
    const task = `${version} ${key}`
    let making = this.#making.get(task)
    if (making === undefined) {
      making = this.#make(version, () => this.#changelog.list(slug, query, audience)).finally(() =>
        this.#making.delete(task),
      )
      this.#making.set(task, making)
    }
    const made = await making
    this.#kept.set(key, made)
    return made.list
  }

  async #make(version: string, list: () => Promise<List<Entry>>): Promise<Kept> {
    return { version, list: new Encoded(Buffer.from(JSON.stringify(await list()), 'utf8')) }
  }
}
