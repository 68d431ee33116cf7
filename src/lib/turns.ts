/** Milliseconds of one work at a stretch. */
const turnMs = 10

const waiting: (() => void)[] = []

/** One of them in each round of the event loop: however many works there are, a round stays short. */
function letOneGo(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(letOneGo)
}

/**
 * Long work on the event loop, done in turns: between two pieces of it, `if (turns.over) await turns.pass()`. No piece
 * may take long by itself.
 */
export class Turns {
  #since = performance.now()

  /** Whether this work has had its time for now. */
  get over(): boolean {
    return performance.now() - this.#since > turnMs
  }

  /** Lets everybody else go first. */
  async pass(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(letOneGo)
    })
    this.#since = performance.now()
  }
}
