/** Two maps as one without a copy of either: what the upper one has hides what the lower one has. */
export class LayeredMap<Key, Value> implements ReadonlyMap<Key, Value> {
  readonly #upper: ReadonlyMap<Key, Value>
  readonly #lower: ReadonlyMap<Key, Value>

  constructor(upper: ReadonlyMap<Key, Value>, lower: ReadonlyMap<Key, Value>) {
    this.#upper = upper
    this.#lower = lower
  }

  get(key: Key): Value | undefined {
    return this.#upper.has(key) ? this.#upper.get(key) : this.#lower.get(key)
  }

  has(key: Key): boolean {
    return this.#upper.has(key) || this.#lower.has(key)
  }

  /** Counted anew each time. */
  get size(): number {
    let size = this.#lower.size
    for (const key of this.#upper.keys()) if (!this.#lower.has(key)) size += 1
    return size
  }

  *entries(): MapIterator<[Key, Value]> {
    yield* this.#upper
    for (const entry of this.#lower) if (!this.#upper.has(entry[0])) yield entry
  }

  *keys(): MapIterator<Key> {
    for (const [key] of this.entries()) yield key
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries()
  }

  forEach(each: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) each(value, key, this)
  }
}
