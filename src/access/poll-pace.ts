import { Failure } from '../contract/failure.ts'

/** Seconds (RFC 8628, 3.2). */
const first = 5
const step = 5
const longest = 60
/** Polls that a terminal sends in time may come closer together than it sent them. */
const toleranceMs = 500
const maxRemembered = 10_000

interface Pace {
  /** ms since the epoch. */
  readonly polledAt: number
  /** Seconds. */
  readonly interval: number
}

/** How often each terminal may ask. In memory: a restart forgives. */
export class PollPace {
  readonly firstSeconds = first
  readonly #now: () => Date
  /** By hash of the device code, the last that asked at the end. */
  readonly #paces = new Map<string, Pace>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Notes that a terminal asked. The answer is Failure `authorization_pending`, or `slow_down` to one that asks too often. */
  poll(hash: string): Failure {
    const now = this.#now().getTime()
    const known = this.#paces.get(hash)
    const hasty = known !== undefined && now - known.polledAt < known.interval * 1000 - toleranceMs
    const interval = Math.min(longest, (known?.interval ?? first) + (hasty ? step : 0))
    // Deleted first, so that it goes to the end.
    this.#paces.delete(hash)
    this.#paces.set(hash, { polledAt: now, interval })
    const [oldest] = this.#paces.keys()
    if (this.#paces.size > maxRemembered && oldest !== undefined) this.#paces.delete(oldest)
    return hasty
      ? new Failure('slow_down', `You ask too often: wait ${interval} seconds each time.`, { retryAfter: interval })
      : new Failure('authorization_pending', 'Nobody has approved or denied it yet.')
  }

  forget(hash: string): void {
    this.#paces.delete(hash)
  }
}
