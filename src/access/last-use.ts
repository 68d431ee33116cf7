import type { Store } from '../storage/store.ts'
import { projectDocument, type ProjectDocument } from '../projects/projects.ts'

export interface LastUseOptions {
  readonly store: Store
  /** Told when uses could not be written; they are tried again. */
  readonly onError: (error: unknown) => void
  /** Milliseconds between two writes. */
  readonly intervalMs?: number
}

/**
 * When keys were last used. Kept in memory and written once a minute: no request waits for it, and a crash may lose the
 * last minute.
 */
export class LastUse {
  readonly #options: LastUseOptions
  /** By slug, then by key id. */
  #pending = new Map<string, Map<string, string>>()
  readonly #timer: NodeJS.Timeout

  constructor(options: LastUseOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.flush(), options.intervalMs ?? 60_000)
    this.#timer.unref()
  }

  note(slug: string, key: string, at: Date): void {
    let keys = this.#pending.get(slug)
    if (keys === undefined) this.#pending.set(slug, (keys = new Map()))
    keys.set(key, at.toISOString())
  }

  /** A use that is not written yet, RFC 3339. */
  pending(slug: string, key: string): string | undefined {
    return this.#pending.get(slug)?.get(key)
  }

  /** Writes what was noted. Never rejects. */
  async flush(): Promise<void> {
    const noted = this.#pending
    this.#pending = new Map()
    await Promise.all([...noted].map(([slug, keys]) => this.#write(slug, keys)))
  }

  /** Writes what was noted, and ends. Before the store is closed. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #write(slug: string, uses: ReadonlyMap<string, string>): Promise<void> {
    try {
      await this.#options.store.mutate<ProjectDocument, void>(projectDocument(slug), (draft) => {
        for (const key of draft?.keys ?? []) {
          const at = uses.get(key.id)
          if (at !== undefined) key.last_used_at = at
        }
        return { document: draft, result: undefined }
      })
    } catch (error) {
      this.#options.onError(error)
      for (const [key, at] of uses) if (this.pending(slug, key) === undefined) this.note(slug, key, new Date(at))
    }
  }
}
