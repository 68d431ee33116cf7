/** What was opened, in order; closed the other way round. */
export class Closers {
  readonly #closers: (() => Promise<unknown>)[] = []

  add(close: () => Promise<unknown>): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).toReversed()) await close()
  }
}
