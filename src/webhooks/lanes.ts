import { FairLimit, type FairLimitOptions } from './fair-limit.ts'

/** Places are divided among projects. */
export interface LanesOptions {
  /** Attempts under way of receivers that answer. */
  readonly quick: FairLimitOptions
  /** Attempts under way of receivers that were slow the last time. */
  readonly slow: FairLimitOptions
  /** Attempts under way in all. */
  readonly all: FairLimitOptions
  /** Milliseconds after which an attempt is slow, and its place in the quick lane somebody else’s. */
  readonly patience: number
}

/** Whom an attempt goes to. */
export interface Receiver {
  /** Slug. */
  readonly project: string
  /** Id. */
  readonly webhook: string
}

const defaults: LanesOptions = {
  quick: { places: 128, share: 16, reserve: 32 },
  slow: { places: 64, share: 8, reserve: 16 },
  all: { places: 512, share: 64, reserve: 128 },
  patience: 1000,
}

/**
 * Bounds how many attempts are under way, so that receivers that hang do not keep others waiting: an attempt holds a
 * place in the quick lane for a second at most, and a receiver that took longer uses the slow lane until it answers
 * quickly again. Each lane is divided fairly among projects.
 */
export class Lanes {
  readonly #quick: FairLimit
  readonly #slow: FairLimit
  readonly #all: FairLimit
  readonly #patience: number
  readonly #known = new Set<string>()

  constructor(options: LanesOptions = defaults) {
    this.#quick = new FairLimit(options.quick)
    this.#slow = new FairLimit(options.slow)
    this.#all = new FairLimit(options.all)
    this.#patience = options.patience
  }

  /** Runs an attempt when there is room. */
  async run<T>(receiver: Receiver, attempt: () => Promise<T>): Promise<T> {
    const key = keyOf(receiver)
    const timed = (): Promise<T> => this.#all.run(receiver.project, () => this.#time(key, attempt))
    if (this.#known.has(key)) return this.#slow.run(receiver.project, timed)
    let running: Promise<T> | undefined
    await this.#quick.run(receiver.project, () => {
      running = timed()
      return this.#atMost(running)
    })
    if (running === undefined) throw new Error('an attempt was not begun')
    return running
  }

  /** The receiver is gone. */
  forget(receiver: Receiver): void {
    this.#known.delete(keyOf(receiver))
  }

  async #time<T>(key: string, attempt: () => Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      return await attempt()
    } finally {
      if (performance.now() - began > this.#patience) this.#known.add(key)
      else this.#known.delete(key)
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

function keyOf({ project, webhook }: Receiver): string {
  return `${project} ${webhook}`
}
