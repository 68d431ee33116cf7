import { join } from 'node:path'
import pLimit from 'p-limit'
import { Failure } from '../contract/failure.ts'
import { EntryLog } from './entry-log.ts'
import { RefusedEntries } from './rendering.ts'

/** Changelogs whose files stay open when nobody uses them. */
const mostIdle = 200

/** The changelog of a project in memory. */
export class OpenLog {
  readonly log: EntryLog
  /** One writer at a time. */
  readonly turn = pLimit(1)
  /** Names this opening: revisions of different ones cannot be compared. */
  readonly opened: number
  /** Grows with every change. */
  revision = 0
  readonly refusals = new RefusedEntries()

  constructor(log: EntryLog, opened: number) {
    this.log = log
    this.opened = opened
  }
}

/** A changelog whose files only grow, until it is released. */
export interface LogHold {
  /** Runs work while no entry is being changed. */
  whileStill<T>(work: () => Promise<T>): Promise<T>
  /** What was to be erased meanwhile is, after this. */
  readonly release: () => void
}

export interface OpenLogsOptions {
  readonly dataDirectory: string
  /** Told of what cannot be erased or held: it is tried again, or somebody else says so. */
  readonly onError: (slug: string, error: unknown) => void
  readonly mostIdle?: number
}

interface Held {
  readonly opening: Promise<OpenLog>
  users: number
}

/** Opens changelogs at their first use and closes those that were not used for the longest time. */
export class OpenLogs {
  readonly #options: OpenLogsOptions
  /** The least recently used first. */
  readonly #held = new Map<string, Held>()
  #opened = Date.now()

  constructor(options: OpenLogsOptions) {
    this.#options = options
  }

  /** Does something with a project's changelog, which stays open until that has settled. */
  async use<T>(slug: string, work: (open: OpenLog) => Promise<T>): Promise<T> {
    const held = this.#held.get(slug) ?? { opening: this.#open(slug), users: 0 }
    this.#held.delete(slug)
    this.#held.set(slug, held)
    held.users += 1
    try {
      return await work(await held.opening)
    } finally {
      held.users -= 1
      await this.#trim()
    }
  }

  /**
   * Holds a changelog: from when this settles on, its files only grow. One that is damaged cannot be opened, so nobody
   * changes it either. Throws Failure `unavailable`.
   */
  hold(slug: string): Promise<LogHold> {
    return new Promise((resolve, reject) => {
      const held = this.use(slug, async ({ log, turn }) => {
        await turn(() => log.hold())
        await new Promise<void>((release) => resolve({ whileStill: (work) => turn(work), release }))
        await turn(() => log.release())
      })
      held.catch((error: unknown) => {
        this.#options.onError(slug, error)
        if (error instanceof Failure) reject(error)
        else resolve({ whileStill: (work) => work(), release: () => undefined })
      })
    })
  }

  /** The project is being removed: waits for who writes, then closes its files. Whoever comes later opens them anew. */
  async forget(slug: string): Promise<void> {
    const held = this.#held.get(slug)
    this.#held.delete(slug)
    if (held !== undefined) await close(held)
  }

  async close(): Promise<void> {
    for (const slug of this.#held.keys()) await this.forget(slug)
  }

  async #open(slug: string): Promise<OpenLog> {
    try {
      const { dataDirectory, onError } = this.#options
      const log = await EntryLog.open(join(dataDirectory, slug, 'changelog'), {
        onError: (error) => onError(slug, error),
      })
      this.#opened += 1
      return new OpenLog(log, this.#opened)
    } catch (error) {
      // The next one tries again.
      this.#held.delete(slug)
      throw error
    }
  }

  async #trim(): Promise<void> {
    for (const [slug, held] of this.#held) {
      if (this.#held.size <= (this.#options.mostIdle ?? mostIdle)) return
      if (held.users > 0) continue
      this.#held.delete(slug)
      await close(held)
    }
  }
}

async function close({ opening }: Held): Promise<void> {
  const open = await opening
  await open.turn(() => open.log.close())
}
