import type { View } from './view.ts'

/** The views that lie one over the other; the person sees the last one, and Esc goes back to the one before it. */
export class ViewStack {
  readonly #views: View[] = []
  readonly #shown: (view: View) => void

  /** @param shown has a view shown that is on top now, and was not before */
  constructor(shown: (view: View) => void) {
    this.#shown = shown
  }

  get all(): readonly View[] {
    return this.#views
  }

  get top(): View | undefined {
    return this.#views.at(-1)
  }

  push(view: View): void {
    this.top?.hidden?.()
    this.#views.push(view)
    this.#shown(view)
  }

  /** Closes so many from the top, and shows the one below them; the first view stays. */
  pop(count = 1): void {
    if (this.#views.length <= 1) return
    for (const left of this.#views.splice(Math.max(1, this.#views.length - count)).toReversed()) left.closed?.()
    if (this.top !== undefined) this.#shown(this.top)
  }

  /** @param view takes the place of the top */
  replace(view: View): void {
    this.#views.pop()?.closed?.()
    this.push(view)
  }

  /** Leaves all of them, and begins with another one. */
  restart(view: View): void {
    this.close()
    this.push(view)
  }

  /** Closes the top where the person does not want to stay. */
  async back(): Promise<void> {
    const view = this.top
    if ((await view?.mayLeave?.()) === false || view !== this.top) return
    this.pop()
  }

  /** Goes back to the view at an index, as far as the person does not want to stay in one before it. */
  async backTo(index: number): Promise<void> {
    for (let view = this.top; this.#views.length > index + 1; view = this.top) {
      await this.back()
      if (this.top === view) return
    }
  }

  /** False where the person wants to stay in one of them. */
  async mayLeave(): Promise<boolean> {
    for (const view of this.#views.toReversed()) if ((await view.mayLeave?.()) === false) return false
    return true
  }

  close(): void {
    for (const left of this.#views.splice(0).toReversed()) left.closed?.()
  }
}
