/** Something of which each owner may have so much at a time: bytes on disk, requests that are being read. */
export class Budget {
  readonly #each: number
  readonly #taken = new Map<string, number>()

  /** @param each of one owner. */
  constructor(each: number) {
    this.#each = each
  }

  /** Whether so much more was there for the owner, and is theirs now. */
  take(owner: string, amount: number): boolean {
    const taken = (this.#taken.get(owner) ?? 0) + amount
    if (taken > this.#each) return false
    this.#taken.set(owner, taken)
    return true
  }

  giveBack(owner: string, amount: number): void {
    const taken = (this.#taken.get(owner) ?? 0) - amount
    if (taken > 0) this.#taken.set(owner, taken)
    else this.#taken.delete(owner)
  }
}
