import { LRUCache } from 'lru-cache'
import { Failure } from '../contract/failure.ts'

const freeAttempts = 5
/** The wait after the last free attempt, doubled by each further one. */
const firstWaitMs = 5_000
const longestWaitMs = 5 * 60_000
const forgottenAfterMs = 60 * 60_000
/** Seconds between two polls of a terminal (RFC 8628, 3.2); more for one that asks too often. */
export const pollSeconds = 5
const addedSeconds = 5
const longestSeconds = 60
/** Polls that a terminal sends in time may come closer together than it sent them. */
const toleranceMs = 500

/**
 * What slows down who guesses or asks too often. All of it is in memory, so that a restart forgives, and of the last that
 * came only.
 */
const maxRemembered = 10_000
/** By size: a count would make room for all of them at once. */
const remembered = { maxSize: maxRemembered, sizeCalculation: () => 1 }

interface Attempts {
  count: number
  /** Until when further ones are refused, ms since the epoch. */
  until: number
  readonly last: number
}

/**
 * Slows down who guesses the password of one account, from however many addresses: five attempts, then waits that
 * double from 5 seconds to 5 minutes; an hour of rest or a right password clears them.
 */
export class SignInThrottle {
  readonly #now: () => Date
  readonly #attempts = new LRUCache<string, Attempts>(remembered)

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

  /** Forgets what was guessed for a name. */
  forgive(name: string): void {
    this.#attempts.delete(name)
  }

  #take(name: string): void {
    const now = this.#now().getTime()
    const known = this.#attempts.peek(name)
    const before = known === undefined || now - known.last >= forgottenAfterMs ? { count: 0, until: 0 } : known
    if (now < before.until) {
      const seconds = Math.ceil((before.until - now) / 1000)
      throw new Failure('rate_limited', 'There were too many attempts to sign in to this account.', {
        retryAfter: seconds,
        hint: `Wait ${inWords(seconds)}. Browsers that are signed in stay so.`,
      })
    }
    const count = before.count + 1
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (count - freeAttempts))
    this.#attempts.set(name, { count, until: count < freeAttempts ? 0 : now + wait, last: now })
  }

  #giveBack(name: string): void {
    const known = this.#attempts.peek(name)
    if (known === undefined) return
    known.count -= 1
    known.until = 0
  }
}

