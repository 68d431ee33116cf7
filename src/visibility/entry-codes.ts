import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hashToken } from '../access/tokens.ts'
import type { Grant } from './grants.ts'

/** For a redirect from the service’s host to the site’s. */
const lifetimeMs = 60_000
const mostAtATime = 10_000

export interface Entry {
  /** Id of the project. */
  readonly project: string
  /** Label or domain of the host that the code is for. */
  readonly name: string
  readonly grant: Grant
}

/** Codes that carry a grant from the service’s host to a site’s: once, within a minute. In memory. */
export class EntryCodes {
  readonly #now: () => Date
  /** By size: a count would make room for all of them at once. */
  readonly #entries = new LRUCache<string, Entry & { readonly until: number }>({
    maxSize: mostAtATime,
    sizeCalculation: () => 1,
  })

  constructor(now: () => Date) {
    this.#now = now
  }

  mint(entry: Entry): string {
    const code = randomBytes(32).toString('base64url')
    this.#entries.set(hashToken(code), { ...entry, until: this.#now().getTime() + lifetimeMs })
    return code
  }

  /** The grant of a code; null where there is none for that project and host. Whatever comes of it, it is used up. */
  take(code: string, at: Omit<Entry, 'grant'>): Grant | null {
    const hash = hashToken(code)
    const entry = this.#entries.get(hash)
    this.#entries.delete(hash)
    if (entry === undefined || this.#now().getTime() > entry.until) return null
    return entry.project === at.project && entry.name === at.name ? entry.grant : null
  }
}
