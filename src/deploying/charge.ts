import type { Reserved } from '../usage/usage.ts'

/**
 * What a deploy takes of the plan: one when its files are others than those that are live, which is known before anything
 * is written or built; else nothing, so that the plan need not have any left.
 */
export class Charge {
  readonly #reserve: () => Promise<Reserved>
  readonly #deploy: string
  #reserved: Reserved | undefined
  #held: Promise<void> = Promise.resolve()

  /** @param deploy Id under which a crash leaves it. */
  constructor(deploy: string, reserve: () => Promise<Reserved>) {
    this.#deploy = deploy
    this.#reserve = reserve
  }

  /** The files are others than the live ones, or the same (which they may become while refs move). Throws Failure `quota_exceeded`. */
  async decide(changes: boolean): Promise<void> {
    if (!changes) return this.giveBack()
    if (this.#reserved !== undefined) return
    this.#reserved = await this.#reserve()
    this.#held = this.#reserved.hold(this.#deploy)
    this.#held.catch(() => undefined)
  }

  /** Settles when what was taken outlives the process: before the point of no return. */
  held(): Promise<void> {
    return this.#held
  }

  /** The deploy is live. Durable. */
  async use(): Promise<void> {
    await this.#reserved?.settle(1)
  }

  /** Nothing came of it. Never rejects. */
  async giveBack(): Promise<void> {
    const reserved = this.#reserved
    this.#reserved = undefined
    await reserved?.settle(0)
  }
}
