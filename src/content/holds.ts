/** Those who want something to wait. */
export class Holds {
  readonly #open = new Set<Promise<void>>()

  /** Until the function that it returns is called. */
  take(): () => void {
    let release: () => void = () => undefined
    const hold = new Promise<void>((resolve) => (release = resolve))
    this.#open.add(hold)
    return () => {
      this.#open.delete(hold)
      release()
    }
  }

  get any(): boolean {
    return this.#open.size > 0
  }

  /** When nobody wants to wait any more. Throws the reason of the signal when it is aborted before. */
  async released(signal?: AbortSignal): Promise<void> {
    let stop: () => void = () => undefined
    const aborted = new Promise<void>((resolve) => (stop = resolve))
    signal?.addEventListener('abort', stop)
    try {
      while (this.#open.size > 0) {
        signal?.throwIfAborted()
        await Promise.race([Promise.all(this.#open), aborted])
      }
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}
