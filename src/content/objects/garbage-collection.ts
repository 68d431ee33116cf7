import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode, syncDirectory } from '../../lib/disk.ts'
import { killGroup, type Git } from '../git/git.ts'
import { whileCollectable } from '../git/repository-config.ts'
import { incompletePacks, mendPacks, removeLeftovers } from './leftovers.ts'

/** Milliseconds. */
const longestRun = 30 * 60_000
/** Milliseconds that a killed process may take to be gone. */
const longestWait = 10_000
/** Milliseconds: no push takes as long to arrive, and no command to write a pack. */
const longestArrival = 60 * 60_000

export interface GarbageCollectionOptions {
  readonly git: Git
  /** The bare repository. */
  readonly directory: string
  /** Puts the refs that are files of their own into one. */
  readonly packRefs: () => Promise<void>
}

/**
 * Garbage collection of one repository. It removes objects that no ref keeps, and a writer may just be building on
 * such objects: writers tell of themselves, and a hold lets no collection begin.
 */
export class GarbageCollection {
  readonly #git: Git
  readonly #directory: string
  readonly #packRefs: () => Promise<void>
  readonly #writing = new Set<Promise<unknown>>()
  /** Collections wait until all of these are resolved. */
  readonly #holds = new Set<Promise<void>>()
  #running: Promise<void> | null = null
  /** A collection that waits for holds to be released, or runs. */
  #wanted: Promise<void> | null = null

  constructor({ git, directory, packRefs }: GarbageCollectionOptions) {
    this.#git = git
    this.#directory = directory
    this.#packRefs = packRefs
  }

  /** While a collection runs, an object that no ref keeps may vanish at any time: a writer has to write it again. */
  get running(): boolean {
    return this.#running !== null
  }

  /** Collects when all holds are released. A collection that waits or runs already is not started twice. */
  run(signal?: AbortSignal): Promise<void> {
    this.#wanted ??= this.#runWhenReleased(signal).finally(() => (this.#wanted = null))
    return this.#wanted
  }

  /** Waits for a collection that runs, and lets no other begin until the function that it returns is called. */
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

  /** Runs a write, beside a collection that has begun; the next collection waits for its end. */
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
    // No `await` between the last look and the write: a collection that begins in between would not wait for it.
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

  /** Waits until the present holds are released. @throws the reason of the signal when it is aborted before. */
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
    // Whoever writes a pack now has ended when the writers have; whose pack is still incomplete then is dead.
    const incomplete = await incompletePacks(this.#directory)
    await Promise.allSettled(this.#writing)
    await mendPacks(this.#git, this.#directory, incomplete)
    await removeLeftovers(this.#directory, Date.now() - longestArrival)
    await this.#packRefs()
    // One thread and a bounded window: a large repository must not starve those who read and write meanwhile.
    const config = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m']
    await whileCollectable(this.#directory, () =>
      this.#git.check([...config, 'gc', '--cruft', '--prune=2.weeks.ago', '--quiet'], {
        directory: this.#directory,
        timeout: longestRun,
        background: true,
        ...(signal ? { signal } : {}),
      }),
    )
    await syncDirectory(join(this.#directory, 'objects', 'pack'))
    await syncDirectory(this.#directory)
  }
}

/**
 * Ends a `git gc` that still runs though the service that started it was killed: it may hold the lock of packed-refs,
 * which is about to be removed as one that nobody holds. What it has not finished is collected the next time. Resolves
 * when it is gone; at once on systems without `/proc`, where it cannot be told from another process.
 */
export async function endLeftoverCollection(directory: string): Promise<void> {
  // `git gc` writes its process id and the host's name.
  const [, id, host] = /^(\d+) (.*)$/m.exec((await textOf(join(directory, 'gc.pid'))) ?? '') ?? []
  const pid = Number(id ?? 0)
  // 0 and 1 would stand for other groups: our own, everybody's.
  if (pid <= 1 || host !== hostname() || !(await belongsTo(pid, directory))) return
  for (let waited = 0; waited < longestWait && killGroup(pid, 'SIGKILL'); waited += 20) await sleep(20)
}

/** The number may be another process's by now: only one that works on this repository is ended. */
async function belongsTo(pid: number, directory: string): Promise<boolean> {
  const environment = (await textOf(`/proc/${pid}/environ`)) ?? ''
  return environment.split('\0').includes(`GIT_DIR=${directory}`)
}

/** Of a file that may be missing, or of a process that may be gone or another user's. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => hasCode(error, code))) return null
    throw error
  }
}
