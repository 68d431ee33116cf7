import { timeOf, type EntryRecord } from './record.ts'

/** Entries by time, then by number. */
export class Order {
  /** Oldest first: what is new is put in near the end. */
  readonly #records: EntryRecord[]

  constructor(records: Iterable<EntryRecord> = []) {
    this.#records = [...records].sort(compare)
  }

  get size(): number {
    return this.#records.length
  }

  add(record: EntryRecord): void {
    this.#records.splice(this.#placeOf(record), 0, record)
  }

  /** Takes out the record of the same entry at the same time. */
  remove(record: EntryRecord): void {
    const place = this.#placeOf(record)
    if (this.#records[place]?.id === record.id) this.#records.splice(place, 1)
  }

  /** How many are not later than a time. */
  countUntil(time: number): number {
    return lowerBound(this.#records, (record) => timeOf(record) <= time)
  }

  /** How many come before a place, which need not be taken: older, or of the same time with a smaller number. */
  countBefore(place: Place): number {
    return lowerBound(this.#records, (record) => comparePlaces(placeOf(record), place) < 0)
  }

  /** Newest first, from the `end`th oldest on. */
  *backwards(end: number): Generator<EntryRecord> {
    for (let index = Math.min(end, this.size) - 1; index >= 0; index--) {
      const record = this.#records[index]
      if (record !== undefined) yield record
    }
  }

  /** The oldest. */
  get first(): EntryRecord | undefined {
    return this.#records[0]
  }

  #placeOf(record: EntryRecord): number {
    return lowerBound(this.#records, (other) => compare(other, record) < 0)
  }
}

/** Where an entry stands in an order. */
export interface Place {
  readonly time: number
  readonly number: number
}

export function placeOf(record: EntryRecord): Place {
  return { time: timeOf(record), number: record.number }
}

function comparePlaces(a: Place, b: Place): number {
  return a.time - b.time || a.number - b.number
}

function compare(a: EntryRecord, b: EntryRecord): number {
  return comparePlaces(placeOf(a), placeOf(b))
}

/** How many items at the beginning hold; those that hold come first. */
function lowerBound<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && holds(item)) low = middle + 1
    else high = middle
  }
  return low
}
