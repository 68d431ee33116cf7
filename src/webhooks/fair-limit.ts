export interface FairLimitOptions {
  /** Work under way at once. */
  readonly places: number
  /** Places that one owner has at most once no more than `reserve` are free: those are for owners who have fewer. */
  readonly share: number
  readonly reserve: number
}

/**
 * Bounds how much work is under way, and divides the places among whoever wants them: a place that becomes free goes to
 * the owner with the fewest, so that nobody waits for all the work of somebody else. Of one owner first come is first
 * served.
 */
export class FairLimit {
  readonly #options: FairLimitOptions
  #busy = 0
  readonly #held = new Map<string, number>()
  /** Who waits for a place, by owner; the owner that was served longest ago is first. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(options: FairLimitOptions) {
    this.#options = options
  }

  /** Does the work when there is a place for its owner. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await this.#place(owner)
    try {
      return await work()
    } finally {
      this.#leave(owner)
    }
  }

  #place(owner: string): Promise<void> {
    const placed = new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(owner)
      if (waiting === undefined) this.#waiting.set(owner, [resolve])
      else waiting.push(resolve)
    })
    this.#fill()
    return placed
  }

  #leave(owner: string): void {
    this.#busy -= 1
    const held = this.#heldBy(owner) - 1
    if (held === 0) this.#held.delete(owner)
    else this.#held.set(owner, held)
    this.#fill()
  }

  #fill(): void {
    for (let owner = this.#next(); owner !== undefined; owner = this.#next()) {
      const [first, ...others] = this.#waiting.get(owner) ?? []
      this.#waiting.delete(owner)
      if (others.length > 0) this.#waiting.set(owner, others)
      this.#busy += 1
      this.#held.set(owner, this.#heldBy(owner) + 1)
      first?.()
    }
  }

  /** Whose turn it is: when the one with the fewest places may have none, nobody may. */
  #next(): string | undefined {
    const { places, share, reserve } = this.#options
    if (this.#busy >= places) return undefined
    let next: string | undefined
    for (const owner of this.#waiting.keys())
      if (next === undefined || this.#heldBy(owner) < this.#heldBy(next)) next = owner
    if (next === undefined || this.#heldBy(next) < share) return next
    return this.#busy < places - reserve ? next : undefined
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }
}
