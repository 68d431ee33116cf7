const slowest = 30_000

/**
 * Looks again and again at what may change by itself, for as long as there is a reason to: one look at a time, and after
 * a look that failed less and less often.
 */
export class Watch {
  readonly #look: () => Promise<number | undefined>
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #stopped = true

  /** @param look answers in how many milliseconds to look again; undefined: no more. What it throws is not told. */
  constructor(look: () => Promise<number | undefined>) {
    this.#look = look
  }

  /** Looks at once, and goes on however that ends. @param fail told why the first look failed */
  async begin(fail: (error: unknown) => void): Promise<void> {
    this.#stopped = false
    let next: number | undefined
    try {
      next = await this.#look()
    } catch (error) {
      fail(error)
      next = slowest
    }
    // It may have been stopped meanwhile: its view is closed, or covered.
    if (next !== undefined && !this.#stopped) this.start(next)
  }

  /** Looks in so many milliseconds; an earlier plan is given up. */
  start(milliseconds: number): void {
    this.#stopped = false
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), milliseconds)
    this.#timer.unref()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    let next: number | undefined
    try {
      next = await this.#look()
      this.#failures = 0
    } catch {
      // Whoever needs the answer asks for it, and is told; this is only to see it sooner.
      this.#failures += 1
      next = Math.min(slowest, 1000 * 2 ** this.#failures)
    }
    if (next !== undefined && !this.#stopped) this.start(next)
  }
}
