/** A secret that stands in a text. What it is stays where it was found. */
export interface FoundSecret {
  /** From 1. */
  readonly line: number
  /** For people: `an AWS access key`. */
  readonly kind: string
}
