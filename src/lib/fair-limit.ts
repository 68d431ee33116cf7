import { tellMeasured } from './measured.ts'

export interface FairLimitOptions {
  /** What the numbers of the process call it; default: they do not tell how long work waits for it. */
  readonly name?: string
  /** Work under way at once that owners share. */
  readonly slots: number
  /** Beyond those, so many owners who would have nothing under way may begin one thing each: a few cannot stop the others. */
  readonly firsts: number
  /** Slots that one owner has at most once no more than `reserve` are free: those are for owners who have fewer. */
  readonly share: number
  readonly reserve: number
  /** Works of one owner that may wait; default: any number. */
  readonly queue?: number
}

/** Work that waits for a slot. */
interface Waiting {
  readonly grant: () => void
}

/**
 * Bounds how much work is under way and divides the slots among its owners: a free slot goes to the owner with the
 * fewest, so that nobody waits for all the work of somebody else, and who has none waits only when very many owners have
 * one: `slots / share + firsts` accounts together. Of one owner first come is first served.
 */
export class FairLimit {
  readonly #options: FairLimitOptions
  #busy = 0
  readonly #held = new Map<string, number>()
  /** Who waits for a slot, by owner; the owner that was served longest ago is first. */
  readonly #waiting = new Map<string, Set<Waiting>>()

  constructor(options: FairLimitOptions) {
    this.#options = options
  }

  /** Whether as much work of an owner waits as may wait. `run` does not ask: what to say to whom is the caller’s. */
  isFull(owner: string): boolean {
    return (this.#waiting.get(owner)?.size ?? 0) >= (this.#options.queue ?? Infinity)
  }

  /** Whether an owner waits who has nothing under way: as many others have something as may. */
  isStarving(owner: string): boolean {
    return this.#waiting.has(owner) && this.#heldBy(owner) === 0
  }

  /** Does the work when there is a slot for its owner. Throws the signal’s reason when nobody waits for it any more. */
  async run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(owner, signal)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Waits for a slot and holds it until the function that it returns is called, once. Throws as `run` does. */
  async acquire(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const since = performance.now()
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.#leave(owner, waiting)
        // The reason of a signal is what its owner says it is.
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        grant: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      const others = this.#waiting.get(owner)
      if (others === undefined) this.#waiting.set(owner, new Set([waiting]))
      else others.add(waiting)
      this.#grant()
    })
    if (this.#options.name !== undefined) tellMeasured('queue', this.#options.name, since)
    return () => this.#release(owner)
  }

  #leave(owner: string, waiting: Waiting): void {
    const others = this.#waiting.get(owner)
    others?.delete(waiting)
    if (others?.size === 0) this.#waiting.delete(owner)
  }

  #release(owner: string): void {
    this.#busy -= 1
    const held = this.#heldBy(owner) - 1
    if (held === 0) this.#held.delete(owner)
    else this.#held.set(owner, held)
    this.#grant()
  }

  #grant(): void {
    for (let owner = this.#next(); owner !== undefined; owner = this.#next()) {
      const waiting = this.#waiting.get(owner) ?? new Set()
      this.#waiting.delete(owner)
      const [first] = waiting
      if (first === undefined) continue
      waiting.delete(first)
      // Behind all others that wait.
      if (waiting.size > 0) this.#waiting.set(owner, waiting)
      this.#busy += 1
      this.#held.set(owner, this.#heldBy(owner) + 1)
      first.grant()
    }
  }

  /** Whose turn it is: when the one with the fewest slots may have none, nobody may. */
  #next(): string | undefined {
    const { slots, firsts, share, reserve } = this.#options
    if (this.#busy >= slots + firsts) return undefined
    let next: string | undefined
    for (const owner of this.#waiting.keys())
      if (next === undefined || this.#heldBy(owner) < this.#heldBy(next)) next = owner
    if (next === undefined || this.#heldBy(next) === 0) return next
    if (this.#busy >= slots) return undefined
    if (this.#heldBy(next) < share) return next
    return this.#busy < slots - reserve ? next : undefined
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }
}