/** “40 seconds”, “1 minute”, “58 minutes”. */
function inWords(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

interface Counted {
  readonly count: number
  /** Of the first, ms since the epoch. */
  readonly since: number
}

export interface GuessRule {
  readonly allowed: number
  readonly periodMs: number
  /** What is told to who guessed more often. */
  readonly message: string
  readonly hint: (seconds: number) => string
}

/** Ten wrong codes of terminals in ten minutes, for an account. */
export const codeGuesses: GuessRule = {
  allowed: 10,
  // The codes live no longer.
  periodMs: 10 * 60_000,
  message: 'There were too many wrong codes.',
  hint: (seconds) => `Wait ${inWords(seconds)}, run quire login again and use the code that it shows.`,
}

/** Five addresses with an account in an hour, for a network that signs up: without mail, its answer tells of them. */
export const addressGuesses: GuessRule = {
  allowed: 5,
  periodMs: 60 * 60_000,
  message: 'There were too many attempts to sign up with addresses that have an account.',
  hint: (seconds) => `Wait ${inWords(seconds)}, or sign in. The operator can create accounts, too.`,
}

const wait = (seconds: number): string => `Wait ${inWords(seconds)}, then try again.`

/** Letters that may be asked for in an hour: those who get them have not asked. */
export const letterRequests = {
  ofNetwork: {
    allowed: 20,
    periodMs: 60 * 60_000,
    message: 'There were too many letters asked for from your network.',
    hint: wait,
  },
  /** Of all networks that one party may have. */
  ofWideNetwork: {
    allowed: 100,
    periodMs: 60 * 60_000,
    message: 'There were too many letters asked for from networks next to yours.',
    hint: wait,
  },
  ofAccount: {
    allowed: 5,
    periodMs: 60 * 60_000,
    message: 'You have asked five times within an hour to change your email address, as often as you may.',
    hint: (seconds) => `Follow the link in the last letter, also among junk, or ask again in ${inWords(seconds)}.`,
  },
  /** Of all kinds that somebody else asks for. */
  toAddress: {
    allowed: 5,
    periodMs: 60 * 60_000,
    message: 'There were too many letters to this address.',
    hint: (seconds) => `Look for the last one, also among junk, or wait ${inWords(seconds)}.`,
  },
  /** Of the owner of a project; beyond, invitations are not mailed. */
  invitations: {
    allowed: 50,
    periodMs: 60 * 60_000,
    message: 'There were too many invitations.',
    hint: wait,
  },
} as const satisfies Record<string, GuessRule>

/** Bounds what one party may find out by guessing, or have done to others. */
export class GuessThrottle {
  readonly #rule: GuessRule
  readonly #now: () => Date
  readonly #guesses = new LRUCache<string, Counted>(remembered)

  constructor(rule: GuessRule, now: () => Date) {
    this.#rule = rule
    this.#now = now
  }

  /** Before a guess is looked at. Throws Failure `rate_limited`. */
  assertAllowed(party: string): void {
    const { allowed, periodMs, message, hint } = this.#rule
    const { count, since } = this.#of(party)
    if (count < allowed) return
    const seconds = Math.ceil((since + periodMs - this.#now().getTime()) / 1000)
    throw new Failure('rate_limited', message, { retryAfter: seconds, hint: hint(seconds) })
  }

  /** Whether a further one would be refused. */
  isOver(party: string): boolean {
    return this.#of(party).count >= this.#rule.allowed
  }

  /** Counts one; `-1` takes one back. */
  note(party: string, change: 1 | -1 = 1): void {
    const { count, since } = this.#of(party)
    this.#guesses.set(party, { count: Math.max(0, count + change), since })
  }

  #of(party: string): Counted {
    const now = this.#now().getTime()
    const known = this.#guesses.peek(party)
    return known === undefined || now - known.since >= this.#rule.periodMs ? { count: 0, since: now } : known
  }
}

/**
 * Wrong passwords of a private site: from one network; and once there were many from all together, from each wide network.
 * So whoever guesses from many does not keep readers out.
 */
export const siteGuesses = {
  ofNetwork: {
    allowed: 10,
    periodMs: 10 * 60_000,
    message: 'There were too many wrong passwords from your network.',
    hint: wait,
  },
  ofSite: {
    allowed: 200,
    periodMs: 10 * 60_000,
    message: 'There were too many wrong passwords for this site.',
    hint: wait,
  },
  ofWideNetwork: {
    allowed: 2,
    periodMs: 10 * 60_000,
    message: 'There were too many wrong passwords for this site, some of them from your network.',
    hint: wait,
  },
} as const satisfies Record<string, GuessRule>

interface LastPoll {
  /** ms since the epoch. */
  readonly at: number
  /** Seconds that it has to wait each time. */
  readonly interval: number
}

/** How often each terminal may ask. */
export class PollThrottle {
  readonly #now: () => Date
  /** By hash of the device code. */
  readonly #polls = new LRUCache<string, LastPoll>(remembered)

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Notes that a terminal asked. The answer is Failure `authorization_pending`, or `slow_down` to one that asks too often. */
  poll(hash: string): Failure {
    const at = this.#now().getTime()
    const known = this.#polls.peek(hash)
    const hasty = known !== undefined && at - known.at < known.interval * 1000 - toleranceMs
    const interval = Math.min(longestSeconds, (known?.interval ?? pollSeconds) + (hasty ? addedSeconds : 0))
    this.#polls.set(hash, { at, interval })
    return hasty
      ? new Failure('slow_down', `You ask too often: wait ${interval} seconds each time.`, { retryAfter: interval })
      : new Failure('authorization_pending', 'Nobody has approved or denied it yet.')
  }

  forget(hash: string): void {
    this.#polls.delete(hash)
  }
}
