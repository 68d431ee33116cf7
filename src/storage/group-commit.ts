/**
 * Group commit: what comes while a write is under way goes into the next one together, so that a disk that flushes a
 * hundred times a second takes thousands of changes.
 */
export class GroupCommit<T> {
  readonly #commit: (batch: readonly T[]) => Promise<void>
  #waiting: T[] = []
  #working: Promise<void> | null = null

  /** @param commit writes a batch and tells each of its members how that went. Never rejects. */
  constructor(commit: (batch: readonly T[]) => Promise<void>) {
    this.#commit = commit
  }

  add(item: T): void {
    this.#waiting.push(item)
    this.#working ??= this.#work()
  }

  /** When nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#working
  }

  async #work(): Promise<void> {
    // What comes in the same tick belongs in the same write.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#commit(batch)
    }
    this.#working = null
  }
}
