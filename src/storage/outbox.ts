import type { RecordChange, RecordTable } from './records.ts'
import type { Store } from './store.ts'

/** A document, as far as its outbox is concerned. */
export interface OutboxDocument<E> {
  /** Oldest first; absent most of the time, for what is in it is moved at once. */
  outbox?: E[]
}

/**
 * What documents hand over to a table of records: the atomic step of a change of a document and the records that go with
 * it. The promise: an entry that was put comes into the table, once, exactly if the change that put it was acknowledged
 * or is there after a crash; also one that was put while others were being moved. PostgreSQL: the same, with
 * the move in one transaction.
 */
export class Outbox<E, H, B> {
  readonly #keyOf: (entry: E) => string
  readonly #changeOf: (entry: E, now: number) => { readonly head: H; readonly body: B }
  readonly #most: number

  constructor(options: {
    readonly keyOf: (entry: E) => string
    /** The record that an entry becomes. @param now Milliseconds since 1970. */
    readonly changeOf: (entry: E, now: number) => { readonly head: H; readonly body: B }
    /** Entries of one document that may wait while the table cannot be written. */
    readonly most: number
  }) {
    this.#keyOf = options.keyOf
    this.#changeOf = options.changeOf
    this.#most = options.most
  }

  /** No more should be begun that would end in another entry. One of what is under way still finds room. */
  isFull(document: Readonly<OutboxDocument<E>>): boolean {
    return (document.outbox?.length ?? 0) >= this.#most
  }

  /** Inside the change of a document's draft. An entry whose key is there already changes nothing. */
  put(document: OutboxDocument<E>, entry: E): void {
    const { outbox = [] } = document
    if (outbox.some((known) => this.#keyOf(known) === this.#keyOf(entry))) return
    document.outbox = [...outbox, entry]
  }

  /**
   * Moves what is in the outbox into the table; at most one of it at a time for a document. Whoever deletes records of
   * the table does so after it has settled: until then their keys say what was moved. Throws Failure `unavailable`;
   * what was not moved is moved the next time.
   */
  async move(
    store: Store,
    document: string,
    { table, now }: { readonly table: RecordTable<H, B>; readonly now: number },
  ): Promise<void> {
    const { outbox = [] } = (await store.read<OutboxDocument<E>>(document)) ?? {}
    if (outbox.length === 0) return
    const fresh = outbox.filter((entry) => table.head(this.#keyOf(entry)) === undefined)
    await table.write(
      fresh.map((entry): RecordChange<H, B> => ({ put: this.#keyOf(entry), ...this.#changeOf(entry, now) })),
    )
    const moved = new Set(outbox.map((entry) => this.#keyOf(entry)))
    await store.mutate<OutboxDocument<E>, void>(document, (draft) => {
      const left = draft?.outbox?.filter((entry) => !moved.has(this.#keyOf(entry))) ?? []
      if (draft !== undefined && left.length > 0) draft.outbox = left
      else delete draft?.outbox
      return { document: draft, result: undefined }
    })
  }
}
