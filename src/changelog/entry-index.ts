import { Order } from './order.ts'
import type { EntryRecord } from './record.ts'

/** All entries of a project in memory, without their texts: about 300 bytes each. */
export class EntryIndex {
  readonly #byId = new Map<string, EntryRecord>()
  /** Every entry. */
  readonly all: Order
  /** Those that are no drafts: what is scheduled stands at the end. */
  readonly dated: Order
  readonly #byTag = new Map<string, Order>()
  readonly #pending = new Set<string>()
  /** Tags are few and entries many: each text is kept once. */
  readonly #tags = new Map<string, string>()
  #next = 1

  constructor(records: Iterable<EntryRecord> = []) {
    const tagged = new Map<string, EntryRecord[]>()
    const dated: EntryRecord[] = []
    for (const given of records) {
      const record = this.#keep(given)
      if (record.isDraft) continue
      dated.push(record)
      for (const tag of record.tags) {
        const list = tagged.get(tag)
        if (list === undefined) tagged.set(tag, [record])
        else list.push(record)
      }
    }
    this.all = new Order(this.#byId.values())
    this.dated = new Order(dated)
    for (const [tag, list] of tagged) this.#byTag.set(tag, new Order(list))
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

  values(): IterableIterator<EntryRecord> {
    return this.#byId.values()
  }

  /** Entries that are no drafts and have a tag. */
  tagged(tag: string): Order {
    return this.#byTag.get(tag) ?? new Order()
  }

  /** Entries that have still to be announced. */
  pending(): readonly EntryRecord[] {
    return [...this.#pending].flatMap((id) => this.#byId.get(id) ?? [])
  }

  put(given: EntryRecord): void {
    this.remove(given.id)
    const record = this.#keep(given)
    this.all.add(record)
    if (record.isDraft) return
    this.dated.add(record)
    for (const tag of record.tags) {
      const order = this.#byTag.get(tag) ?? new Order()
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

  #keep(given: EntryRecord): EntryRecord {
    const record = { ...given, tags: given.tags.map((tag) => this.#tag(tag)) }
    this.#byId.set(record.id, record)
    if (record.pending) this.#pending.add(record.id)
    this.#next = Math.max(this.#next, record.number + 1)
    return record
  }

  #tag(text: string): string {
    const known = this.#tags.get(text)
    if (known !== undefined) return known
    this.#tags.set(text, text)
    return text
  }
}
