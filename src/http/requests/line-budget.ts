import { LRUCache } from 'lru-cache'

/** Lines that may come at once, and how many more each second. */
interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** Of all strangers together: 2 KB/s, about 150 MB a day, whatever they ask. */
const all: Rate = { burst: 600, perSecond: 5 }
/** Of one network of them, so that one that asks much does not hide the others. */
const each: Rate = { burst: 60, perSecond: 1 }
/** What the service could not answer, to whomever. */
const faults: Rate = { burst: 600, perSecond: 20 }
/** Networks that are remembered. */
const mostNetworks = 2000

class Bucket {
  readonly #rate: Rate
  #left: number
  #at: number

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#left = rate.burst
    this.#at = now
  }

  hasRoom(now: number): boolean {
    const { burst, perSecond } = this.#rate
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1000) * perSecond)
    this.#at = now
    return this.#left >= 1
  }

  take(): void {
    this.#left -= 1
  }
}

/** Bounds how much of a log strangers can fill, whoever they are and whatever they send. Times by `performance.now()`. */
export class LineBudget {
  readonly #all: Bucket
  readonly #faults: Bucket
  readonly #networks = new LRUCache<string, Bucket>({ max: mostNetworks })

  constructor(now: number) {
    this.#all = new Bucket(all, now)
    this.#faults = new Bucket(faults, now)
  }

  /** Takes a line of a stranger’s request, if there is one left. */
  take(network: string, now: number): boolean {
    const known = this.#networks.get(network)
    const own = known ?? new Bucket(each, now)
    if (known === undefined) this.#networks.set(network, own)
    if (!own.hasRoom(now) || !this.#all.hasRoom(now)) return false
    own.take()
    this.#all.take()
    return true
  }

  /** As `take`, of an answer that is the service’s own fault. */
  takeFault(now: number): boolean {
    const hasRoom = this.#faults.hasRoom(now)
    if (hasRoom) this.#faults.take()
    return hasRoom
  }
}
