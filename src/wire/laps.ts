/** How long the parts of a start took, in milliseconds. */
export class Laps {
  readonly #began = performance.now()
  #at = this.#began
  readonly parts: Record<string, number> = {}

  /** What was done since the last one. */
  lap(name: string): void {
    const now = performance.now()
    this.parts[name] = Math.round(now - this.#at)
    this.#at = now
  }

  get total(): number {
    return Math.round(performance.now() - this.#began)
  }
}
