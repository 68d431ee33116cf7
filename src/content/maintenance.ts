import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { nullIfMissing } from '../lib/disk.ts'
import type { BareRepository, Repository } from './repository.ts'

export interface MaintenanceOptions {
  /** Told what went wrong, and in which repository unless in all of them; its turn comes again. */
  readonly onError: (slug: string | null, error: unknown) => void
  /** Ref transactions of one repository after which it is collected; default 1,000. */
  readonly every?: number
  /** Milliseconds between two looks at all repositories; default a day. */
  readonly interval?: number
}

interface Collection {
  list(): Promise<readonly string[]>
  open(slug: string): Promise<BareRepository>
}

const day = 24 * 60 * 60_000
/** A save writes 4 or 5 objects. From here on a clone notices. */
const manyLoose = 4_000
/** Each is one more place to look for every object. */
const manyPacks = 20

/**
 * Collects garbage: a repository after a number of writes, and daily, and at start, whichever has gathered much. One
 * repository at a time, beside readers and writers.
 */
export class Maintenance {
  readonly #onError: MaintenanceOptions['onError']
  readonly #every: number
  readonly #interval: number
  readonly #turn = pLimit(1)
  readonly #writes = new WeakMap<Repository, number>()
  readonly #waiting = new Set<Repository>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(options: MaintenanceOptions) {
    this.#onError = options.onError
    this.#every = options.every ?? 1_000
    this.#interval = options.interval ?? day
  }

  /** Counts a write. The number is lost when the process ends: at start the object stores themselves are looked at. */
  noteWrite(repository: Repository): void {
    const writes = (this.#writes.get(repository) ?? 0) + 1
    this.#writes.set(repository, writes)
    if (writes >= this.#every) void this.collect(repository)
  }

  /** Looks at all repositories now and daily; resolves when the first look is over. Never rejects. */
  start(repositories: Collection): Promise<void> {
    this.#looking = this.#lookAt(repositories).finally(() => {
      if (this.#closing.signal.aborted) return
      this.#timer = setTimeout(() => void this.start(repositories), this.#interval).unref()
    })
    return this.#looking
  }

  /** Collects a repository when its turn comes; one that waits already is not queued again. Never rejects. */
  async collect(repository: Repository): Promise<void> {
    if (this.#waiting.has(repository)) return
    this.#waiting.add(repository)
    await this.#turn(async () => {
      this.#waiting.delete(repository)
      if (this.#closing.signal.aborted) return
      this.#writes.delete(repository)
      try {
        await repository.maintain(this.#closing.signal)
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#onError(repository.slug, error)
      }
    })
  }

  /** Ends a running collection, which harms nothing, and starts no other. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#looking
    await this.#turn(() => undefined)
  }

  async #lookAt(repositories: Collection): Promise<void> {
    try {
      for (const slug of await repositories.list()) {
        if (this.#closing.signal.aborted) return
        await this.#lookAtOne(repositories, slug)
      }
    } catch (error) {
      this.#onError(null, error)
    }
  }

  /** A repository that was removed meanwhile, or is damaged, does not keep the others from their turn. */
  async #lookAtOne(repositories: Collection, slug: string): Promise<void> {
    try {
      const repository = await repositories.open(slug)
      if (await gatheredMuch(repository.directory)) await this.collect(repository)
    } catch (error) {
      this.#onError(slug, error)
    }
  }
}

/** As `git gc --auto` does, one of 256 folders stands for all: object ids are spread evenly. */
async function gatheredMuch(directory: string): Promise<boolean> {
  const [sample, packs] = await Promise.all([
    namesIn(join(directory, 'objects', '17')),
    namesIn(join(directory, 'objects', 'pack')),
  ])
  return sample.length * 256 > manyLoose || packs.filter((name) => name.endsWith('.pack')).length > manyPacks
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(nullIfMissing)) ?? []
}
