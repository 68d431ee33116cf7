import { join } from 'node:path'
import { syncDirectory } from '../../lib/disk.ts'
import type { Git } from '../git/git.ts'

/** Milliseconds. */
const longestRun = 30 * 60_000

/**
 * Garbage collection of one repository, and who has to be kept apart from it: a collection takes objects that no ref
 * keeps, on which a writer may just be building.
 */
export class GarbageCollection {
  readonly #git: Git
  readonly #directory: string
  readonly #writing = new Set<Promise<unknown>>()
  /** Collections wait until all of these are resolved. */
  readonly #holds = new Set<Promise<void>>()
  #running: Promise<void> | null = null
  /** A collection that waits for holds to be released, or runs. */
  #wanted: Promise<void> | null = null

  constructor(git: Git, directory: string) {
    this.#git = git
    this.#directory = directory
  }

  /** While it is true, an object that no ref keeps may be gone at any time: a writer writes it again. */
  get running(): boolean {
    return this.#running !== null
  }

  /** Collects, once nobody holds collections back. Who asks while one is wanted already gets that one. */
  run(signal?: AbortSignal): Promise<void> {
    this.#wanted ??= this.#runWhenReleased(signal).finally(() => (this.#wanted = null))
    return this.#wanted
  }

  /** Holds collections back, one that runs is waited for, until the function that it returns is called. */
  async hold(): Promise<() => void> {
    let resolve: () => void = () => undefined
    const hold = new Promise<void>((done) => (resolve = done))
    this.#holds.add(hold)
    while (this.#running) await Promise.allSettled([this.#running])
    return () => {
      this.#holds.delete(hold)
      resolve()
    }
  }

  /** Runs a write: a collection that is asked for meanwhile waits for its end. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const writing = work()
    this.#writing.add(writing)
    try {
      return await writing
    } finally {
      this.#writing.delete(writing)
    }
  }

  /** Runs work during which nothing is collected. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    // Nothing may come between the last look and the write that the next collection waits for.
    while (this.#running) await Promise.allSettled([this.#running])
    return this.write(work)
  }

  async #runWhenReleased(signal: AbortSignal | undefined): Promise<void> {
    // In a loop: another hold may have been taken before this went on.
    while (this.#holds.size > 0) await this.#released(signal)
    // From here on writers trust no unreachable object; the collection waits for those who still did.
    this.#running = this.#collect(signal).finally(() => (this.#running = null))
    await this.#running
  }

  /** When the holds of now are released. @throws the reason of the signal when it is aborted before. */
  async #released(signal: AbortSignal | undefined): Promise<void> {
    let stop: () => void = () => undefined
    const aborted = new Promise<void>((resolve) => (stop = resolve))
    signal?.addEventListener('abort', stop)
    try {
      signal?.throwIfAborted()
      await Promise.race([Promise.all(this.#holds), aborted])
      signal?.throwIfAborted()
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  async #collect(signal: AbortSignal | undefined): Promise<void> {
    await Promise.allSettled(this.#writing)
    // One thread and a bounded window: a large repository must not starve those who read and write meanwhile.
    const config = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m']
    await this.#git.check([...config, 'gc', '--cruft', '--prune=2.weeks.ago', '--quiet'], {
      directory: this.#directory,
      timeout: longestRun,
      background: true,
      ...(signal ? { signal } : {}),
    })
    await syncDirectory(join(this.#directory, 'objects', 'pack'))
    await syncDirectory(this.#directory)
  }
}
