/** How slow a peer may be. */
export interface Pace {
  /** Milliseconds that it may keep us waiting whatever comes. */
  readonly graceMs: number
  /** What has to pass on average beyond that. */
  readonly bytesPerSecond: number
}

/** Half a modem’s worth; what stands still is noticed after half a minute. */
export const slowestPace: Pace = { graceMs: 30_000, bytesPerSecond: 16 * 1024 }

/** Of Node, in milliseconds: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1

/** Adds up how long a peer has kept us waiting: only that counts, not the time that our own work takes. */
export class PaceMeter {
  readonly #pace: Pace
  readonly #now: () => number
  #waitedMs = 0
  #bytes = 0
  /** Since when it keeps us waiting now. */
  #since: number | undefined

  /** @param now milliseconds of a clock that never goes back. */
  constructor(pace: Pace, now: () => number = () => performance.now()) {
    this.#pace = pace
    this.#now = now
  }

  /** Milliseconds that the peer may still keep us waiting before more comes through; not above 0: it was too slow. */
  get leftMs(): number {
    return this.leftAt(this.#pace)
  }

  /** As `leftMs`, at another pace. */
  leftAt({ graceMs, bytesPerSecond }: Pace): number {
    const waitedMs = this.#waitedMs + (this.#since === undefined ? 0 : this.#now() - this.#since)
    return Math.min(graceMs + (this.#bytes / bytesPerSecond) * 1000 - waitedMs, longestTimer)
  }

  /** Begins to wait, once at a time. The function that it returns ends that, and is told how many bytes came through. */
  wait(): (bytes: number) => void {
    const since = this.#now()
    this.#since = since
    return (bytes) => {
      this.#since = undefined
      this.#waitedMs += this.#now() - since
      this.#bytes += bytes
    }
  }
}
