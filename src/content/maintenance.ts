import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { nullIfMissing } from '../lib/disk.ts'
import type { BareRepository } from './repository.ts'

export interface MaintenanceOptions {
  /** Told what went wrong, and in which repository unless in all of them; it is tried again later. */
  readonly onError: (projectId: string | null, error: unknown) => void
  /** Ref transactions of one repository after which it is collected; default 1,000. */
  readonly every?: number
  /** Milliseconds between two scans of all repositories; default a day. */
  readonly interval?: number
}

interface RepositoryList {
  list(): Promise<readonly string[]>
  open(projectId: string): Promise<BareRepository>
}

const day = 24 * 60 * 60_000
/** A save writes 4 or 5 objects. From here on a clone notices. */
const manyLoose = 4_000
/** For every object git looks into each pack in turn. */
const manyPacks = 20

/**
 * Collects garbage: a repository after a number of writes, and daily, and at start, whichever has gathered much. One
 * repository at a time, beside readers and writers.
 */
export class Maintenance {
  readonly #onError: MaintenanceOptions['onError']
  readonly #every: number
  readonly #interval: number
  readonly #oneAtATime = pLimit(1)
  readonly #writes = new WeakMap<BareRepository, number>()
  readonly #waiting = new Set<BareRepository>()
  readonly #closing = new AbortController()
  /** Collections that ended, since the start. */
  readonly counts = { done: 0, failed: 0 }
  #timer: NodeJS.Timeout | undefined
  #scan: Promise<void> = Promise.resolve()

  constructor(options: MaintenanceOptions) {
    this.#onError = options.onError
    this.#every = options.every ?? 1_000
    this.#interval = options.interval ?? day
  }

  /** Counts a write. The number is lost when the process ends: at start the object stores themselves are looked at. */
  noteWrite(repository: BareRepository): void {
    const writes = (this.#writes.get(repository) ?? 0) + 1
    this.#writes.set(repository, writes)
    if (writes >= this.#every) void this.collect(repository)
  }

  /** Scans all repositories now and daily; resolves when the first scan is over. Never rejects. */
  start(repositories: RepositoryList): Promise<void> {
    this.#scan = this.#scanAll(repositories).finally(() => {
      if (this.#closing.signal.aborted) return
      this.#timer = setTimeout(() => void this.start(repositories), this.#interval).unref()
    })
    return this.#scan
  }

  /** Collects a repository when its turn comes; one that waits already is not queued again. Never rejects. */
  async collect(repository: BareRepository): Promise<void> {
    if (this.#waiting.has(repository)) return
    this.#waiting.add(repository)
    await this.#oneAtATime(async () => {
      this.#waiting.delete(repository)
      if (this.#closing.signal.aborted) return
      this.#writes.delete(repository)
      try {
        await repository.maintain(this.#closing.signal)
        this.counts.done += 1
      } catch (error) {
        if (this.#closing.signal.aborted) return
        this.counts.failed += 1
        this.#onError(repository.projectId, error)
      }
    })
  }

  /** Ends a running collection, which harms nothing, and starts no other. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#scan
    await this.#oneAtATime(() => undefined)
  }

  async #scanAll(repositories: RepositoryList): Promise<void> {
    try {
      for (const projectId of await repositories.list()) {
        if (this.#closing.signal.aborted) return
        await this.#scanOne(repositories, projectId)
      }
    } catch (error) {
      this.#onError(null, error)
    }
  }

  /** A repository that was removed meanwhile, or is damaged, keeps no other from being collected. */
  async #scanOne(repositories: RepositoryList, projectId: string): Promise<void> {
    try {
      const repository = await repositories.open(projectId)
      if (await needsCollection(repository.directory)) await this.collect(repository)
    } catch (error) {
      this.#onError(projectId, error)
    }
  }
}

/** As `git gc --auto` does, one of 256 folders stands for all: object ids are spread evenly. */
async function needsCollection(directory: string): Promise<boolean> {
  const [sample, packs] = await Promise.all([
    namesIn(join(directory, 'objects', '17')),
    namesIn(join(directory, 'objects', 'pack')),
  ])
  return sample.length * 256 > manyLoose || packs.filter((name) => name.endsWith('.pack')).length > manyPacks
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(nullIfMissing)) ?? []
}
