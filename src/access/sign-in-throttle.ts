import { Failure } from '../contract/failure.ts'

/** Attempts before anybody has to wait. */
const free = 5
/** The wait after the last free attempt, doubled by each further one. */
const firstWaitMs = 5_000
const longestWaitMs = 5 * 60_000
const forgottenAfterMs = 60 * 60_000
const maxNames = 10_000

interface Attempts {
  count: number
  /** Until when further ones are refused, ms since the epoch. */
  until: number
  last: number
}

/**
 * Slows down who guesses the password of one account, from however many addresses: five attempts, then waits that
 * double from 5 seconds to 5 minutes; an hour of rest or a right password clears them. In memory, and of the last
 * 10,000 names only.
 */
export class SignInThrottle {
  readonly #now: () => Date
  /** The last tried at the end. */
  readonly #attempts = new Map<string, Attempts>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /**
   * Runs `isRight` unless the name has to wait, then Failure `rate_limited`. An attempt counts before its password is
   * looked at, so that many at once gain nothing; one that throws does not count.
   *
   * @param name whose password it is, whether there is such an account or not.
   */
  async guard(name: string, isRight: () => Promise<boolean>): Promise<boolean> {
    this.#take(name)
    let right
    try {
      right = await isRight()
    } catch (error) {
      this.#giveBack(name)
      throw error
    }
    if (right) this.#attempts.delete(name)
    return right
  }

  #take(name: string): void {
    const now = this.#now().getTime()
    const known = this.#attempts.get(name)
    const before = known === undefined || now - known.last >= forgottenAfterMs ? { count: 0, until: 0 } : known
    if (now < before.until) throw waiting((before.until - now) / 1000)
    const count = before.count + 1
    // Deleted first, so that it goes to the end.
    this.#attempts.delete(name)
    this.#attempts.set(name, { count, until: count < free ? 0 : now + waitAfter(count), last: now })
    const [oldest] = this.#attempts.keys()
    if (this.#attempts.size > maxNames && oldest !== undefined) this.#attempts.delete(oldest)
  }

  #giveBack(name: string): void {
    const known = this.#attempts.get(name)
    if (known === undefined) return
    known.count -= 1
    known.until = 0
  }
}

function waitAfter(count: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (count - free))
}

function waiting(seconds: number): Failure {
  return new Failure('rate_limited', 'There were too many attempts to sign in to this account.', {
    retryAfter: Math.ceil(seconds),
    hint: `Wait ${Math.ceil(seconds)} seconds. Browsers that are signed in stay so.`,
  })
}
