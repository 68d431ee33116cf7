import pLimit, { type LimitFunction } from 'p-limit'

/** One at a time for each key. */
export class Turns {
  readonly #turns = new Map<string, LimitFunction>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    let turn = this.#turns.get(key)
    if (turn === undefined) {
      turn = pLimit(1)
      this.#turns.set(key, turn)
    }
    try {
      return await turn(work)
    } finally {
      if (turn.activeCount + turn.pendingCount === 0 && this.#turns.get(key) === turn) this.#turns.delete(key)
    }
  }

  /** Waits for the turn and keeps it until the function that it returns is called. */
  hold(key: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.run(key, () => new Promise<void>((release) => resolve(release))).catch(reject)
    })
  }
}
