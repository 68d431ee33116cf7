/** What the service said last, also where it cannot be reached now. */
export interface Loaded<T> {
  readonly value: T
  /** When it was so. */
  readonly asOf: Date
  /** The service could not be reached: this is what was kept here. */
  readonly offline: boolean
}
