import { Failure } from '../contract/failure.ts'

const allowed = 10
const periodMs = 10 * 60_000
const maxAccounts = 10_000

interface Guesses {
  count: number
  /** Of the first, ms since the epoch. */
  readonly since: number
}

/**
 * Bounds the codes that an account may guess: ten wrong ones in ten minutes. In memory, and of the last 10,000
 * accounts that were wrong: the codes live no longer than the period.
 */
export class WrongCodes {
  readonly #now: () => Date
  /** The last that was wrong at the end. */
  readonly #guesses = new Map<string, Guesses>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Before a code is looked at. Throws Failure `rate_limited`. */
  assertAllowed(account: string): void {
    const { count, since } = this.#of(account)
    if (count < allowed) return
    const seconds = Math.ceil((since + periodMs - this.#now().getTime()) / 1000)
    throw new Failure('rate_limited', 'There were too many wrong codes.', {
      retryAfter: seconds,
      hint: `Wait ${seconds} seconds, run quire login again and use the code that it shows.`,
    })
  }

  /** Counts a wrong one. */
  note(account: string): void {
    const { count, since } = this.#of(account)
    // Deleted first, so that it goes to the end.
    this.#guesses.delete(account)
    this.#guesses.set(account, { count: count + 1, since })
    const [oldest] = this.#guesses.keys()
    if (this.#guesses.size > maxAccounts && oldest !== undefined) this.#guesses.delete(oldest)
  }

  #of(account: string): Guesses {
    const now = this.#now().getTime()
    const known = this.#guesses.get(account)
    return known === undefined || now - known.since >= periodMs ? { count: 0, since: now } : known
  }
}
