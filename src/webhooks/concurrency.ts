import { FairLimit, type FairLimitOptions } from '../lib/fair-limit.ts'

/** The slots of each limit are divided among the owners of projects. */
export interface ConcurrencyOptions {
  /** Attempts under way of receivers that answer. */
  readonly quick: FairLimitOptions
  /** Attempts under way of receivers that were slow the last time. */
  readonly slow: FairLimitOptions
  /** Attempts under way in all. */
  readonly all: FairLimitOptions
  /** Milliseconds after which an attempt is slow and gives back its slot among the quick ones. */
  readonly slowAfterMs: number
}

/** Whom an attempt goes to. */
export interface Receiver {
  /** Id. */
  readonly project: string
  /** Id. */
  readonly webhook: string
}

const defaults: ConcurrencyOptions = {
  quick: { slots: 128, share: 16, reserve: 32, firsts: 128 },
  slow: { slots: 64, share: 8, reserve: 16, firsts: 128 },
  all: { slots: 512, share: 64, reserve: 128, firsts: 256 },
  slowAfterMs: 1000,
}

/**
 * Bounds how many attempts are under way, so that receivers that hang do not keep others waiting: an attempt holds a
 * quick slot for a second at most, and a receiver that took longer uses the slow slots until it answers quickly again.
 * Both kinds, and the total, are divided fairly among the owners of projects.
 */
export class DeliveryConcurrency {
  readonly #ownerOf: (project: string) => string
  readonly #quick: FairLimit
  readonly #slow: FairLimit
  readonly #all: FairLimit
  readonly #slowAfterMs: number
  readonly #slowReceivers = new Set<string>()

  constructor(ownerOf: (project: string) => string, options: ConcurrencyOptions = defaults) {
    this.#ownerOf = ownerOf
    this.#quick = new FairLimit(options.quick)
    this.#slow = new FairLimit(options.slow)
    this.#all = new FairLimit(options.all)
    this.#slowAfterMs = options.slowAfterMs
  }

  /** Runs an attempt when there is room. */
  async run<T>(receiver: Receiver, attempt: () => Promise<T>): Promise<T> {
    const key = keyOf(receiver)
    const owner = this.#ownerOf(receiver.project)
    const timed = (): Promise<T> => this.#all.run(owner, () => this.#time(key, attempt))
    if (this.#slowReceivers.has(key)) return this.#slow.run(owner, timed)
    let running: Promise<T> | undefined
    await this.#quick.run(owner, () => {
      running = timed()
      return this.#atMost(running)
    })
    if (running === undefined) throw new Error('an attempt was not begun')
    return running
  }

  /** The receiver is gone. */
  forget(receiver: Receiver): void {
    this.#slowReceivers.delete(keyOf(receiver))
  }

  async #time<T>(key: string, attempt: () => Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      return await attempt()
    } finally {
      if (performance.now() - began > this.#slowAfterMs) this.#slowReceivers.add(key)
      else this.#slowReceivers.delete(key)
    }
  }

  /** Settles with the attempt, whatever became of it, or once it is slow. */
  async #atMost(running: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#slowAfterMs)
      timer.unref()
    })
    const ended = running.then(
      () => undefined,
      () => undefined,
    )
    await Promise.race([ended, late])
    clearTimeout(timer)
  }
}

function keyOf({ project, webhook }: Receiver): string {
  return `${project} ${webhook}`
}
