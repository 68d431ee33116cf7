import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import type { RecordTable, StreamSpec } from '../storage/records.ts'
import { EntryIndex } from './entry-index.ts'
import type { EntryRecord, EntryTexts, StoredEntry } from './entry.ts'
import { RefusedEntries } from './rendering.ts'

type Table = RecordTable<Omit<EntryRecord, 'id'>, EntryTexts>

/** Bytes in memory of an entry that is not being read, about. */
const entryBytes = 600

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

  constructor(table: Table) {
    this.#table = table
    this.index = new EntryIndex(recordsOf(table))
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
  open: async (opener) => new ProjectEntries(await opener.table<Omit<EntryRecord, 'id'>, EntryTexts>({ erases: true })),
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
