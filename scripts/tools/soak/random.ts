/** Numbers that look like chance and are the same again for the same seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** At least `from`, less than `to`. */
  between(from: number, to: number): number {
    return from + this.#next() * (to - from)
  }

  /** True so often in `of` times on average. */
  once(of: number): boolean {
    return this.#next() * of < 1
  }

  /** Undefined for an empty list. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#next() * items.length)]
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
