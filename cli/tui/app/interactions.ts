import { AsyncLocalStorage } from 'node:async_hooks'
import type { View } from './view.ts'

/**
 * Remembers of each input on which view it was made, for all that it leads to, however much later: what a command asks
 * when it has waited for the service must not come up over a view that the person has gone to meanwhile.
 */
export class Interactions {
  /** The views that what is under way may ask on: where it began, and where it led the person itself. */
  readonly #own = new AsyncLocalStorage<Set<View>>()
  readonly #top: () => View | undefined

  constructor(top: () => View | undefined) {
    this.#top = top
  }

  /** Does what an input on the view on top asks for, or what that view begins when it is shown. */
  begin<T>(work: () => T): T {
    const view = this.#top()
    return this.#own.run(new Set(view === undefined ? [] : [view]), work)
  }

  /** The view on top is another one: whoever led there goes on there. */
  led(): void {
    const view = this.#top()
    if (view !== undefined) this.#own.getStore()?.add(view)
  }

  /** Does what is no view’s, such as to ask for a sign-in: that may be asked anywhere. */
  anywhere<T>(work: () => T): T {
    return this.#own.exit(work)
  }

  /** Whether the person is where this was begun. */
  get isHere(): boolean {
    const own = this.#own.getStore()
    const view = this.#top()
    return own === undefined || view === undefined || own.has(view)
  }
}
