/**
 * Something of which each owner may have so much at a time: bytes on disk or in memory, requests that are being read.
 *
 * Where there is a bound over all of them, an owner may have at most as much as is left for others then: one alone half of
 * it, ten an eleventh each. So there is some left for whoever comes next, however many hold all that they can get.
 */
export class Budget {
  readonly #each: number
  readonly #all: number
  readonly #taken = new Map<string, number>()
  #sum = 0

  /**
   * @param each of one owner.
   * @param all of all owners.
   */
  constructor(each: number, all = Infinity) {
    this.#each = each
    this.#all = all
  }

  /** Whether so much more was there for the owner, and is theirs now. */
  take(owner: string, amount: number): boolean {
    const taken = (this.#taken.get(owner) ?? 0) + amount
    const sum = this.#sum + amount
    if (taken > Math.min(this.#each, this.#all - sum)) return false
    this.#taken.set(owner, taken)
    this.#sum = sum
    return true
  }

  giveBack(owner: string, amount: number): void {
    const taken = (this.#taken.get(owner) ?? 0) - amount
    this.#sum -= amount
    if (taken > 0) this.#taken.set(owner, taken)
    else this.#taken.delete(owner)
  }
}
