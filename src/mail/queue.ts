import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../contract/failure.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import type { Letter, Mailer } from './mailer.ts'
import { isRefusal, type Deliver } from './smtp.ts'

export interface MailQueueOptions {
  readonly deliver: Deliver
  /** Milliseconds before each attempt, counted from the end of the one before. */
  readonly waits?: readonly number[]
  /** Told of each attempt that failed, and of the end; never what a letter says or to whom. */
  readonly log: { warn(facts: object, message: string): void }
}

/** For a quarter of an hour: the links in letters are good for an hour. */
const usualWaits = [0, 10_000, 60_000, 300_000, 600_000]
/** Letters of one party that may wait. */
const mostOfAParty = 50
/** In all; beyond, a party that has none may add one. */
const manyWaiting = 1000
const mostWaiting = 5000

/**
 * Letters that wait to be sent, in memory: their links are secrets, of which only hashes are kept on disk. What is lost
 * with the process is asked for again. A letter that failed gives its turn to others while it waits.
 */
export class MailQueue implements Mailer {
  readonly #options: MailQueueOptions
  readonly #limit = new FairLimit({ slots: 4, firsts: 0, share: 1, reserve: 2 })
  readonly #ending = new AbortController()
  /** By party, waiting or under way. */
  readonly #parties = new Map<string, number>()
  readonly #letters = new Set<Promise<void>>()

  constructor(options: MailQueueOptions) {
    this.#options = options
    // Each letter that waits hears of the end.
    setMaxListeners(mostWaiting, this.#ending.signal)
  }

  post(party: string, write: () => Promise<Letter | null>): void {
    const own = this.#parties.get(party) ?? 0
    const { size } = this.#letters
    if (own >= mostOfAParty || size >= mostWaiting || (own > 0 && size >= manyWaiting)) throw tooMany()
    this.#parties.set(party, own + 1)
    const sent = this.#send(party, write)
      .catch((error: unknown) => this.#tell(error, 'a letter was not sent'))
      .finally(() => {
        this.#letters.delete(sent)
        const left = (this.#parties.get(party) ?? 1) - 1
        if (left === 0) this.#parties.delete(party)
        else this.#parties.set(party, left)
      })
    this.#letters.add(sent)
  }

  /** Drops what waits; what is under way has so many milliseconds to its end. */
  async close(within: number): Promise<void> {
    this.#ending.abort(new Error('the service ends'))
    await Promise.race([Promise.all(this.#letters), sleep(within, undefined, { ref: false })])
  }

  async #send(party: string, write: () => Promise<Letter | null>): Promise<void> {
    const { signal } = this.#ending
    let letter: Letter | null | undefined
    for (const wait of this.#options.waits ?? usualWaits) {
      if (wait > 0) await sleep(wait, undefined, { signal, ref: false })
      const isDone = await this.#limit.run(
        party,
        async () => {
          letter ??= await write()
          return letter === null || (await this.#attempt(letter))
        },
        signal,
      )
      if (isDone) return
    }
    throw new Error('the server of mail did not take it')
  }

  /** Whether it is sent, or never will be. */
  async #attempt(letter: Letter): Promise<boolean> {
    try {
      await this.#options.deliver(letter)
      return true
    } catch (error) {
      const isOver = isRefusal(error)
      this.#tell(error, isOver ? 'a letter was refused' : 'a letter could not be sent yet')
      return isOver
    }
  }

  #tell(error: unknown, message: string): void {
    const { code, responseCode, command } = error as Readonly<Record<'code' | 'responseCode' | 'command', unknown>>
    const reason = error instanceof Error && responseCode === undefined ? error.message : undefined
    this.#options.log.warn({ code, responseCode, command, reason }, message)
  }
}

function tooMany(): Failure {
  return new Failure('rate_limited', 'Too many letters wait to be sent at the moment.', {
    retryAfter: 60,
    hint: 'Try again in a minute.',
  })
}
