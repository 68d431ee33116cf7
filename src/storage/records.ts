/**
 * The records port: streams of small records beside the documents, one family a project, named such as
 * (`handbook`, `audit`). There are two kinds. A *log* is appended to, read by pages from its newest record, and loses
 * its oldest. A *table* has a key a record; the small `head` of every record is in memory while the stream is open,
 * its `body` is read one by one.
 *
 * Each promise stands with what keeps it in the two adapters that there may be: files of JSON lines on the local disk
 * (here), and PostgreSQL, with one row a record: `(project, stream, seq bigserial, key, head json, body json)`. `json`
 * and not `jsonb`, because answers of strangers may hold NUL characters.
 */

/** A stream of any kind, as a constant of the room that it belongs to. */
export interface StreamSpec<V> {
  /** Lower-case letters; the name within the project. */
  readonly name: StreamName
  /** Makes what the room works with. */
  readonly open: (opener: StreamOpener) => V | Promise<V>
  /** Bytes in memory of what `open` made, about; bounds how many stay open without being used. */
  readonly weigh?: (view: V) => number
}

/** All there are: a backup copies them, a check reads them. */
export const streamNames = [
  'analytics',
  'assistant',
  'audit',
  'changelog',
  'comments',
  'deliveries',
  'deploys',
  'feedback',
  'generations',
  'webhooks',
] as const
export type StreamName = (typeof streamNames)[number]

/** Opens the stream of a spec in one of the two ways. */
export interface StreamOpener {
  readonly project: string
  readonly log: <T>(options: LogOptions<T>) => Promise<RecordLog<T>>
  readonly table: <H, B>(options?: TableOptions) => Promise<RecordTable<H, B>>
}

export interface LogOptions<T> {
  /** Bytes, about, beyond which the oldest records go. */
  readonly maxBytes: number
  /** When a record was made, a text that sorts by time; for logs of which `expire` drops what is old. */
  readonly timeOf?: (record: T) => string
}

export interface TableOptions {
  /**
   * What was deleted or replaced leaves nothing on the disk when the change has settled. Without it the room is given
   * back when it pays. PostgreSQL: `vacuum`, and what the disk and backups keep of it is the operator's.
   */
  readonly erases?: boolean
}

/** Records in the order in which they came. */
export interface RecordLog<T> {
  /**
   * Durable when it settles; appends that wait share one flush. Throws Failure `unavailable` when the disk fails: the
   * record is not there then, and a later one is as good as ever. PostgreSQL: `insert`, committed.
   */
  append(record: T): Promise<void>
  /**
   * A page, newest first. What comes meanwhile does not shift the next page. PostgreSQL: `where seq < $before order by
   * seq desc`; `where` becomes a condition or is applied to what a cursor reads.
   *
   * Throws Failure `invalid_request` for a `before` that no page gave.
   */
  page(query: PageQuery<T>): Promise<RecordPage<T>>
  /**
   * Drops records that are older than a time as `timeOf` gives it; those that are less than a day older may stay.
   * PostgreSQL: `delete`.
   */
  expire(before: string): Promise<void>
}

export interface PageQuery<T> {
  /** `next` of the page before. */
  readonly before?: string | undefined
  readonly limit: number
  /** Others are left out. Looking for them may read the whole log, if nothing bounds it. */
  readonly where?: ((record: T) => boolean) | undefined
  /** The first record that this is not true of is where the log ends. */
  readonly within?: ((record: T) => boolean) | undefined
  /** So many records are looked at; then the page ends, perhaps with none, and `next` goes on behind them. */
  readonly most?: number | undefined
}

export interface RecordPage<T> {
  readonly records: T[]
  /** Absent on the last page. */
  readonly next?: string
}

/** A change of one record. Without `body` a put keeps the body that there is. */
export type RecordChange<H, B> =
  | { readonly put: string; readonly head: H; readonly body?: B }
  | { readonly delete: string }

/** Records by key. */
export interface RecordTable<H, B> {
  /** How many records there are. */
  readonly size: number
  /** Records that could not be read when it was opened: a disk or a backup did not keep them. They are left out. */
  readonly damaged: number
  /** Memory only. */
  head(key: string): H | undefined
  /** Keys and heads in the order in which the keys were put first. Memory only. */
  heads(): IterableIterator<readonly [key: string, head: H]>
  /** Bytes of the body; 0 for none. Memory only. */
  bodyBytes(key: string): number
  /** Head and body as they are now; undefined where there is none (any more). The body is undefined where none was put. */
  read(key: string): Promise<{ readonly head: H; readonly body: B | undefined } | undefined>
  /**
   * Makes all of the changes, one a key, or none, durably; readers see them when it settles. Writes that wait share one flush. A
   * put of a head alone costs no more than the head. Throws Failure `unavailable` when the disk fails, and `not_found`
   * when the project was removed. PostgreSQL: one transaction of `insert … on conflict do update` and `delete`.
   */
  write(changes: readonly RecordChange<H, B>[]): Promise<void>
}

/** The streams of a project, which only grow until they are released: nothing is erased, dropped or compacted. */
export interface RecordHold {
  /** Runs work while nothing is written to them. */
  whileStill<T>(work: () => Promise<T>): Promise<T>
  /** What was to be erased meanwhile is, after this. */
  release(): void
}

/** An open stream. */
export interface OpenStream<V> {
  readonly view: V
  /** The stream may be closed when nobody needs it. Once. */
  release(): void
}

/** The streams of all projects. Everybody who has a stream open has the same one. */
export interface Records {
  /** Does something with a stream, which stays open until that has settled. Nothing is written where nothing was. */
  use<V, R>(project: string, spec: StreamSpec<V>, work: (view: V) => R | Promise<R>): Promise<R>
  /** For longer work. Throws Failure `unavailable`. */
  open<V>(project: string, spec: StreamSpec<V>): Promise<OpenStream<V>>
  /** Whether a stream may have records; does not open it. */
  exists(project: string, name: StreamName): Promise<boolean>
  /**
   * For a backup under load. PostgreSQL: `repeatable read`, and nothing is paused. Throws Failure `unavailable`.
   */
  hold(project: string): Promise<RecordHold>
  /**
   * The project is being removed: waits for who writes; whoever still has one of its streams gets `not_found` for what
   * they write, and whoever comes later opens it anew.
   */
  leave(project: string): Promise<void>
  /** Ends when what was written has settled. */
  close(): Promise<void>
}
