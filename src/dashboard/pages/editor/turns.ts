/** Works that go one after the other, also after one that failed. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }
}
