import { join } from 'node:path'
import pLimit from 'p-limit'
import { EntryLog } from './entry-log.ts'

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

  constructor(log: EntryLog, opened: number) {
    this.log = log
    this.opened = opened
  }
}

interface Held {
  readonly opening: Promise<OpenLog>
  users: number
}

/** Opens changelogs at their first use and closes those that were not used for the longest time. */
export class OpenLogs {
  readonly #dataDirectory: string
  readonly #mostIdle: number
  /** The least recently used first. */
  readonly #held = new Map<string, Held>()
  #opened = Date.now()

  constructor(dataDirectory: string, most = mostIdle) {
    this.#dataDirectory = dataDirectory
    this.#mostIdle = most
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
      const log = await EntryLog.open(join(this.#dataDirectory, slug, 'changelog'))
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
      if (this.#held.size <= this.#mostIdle) return
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
