import { Failure, unknownCursor } from '#contract/failure.ts'
import type {
  LogOptions,
  OpenStream,
  PageQuery,
  RecordChange,
  RecordHold,
  RecordLog,
  RecordPage,
  Records,
  RecordTable,
  StreamName,
  StreamSpec,
} from '#storage/records.ts'

/** What lasts: JSON texts, as a disk has them. */
type Kept = { readonly lines: { readonly seq: number; readonly text: string }[] } & {
  readonly rows: Map<string, { readonly head: string; readonly body: string | undefined }>
}

/** The records port in memory, for tests. */
export class MemoryRecords implements Records {
  readonly #kept = new Map<string, Kept>()
  readonly #views = new Map<string, { readonly view: Promise<unknown>; readonly state: { closed: boolean } }>()

  async use<V, R>(project: string, spec: StreamSpec<V>, work: (view: V) => R | Promise<R>): Promise<R> {
    return work((await this.open(project, spec)).view)
  }

  async open<V>(project: string, spec: StreamSpec<V>): Promise<OpenStream<V>> {
    const key = `${project}/${spec.name}`
    let opened = this.#views.get(key)
    if (opened === undefined) {
      let kept = this.#kept.get(key)
      if (kept === undefined) this.#kept.set(key, (kept = { lines: [], rows: new Map() }))
      const [data, state] = [kept, { closed: false }]
      const view = Promise.resolve(
        spec.open({
          project,
          log: async <T>(options: LogOptions<T>) => new MemoryLog<T>(data, options),
          table: async <H, B>() => new MemoryTable<H, B>(data, state),
        }),
      )
      opened = { view, state }
      this.#views.set(key, opened)
    }
    return { view: (await opened.view) as V, release: () => undefined }
  }

  async exists(project: string, name: StreamName): Promise<boolean> {
    const kept = this.#kept.get(`${project}/${name}`)
    return kept !== undefined && kept.lines.length + kept.rows.size > 0
  }

  async hold(): Promise<RecordHold> {
    return { whileStill: (work) => work(), release: () => undefined }
  }

  async leave(project: string): Promise<void> {
    for (const [key, { state }] of this.#views) {
      if (!key.startsWith(`${project}/`)) continue
      state.closed = true
      this.#views.delete(key)
    }
  }

  async close(): Promise<void> {
    this.#views.clear()
  }

  /** What the next process finds: of what this one still writes it sees nothing. */
  afterDeath(): MemoryRecords {
    const next = new MemoryRecords()
    for (const [key, { lines, rows }] of this.#kept) next.#kept.set(key, { lines: [...lines], rows: new Map(rows) })
    return next
  }
}

class MemoryLog<T> implements RecordLog<T> {
  readonly #kept: Kept
  readonly #options: LogOptions<T>

  constructor(kept: Kept, options: LogOptions<T>) {
    this.#kept = kept
    this.#options = options
  }

  async append(record: T): Promise<void> {
    const { lines } = this.#kept
    const text = JSON.stringify(record)
    await Promise.resolve()
    lines.push({ seq: (lines.at(-1)?.seq ?? 0) + 1, text })
    let bytes = 0
    const isTooMuch = lines.toReversed().map((line) => (bytes += line.text.length) > this.#options.maxBytes)
    lines.splice(0, isTooMuch.filter(Boolean).length)
  }

  async page({ before, limit, where, within, most = Infinity }: PageQuery<T>): Promise<RecordPage<T>> {
    if (before !== undefined && !/^\d+-$/.test(before)) throw unknownCursor()
    const end = before === undefined ? Infinity : Number.parseInt(before, 10)
    const older = this.#kept.lines
      .filter(({ seq }) => seq < end)
      .map(({ seq, text }) => ({ seq, record: JSON.parse(text) as T }))
      .toReversed()
    const over = older.findIndex(({ record }) => !(within?.(record) ?? true))
    const inside = over === -1 ? older : older.slice(0, over)
    const found = inside.slice(0, most).filter(({ record }) => where?.(record) ?? true)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : inside.length > most ? inside[most - 1] : undefined
    const records = shown.map(({ record }) => record)
    return last === undefined ? { records } : { records, next: `${last.seq}-` }
  }

  async expire(before: string): Promise<void> {
    const { lines } = this.#kept
    const { timeOf } = this.#options
    if (timeOf === undefined) throw new Error('the records have no time')
    const kept = lines.filter(({ text }) => timeOf(JSON.parse(text) as T) >= before)
    lines.splice(0, lines.length, ...kept)
  }
}

class MemoryTable<H, B> implements RecordTable<H, B> {
  readonly damaged = 0
  readonly #rows: Kept['rows']
  readonly #state: { readonly closed: boolean }

  constructor({ rows }: Kept, state: { readonly closed: boolean }) {
    this.#rows = rows
    this.#state = state
  }

  get size(): number {
    return this.#rows.size
  }

  head(key: string): H | undefined {
    const row = this.#rows.get(key)
    return row && (JSON.parse(row.head) as H)
  }

  *heads(): IterableIterator<readonly [key: string, head: H]> {
    for (const [key, { head }] of this.#rows) yield [key, JSON.parse(head) as H]
  }

  bodyBytes(key: string): number {
    return Buffer.byteLength(this.#rows.get(key)?.body ?? '')
  }

  async read(key: string): Promise<{ head: H; body: B | undefined } | undefined> {
    const row = this.#rows.get(key)
    if (row === undefined) return undefined
    return { head: JSON.parse(row.head) as H, body: row.body === undefined ? undefined : (JSON.parse(row.body) as B) }
  }

  async write(changes: readonly RecordChange<H, B>[]): Promise<void> {
    if (this.#state.closed) throw new Failure('not_found', 'The project was removed.')
    const texts = changes.map((change) =>
      'delete' in change
        ? change
        : {
            put: change.put,
            head: JSON.stringify(change.head),
            body: change.body === undefined ? undefined : JSON.stringify(change.body),
          },
    )
    await Promise.resolve()
    for (const change of texts) {
      if ('delete' in change) this.#rows.delete(change.delete)
      else this.#rows.set(change.put, { head: change.head, body: change.body ?? this.#rows.get(change.put)?.body })
    }
  }
}
