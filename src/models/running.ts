import type { Generation } from '../contract/generation.ts'

/**
 * A generation that is under way, for any number who read it: each gets the text from its beginning, at its own pace, and
 * waits for nobody else. All of the text is kept, which is bounded, and nothing more for those who are slow.
 */
export class RunningGeneration {
  readonly #parts: string[] = []
  #generation: Generation | undefined
  #failure: { readonly error: unknown } | undefined
  #changed = new Deferred()
  readonly #begun = new Deferred()
  readonly #over = new Deferred()

  /** One that is over already. */
  static of(generation: Generation): RunningGeneration {
    const running = new RunningGeneration()
    running.add(generation.content)
    running.finish(generation)
    return running
  }

  /** Settles with the first text, or the end; rejects with a failure before. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  /** Settles when nothing comes any more. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  add(text: string): void {
    if (text === '') return
    this.#parts.push(text)
    this.#begun.resolve()
    this.#change()
  }

  finish(generation: Generation): void {
    this.#generation = generation
    this.#begun.resolve()
    this.#over.resolve()
    this.#change()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#begun.promise.catch(() => undefined)
    this.#begun.reject(error)
    this.#over.resolve()
    this.#change()
  }

  /** Texts as they come: all that came meanwhile in one. Returns the whole, or throws what it failed with. */
  async *read(): AsyncGenerator<string, Generation, undefined> {
    for (let at = 0; ;) {
      const changed = this.#changed.promise
      if (at < this.#parts.length) {
        const text = this.#parts.slice(at).join('')
        at = this.#parts.length
        yield text
        continue
      }
      if (this.#failure !== undefined) throw this.#failure.error
      if (this.#generation !== undefined) return this.#generation
      await changed
    }
  }

  /** The whole, or throws what it failed with. */
  async whole(): Promise<Generation> {
    await this.#over.promise
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#generation === undefined) throw new Error('a generation is over without an end')
    return this.#generation
  }

  #change(): void {
    this.#changed.resolve()
    this.#changed = new Deferred()
  }
}

/** A promise that is settled from outside. */
class Deferred {
  resolve: () => void = () => undefined
  reject: (error: unknown) => void = () => undefined
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve
    this.reject = reject
  })
}
