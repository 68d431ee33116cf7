import { isNarrow, looksInside } from './nesting.ts'

/** What is around that which is being rendered. */
export class Surroundings {
  #name = ''
  #isInIsland = false

  /** The element or component that it stands in; empty at the top of a page. */
  get name(): string {
    return this.#name
  }

  /** It is what an island shows first: it handles events, and what it uses is part of the island. */
  get isInIsland(): boolean {
    return this.#isInIsland
  }

  /** It stands directly in what holds some elements only, and no island. */
  get isTight(): boolean {
    return isNarrow(this.#name) || looksInside(this.#name)
  }

  /** Renders what an element or a component holds. */
  within<T>(name: string, render: () => T): T {
    const before = this.#name
    if (name !== 'p') this.#name = name
    try {
      return render()
    } finally {
      this.#name = before
    }
  }

  /** Renders what an island shows first, or what it holds. */
  inIsland<T>(render: () => T): T {
    return this.#whether(true, render)
  }

  /** Renders what stands in an island and is no part of it. */
  outOfIsland<T>(render: () => T): T {
    return this.#whether(false, render)
  }

  #whether<T>(isInIsland: boolean, render: () => T): T {
    const before = this.#isInIsland
    this.#isInIsland = isInIsland
    try {
      return render()
    } finally {
      this.#isInIsland = before
    }
  }
}
