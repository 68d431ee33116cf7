import type { Domains } from './domains.ts'
import type { Holding } from './holders.ts'

export interface RoundsOptions {
  readonly domains: Pick<Domains, 'due' | 'check'>
  readonly ownerOf: (project: string) => string
  readonly now: () => Date
  /** What went wrong with one domain: it is looked at in the next round. */
  readonly onError: (error: unknown, holding: Holding) => void
  /** Milliseconds between the end of a round and the next one. */
  readonly pauseMs?: number
}

/** Domains of one account in a round, so that nobody’s many hold up those of others; and look-ups at a time. */
const mostOfOwner = 50
const atOnce = 4
const defaultPauseMs = 10 * 60_000

/** Looks from time to time whether the records of verified domains are still there. */
export class Rounds {
  readonly #options: RoundsOptions
  readonly #end = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: RoundsOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#end.signal.aborted) return
    const { pauseMs = defaultPauseMs } = this.#options
    this.#timer = setTimeout(() => {
      this.#running = this.run().then(() => this.start())
    }, pauseMs)
    this.#timer.unref()
  }

  /** One round. Never rejects. */
  async run(): Promise<void> {
    const left = this.#chosen()[Symbol.iterator]()
    await Promise.all(Array.from({ length: atOnce }, () => this.#work(left)))
  }

  /** Cuts the look-ups off; what was learnt is on record when it settles. */
  async close(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#timer)
    await this.#running
  }

  #chosen(): readonly Holding[] {
    const { domains, ownerOf, now } = this.#options
    const counts = new Map<string, number>()
    return [...domains.due(now())].filter(({ project }) => {
      const owner = ownerOf(project)
      const count = (counts.get(owner) ?? 0) + 1
      counts.set(owner, count)
      return count <= mostOfOwner
    })
  }

  async #work(left: Iterator<Holding>): Promise<void> {
    const { signal } = this.#end
    for (let next = left.next(); next.done !== true && !signal.aborted; next = left.next()) {
      const { project, name } = next.value
      try {
        await this.#options.domains.check(project, name, signal)
      } catch (error) {
        if (!signal.aborted) this.#options.onError(error, next.value)
      }
    }
  }
}
