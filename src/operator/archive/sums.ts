/** A list of digests as sha256sum(1) writes and checks it: one line an entry, digest first. */
export class Sums {
  readonly #lines: string[] = []

  add(name: string, sha256: string): void {
    this.#lines.push(`${sha256}  ${name}\n`)
  }

  get size(): number {
    return this.#lines.length
  }

  /** The same names with the same digests, in the same order. */
  toString(): string {
    return this.#lines.join('')
  }
}

export const sumsName = 'SHA256SUMS'
