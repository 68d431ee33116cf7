/** A mutex for each key: who asks for the same key waits its turn, in the order of asking; other keys do not wait. */
export class KeyedMutex {
  /** What the next one of a key waits for. */
  readonly #tails = new Map<string, Promise<void>>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(key)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Waits for the key and keeps it until the function that it returns is called. */
  async acquire(key: string): Promise<() => void> {
    let release: () => void = () => undefined
    const before = this.#tails.get(key)
    const mine = new Promise<void>((resolve) => (release = resolve))
    this.#tails.set(key, mine)
    await before
    return () => {
      if (this.#tails.get(key) === mine) this.#tails.delete(key)
      release()
    }
  }
}
