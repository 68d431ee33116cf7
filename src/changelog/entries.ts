import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import { inSlices, sorted, type Steps } from '../lib/slices.ts'
import type { RecordTable, StreamSpec } from '../storage/records.ts'
import { type EntryRecord, type EntryTexts, type StoredEntry, timeOf } from './entry.ts'
import { RefusedEntries } from './rendering.ts'

/** Bytes in memory of an entry that is not being read, about. */
const entryBytes = 600

/** Entries by time, then by number. */
export class TimeOrder {
  /** Oldest first: what is new is put in near the end. */
  readonly #records: EntryRecord[]

  /** @param records in this order; the array becomes its own. */
  constructor(records: EntryRecord[] = []) {
    this.#records = records
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
class EntryIndex {
  readonly #byId = new Map<string, EntryRecord>()
  /** Every entry. */
  all = new TimeOrder()
  /** Those that are no drafts: what is scheduled stands at the end. */
  dated = new TimeOrder()
  readonly #byTag = new Map<string, TimeOrder>()
  readonly #pending = new Set<string>()
  #next = 1;

  /** Of all records there are, which may be very many. */
  static *of(records: Iterable<EntryRecord>): Steps<EntryIndex> {
    const index = new EntryIndex()
    const tagged = new Map<string, EntryRecord[]>()
    const dated: EntryRecord[] = []
    for (const record of records) {
      yield
      index.#keep(record)
      if (record.isDraft) continue
      dated.push(record)
      for (const tag of record.tags) {
        const list = tagged.get(tag)
        if (list === undefined) tagged.set(tag, [record])
        else list.push(record)
      }
    }
    index.all = new TimeOrder(yield* sorted([...index.#byId.values()], compare))
    index.dated = new TimeOrder(yield* sorted(dated, compare))
    for (const [tag, list] of tagged) index.#byTag.set(tag, new TimeOrder(yield* sorted(list, compare)))
    return index
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

  /** The tags of entries that are not later than a time, the most frequent first; equal ones by name. */
  *tags(until: number, most: number): Steps<readonly string[]> {
    const counts: (readonly [tag: string, count: number])[] = []
    for (const [tag, order] of this.#byTag) {
      yield
      const count = order.countUntil(until)
      if (count > 0) counts.push([tag, count])
    }
    const byCount = yield* sorted(counts, (a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    return byCount.slice(0, most).map(([tag]) => tag)
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

type Table = RecordTable<Omit<EntryRecord, 'id'>, EntryTexts>

/** The entries of one project: records in memory, in their orders, and texts on disk. One writer at a time; see `turn`. */
export class ProjectEntries {
  readonly index: EntryIndex
  readonly turn = pLimit(1)
  /** Names this opening: revisions of different ones cannot be compared. */
  readonly opened = randomUUID()
  /** Grows with every change. */
  revision = 0
  readonly refusals = new RefusedEntries()
  readonly #table: Table

  private constructor(table: Table, index: EntryIndex) {
    this.#table = table
    this.index = index
  }

  static async open(table: Table): Promise<ProjectEntries> {
    return new ProjectEntries(table, await inSlices(EntryIndex.of(recordsOf(table))))
  }

  /** The entry as it is now; undefined where there is none (any more). */
  async read(id: string): Promise<StoredEntry | undefined> {
    const found = await this.#table.read(id)
    return found?.body === undefined
      ? undefined
      : { record: recordOf(id, found.head, found.head.tags), texts: found.body }
  }

  /** Bytes of an entry’s texts on disk. */
  textBytes(id: string): number {
    return this.#table.bodyBytes(id)
  }

  /**
   * Adds an entry or replaces it, durably. Without texts it keeps those that it has. Throws Failure `unavailable` when
   * the disk fails, and `not_found` when the project was removed; nothing has changed then.
   */
  async put(record: EntryRecord, texts?: EntryTexts): Promise<void> {
    const { id: put, ...head } = record
    await this.#table.write([{ put, head, ...(texts === undefined ? {} : { body: texts }) }])
    this.index.put(record)
  }

  /** Deletes an entry for good: nothing of it is on the disk when this settles. Throws as `put` does. */
  async delete(id: string): Promise<void> {
    await this.#table.write([{ delete: id }])
    this.index.remove(id)
  }
}

/** The entries of a project: what is deleted or replaced is erased. */
export const entriesStream: StreamSpec<ProjectEntries> = {
  name: 'changelog',
  open: async (opener) =>
    ProjectEntries.open(await opener.table<Omit<EntryRecord, 'id'>, EntryTexts>({ erases: true })),
  weigh: ({ index }) => index.size * entryBytes,
}

function* recordsOf(table: Table): Generator<EntryRecord> {
  // Tags are few and entries many: each text is kept once.
  const known = new Map<string, string>()
  const intern = (tag: string): string => known.get(tag) ?? (known.set(tag, tag), tag)
  for (const [id, head] of table.heads()) yield recordOf(id, head, head.tags.map(intern))
}

/** Member by member: a hundred thousand spreads take half a second. */
function recordOf(id: string, head: Omit<EntryRecord, 'id'>, tags: readonly string[]): EntryRecord {
  const { number, isDraft, publishedAt, createdAt, updatedAt, pending } = head
  return publishedAt === undefined
    ? { id, number, tags, isDraft, createdAt, updatedAt, pending }
    : { id, number, tags, isDraft, publishedAt, createdAt, updatedAt, pending }
}
