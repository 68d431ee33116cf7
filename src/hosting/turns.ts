/** Who keeps a project's files as they are, and who removes some: one at a time, in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()

  async run<T>(project: string, work: () => Promise<T>): Promise<T> {
    const release = await this.take(project)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Waits for the turn and keeps it until the function that it returns is called. */
  async take(project: string): Promise<() => void> {
    let release: () => void = () => undefined
    const before = this.#last.get(project)
    const mine = new Promise<void>((resolve) => (release = resolve))
    this.#last.set(project, mine)
    await before
    return () => {
      if (this.#last.get(project) === mine) this.#last.delete(project)
      release()
    }
  }
}
