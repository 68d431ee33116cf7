/** After the first change that is not written yet, so that a burst of keys is written once. */
const firstMs = 200
/** Between two beginnings, while typing goes on. */
const everyMs = 500
/** After a write that failed. */
const againMs = 2_000
/** A disk that does not answer for so long is told. */
const patienceMs = 900

/**
 * Decides when what is typed is written: soon after a change, at most every half second, one write at a time, and again
 * after one that failed. With a disk that works, nothing is unwritten for longer than a second.
 */
export class Journal {
  readonly #write: () => Promise<void>
  readonly #onTrouble: () => void
  #dirty = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #began = -Infinity
  #trouble: unknown

  /**
   * @param write takes what there is now, and writes it: durable when it resolves.
   * @param onTrouble told when `trouble` has changed.
   */
  constructor(write: () => Promise<void>, onTrouble: () => void) {
    this.#write = write
    this.#onTrouble = onTrouble
  }

  /** Why the last write failed; undefined where it did not. */
  get trouble(): unknown {
    return this.#trouble
  }

  /** Nothing waits to be written, nor is being written. */
  get isIdle(): boolean {
    return !this.#dirty && this.#writing === undefined
  }

  /** Something is to be written. */
  touch(): void {
    this.#dirty = true
    this.#schedule()
  }

  /** All that was noted is written when it resolves. @throws what the disk says. */
  async flush(): Promise<void> {
    while (this.#dirty || this.#writing !== undefined) {
      await (this.#writing ?? this.#run())
      if (this.#trouble !== undefined) throw this.#trouble
    }
  }

  /** Forgets what is not written yet, and waits for the write under way. */
  async stop(): Promise<void> {
    this.#dirty = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#writing
    this.#dirty = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#tell(undefined)
  }

  #schedule(): void {
    if (!this.#dirty || this.#timer !== undefined || this.#writing !== undefined) return
    const delay = this.#trouble === undefined ? Math.max(firstMs, this.#began + everyMs - performance.now()) : againMs
    this.#timer = setTimeout(() => void this.#run(), delay)
  }

  /** Does not throw: what failed is `trouble`. */
  #run(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#dirty = false
    this.#began = performance.now()
    const slow = setTimeout(() => this.#tell(new Error('the disk does not answer')), patienceMs)
    this.#writing = this.#write()
      .then(
        () => this.#tell(undefined),
        (error: unknown) => {
          this.#dirty = true
          this.#tell(error)
        },
      )
      .finally(() => {
        clearTimeout(slow)
        this.#writing = undefined
        this.#schedule()
      })
    return this.#writing
  }

  #tell(trouble: unknown): void {
    if (this.#trouble === trouble) return
    this.#trouble = trouble
    this.#onTrouble()
  }
}
