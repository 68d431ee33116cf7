import { timeOf, type EntryRecord } from './entry.ts'

/** Entries by time, then by number. */
export class TimeOrder {
  /** Oldest first: what is new is put in near the end. */
  readonly #records: EntryRecord[]

  constructor(records: Iterable<EntryRecord> = []) {
    this.#records = [...records].sort(compare)
  }

  get size(): number {
    return this.#records.length
  }

  add(record: EntryRecord): void {
    this.#records.splice(this.#positionOf(record), 0, record)
  }

  /** Takes out the record of the same entry at the same time. */
  remove(record: EntryRecord): void {
    const place = this.#positionOf(record)
    if (this.#records[place]?.id === record.id) this.#records.splice(place, 1)
  }

  /** How many are not later than a time. */
  countUntil(time: number): number {
    return lowerBound(this.#records, (record) => timeOf(record) <= time)
  }

  /** How many come before a place, which need not be taken: older, or of the same time with a smaller number. */
  countBefore(position: ListPosition): number {
    return lowerBound(this.#records, (record) => comparePositions(positionOf(record), position) < 0)
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

  #positionOf(record: EntryRecord): number {
    return lowerBound(this.#records, (other) => compare(other, record) < 0)
  }
}

/** Where an entry stands in an order. */
export interface ListPosition {
  readonly time: number
  readonly number: number
}

export function positionOf(record: EntryRecord): ListPosition {
  return { time: timeOf(record), number: record.number }
}

function comparePositions(a: ListPosition, b: ListPosition): number {
  return a.time - b.time || a.number - b.number
}

function compare(a: EntryRecord, b: EntryRecord): number {
  return comparePositions(positionOf(a), positionOf(b))
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

/** All entries of a project in memory, without their texts: about 300 bytes each. */
export class EntryIndex {
  readonly #byId = new Map<string, EntryRecord>()
  /** Every entry. */
  readonly all: TimeOrder
  /** Those that are no drafts: what is scheduled stands at the end. */
  readonly dated: TimeOrder
  readonly #byTag = new Map<string, TimeOrder>()
  readonly #pending = new Set<string>()
  #next = 1

  constructor(records: Iterable<EntryRecord> = []) {
    const tagged = new Map<string, EntryRecord[]>()
    const dated: EntryRecord[] = []
    for (const record of records) {
      this.#keep(record)
      if (record.isDraft) continue
      dated.push(record)
      for (const tag of record.tags) {
        const list = tagged.get(tag)
        if (list === undefined) tagged.set(tag, [record])
        else list.push(record)
      }
    }
    this.all = new TimeOrder(this.#byId.values())
    this.dated = new TimeOrder(dated)
    for (const [tag, list] of tagged) this.#byTag.set(tag, new TimeOrder(list))
  }

  get size(): number {
    return this.#byId.size
  }

  /** The number of the next entry. */
  get next(): number {
    return this.#next
  }

  get(id: string): EntryRecord | undefined {
    return this.#byId.get(id)
  }

  /** Entries that are no drafts and have a tag. */
  tagged(tag: string): TimeOrder {
    return this.#byTag.get(tag) ?? new TimeOrder()
  }

  /** Entries that have still to be announced. */
  pending(): readonly EntryRecord[] {
    return [...this.#pending].flatMap((id) => this.#byId.get(id) ?? [])
  }

  put(record: EntryRecord): void {
    this.remove(record.id)
    this.#keep(record)
    this.all.add(record)
    if (record.isDraft) return
    this.dated.add(record)
    for (const tag of record.tags) {
      const order = this.#byTag.get(tag) ?? new TimeOrder()
      order.add(record)
      this.#byTag.set(tag, order)
    }
  }

  remove(id: string): void {
    const record = this.#byId.get(id)
    if (record === undefined) return
    this.#byId.delete(id)
    this.#pending.delete(id)
    this.all.remove(record)
    this.dated.remove(record)
    for (const tag of record.tags) {
      const order = this.#byTag.get(tag)
      order?.remove(record)
      if (order?.size === 0) this.#byTag.delete(tag)
    }
  }

  #keep(record: EntryRecord): void {
    this.#byId.set(record.id, record)
    if (record.pending) this.#pending.add(record.id)
    this.#next = Math.max(this.#next, record.number + 1)
  }
}
