type Close = () => Promise<unknown>

/** What was opened, in order; closed the other way round: first whatever may write, then what reading needs. */
export class Closers {
  readonly #writers: Close[] = []
  readonly #readers: Close[] = []
  #closingWriters: Promise<void> | undefined

  add(close: Close): void {
    this.#writers.push(close)
  }

  /** Of what writes nothing into the data directory, and is needed as long as anybody is answered. */
  addReader(close: Close): void {
    this.#readers.push(close)
  }

  /** Afterwards nothing is written into the data directory, and others may have it. */
  closeWriters(): Promise<void> {
    this.#closingWriters ??= closeAll(this.#writers)
    return this.#closingWriters
  }

  async close(): Promise<void> {
    await this.closeWriters()
    await closeAll(this.#readers)
  }
}

async function closeAll(opened: Close[]): Promise<void> {
  for (const close of opened.splice(0).toReversed()) await close()
}
