import pLimit, { type LimitFunction } from 'p-limit'

export interface LanesOptions {
  /** Attempts under way of receivers that answer. */
  readonly quick: number
  /** Attempts under way of receivers that were slow the last time. */
  readonly slow: number
  /** Attempts under way in all. */
  readonly all: number
  /** Milliseconds after which an attempt is slow, and its place in the quick lane somebody else’s. */
  readonly patience: number
}

/**
 * Bounds how many attempts are under way, so that receivers that hang do not keep others waiting: an attempt holds a
 * place in the quick lane for a second at most, and a receiver that took longer uses the slow lane until it answers
 * quickly again.
 */
export class Lanes {
  readonly #quick: LimitFunction
  readonly #slow: LimitFunction
  readonly #all: LimitFunction
  readonly #patience: number
  readonly #known = new Set<string>()

  constructor(options: LanesOptions = { quick: 128, slow: 64, all: 512, patience: 1000 }) {
    this.#quick = pLimit(options.quick)
    this.#slow = pLimit(options.slow)
    this.#all = pLimit(options.all)
    this.#patience = options.patience
  }

  /** Runs an attempt when there is room. @param receiver whom it goes to. */
  async run<T>(receiver: string, attempt: () => Promise<T>): Promise<T> {
    const timed = (): Promise<T> => this.#all(() => this.#time(receiver, attempt))
    if (this.#known.has(receiver)) return this.#slow(timed)
    let running: Promise<T> | undefined
    await this.#quick(() => {
      running = timed()
      return this.#atMost(running)
    })
    if (running === undefined) throw new Error('an attempt was not begun')
    return running
  }

  /** The receiver is gone. */
  forget(receiver: string): void {
    this.#known.delete(receiver)
  }

  async #time<T>(receiver: string, attempt: () => Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      return await attempt()
    } finally {
      if (performance.now() - began > this.#patience) this.#known.add(receiver)
      else this.#known.delete(receiver)
    }
  }

  /** Settles with the attempt, whatever became of it, or when patience is at its end. */
  async #atMost(running: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#patience)
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
