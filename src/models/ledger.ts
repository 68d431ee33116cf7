import type { Generation } from '../contract/generation.ts'
import type { RecordChange, Records, RecordTable, StreamSpec } from '../storage/records.ts'
import type { Quantities } from '../usage/plans.ts'

const dayMs = 24 * 60 * 60 * 1000

/** How long things are kept, and how many of them; what is beyond goes, oldest first. */
const kept = {
  work: { ms: dayMs, most: 1000 },
  generation: { ms: 7 * dayMs, most: 1000 },
  result: { ms: dayMs, most: 1000 },
} as const

/** Of all results of a project, bytes. */
const maxResultBytes = 16 * 1024 * 1024

type Kind = keyof typeof kept

/** What a work used that produced something. */
interface WorkHead {
  readonly at: string
  readonly used: Quantities
}

/** A generation that counts, with the requests that were made for it. */
export interface GenerationHead {
  /** When it was begun. */
  readonly at: string
  readonly requests: number
  readonly tokens: number
}

/** What was answered to a request with an Idempotency-Key. */
interface ResultHead {
  readonly at: string
  /** Digest of the request. */
  readonly body: string
}

export interface KeptResult {
  /** Digests. */
  readonly key: string
  readonly body: string
  readonly generation: Generation
}

/** What is on record of a work, in one write. */
export interface Settlement {
  readonly work: string
  readonly used: Quantities
  readonly generation?: { readonly id: string; readonly head: GenerationHead } | undefined
  readonly result?: KeptResult | undefined
}

type Head = WorkHead | GenerationHead | ResultHead
type Table = RecordTable<Head, Generation>

const generationStream: StreamSpec<Table> = {
  name: 'generations',
  open: ({ table }) => table(),
  weigh: ({ size }) => size * 250,
}

/**
 * What came of works with models: on record before it is charged, so that a start after a crash knows what to charge, and
 * a repeated request is answered from here. No prompt is in it; an answer is for as long as its request may be repeated.
 */
export class Ledger {
  readonly #records: Records
  readonly #now: () => Date

  constructor(records: Records, now: () => Date) {
    this.#records = records
    this.#now = now
  }

  /** What a work used; null where nothing came of it. */
  async usedBy(projectId: string, work: string): Promise<Quantities | null> {
    const head = await this.#use(projectId, (table) => table.head(keyOf('work', work)))
    return (head as WorkHead | undefined)?.used ?? null
  }

  /** A generation that has been counted and may be gone on with. */
  async generation(projectId: string, id: string): Promise<GenerationHead | null> {
    const head = await this.#use(projectId, (table) => table.head(keyOf('generation', id)))
    return head === undefined || this.#isOver('generation', head) ? null : (head as GenerationHead)
  }

  async result(projectId: string, key: string): Promise<KeptResult | null> {
    const record = await this.#use(projectId, (table) => table.read(keyOf('result', key)))
    if (record?.body === undefined || this.#isOver('result', record.head)) return null
    return { key, body: (record.head as ResultHead).body, generation: record.body }
  }

  /** All of it or nothing, durably. Throws Failure `not_found` when the project was removed, `unavailable` when the disk fails. */
  async write(projectId: string, { work, used, generation, result }: Settlement): Promise<void> {
    const at = this.#now().toISOString()
    const changes: RecordChange<Head, Generation>[] = [{ put: keyOf('work', work), head: { at, used } }]
    if (generation !== undefined) changes.push({ put: keyOf('generation', generation.id), head: generation.head })
    if (result !== undefined)
      changes.push({ put: keyOf('result', result.key), head: { at, body: result.body }, body: result.generation })
    const put = new Set(changes.map((change) => ('put' in change ? change.put : change.delete)))
    await this.#use(projectId, (table) =>
      table.write([
        ...changes,
        ...this.#surplus(table)
          .filter((key) => !put.has(key))
          .map((key) => ({ delete: key })),
      ]),
    )
  }

  /** Keys of what is too old or too much. */
  #surplus(table: Table): string[] {
    const surplus: string[] = []
    const left = { work: kept.work.most, generation: kept.generation.most, result: kept.result.most }
    let bytes = maxResultBytes
    // Newest first.
    for (const [key, head] of [...table.heads()].toReversed()) {
      const kind = kindOf(key)
      left[kind] -= 1
      if (kind === 'result') bytes -= table.bodyBytes(key)
      const isTooMuch = left[kind] < 0 || (kind === 'result' && bytes < 0)
      if (isTooMuch || this.#isOver(kind, head)) surplus.push(key)
    }
    return surplus
  }

  #isOver(kind: Kind, { at }: Head): boolean {
    return this.#now().getTime() - Date.parse(at) >= kept[kind].ms
  }

  #use<R>(projectId: string, work: (table: Table) => R | Promise<R>): Promise<R> {
    return this.#records.use(projectId, generationStream, work)
  }
}

function keyOf(kind: Kind, id: string): string {
  return `${kind} ${id}`
}

function kindOf(key: string): Kind {
  return key.slice(0, key.indexOf(' ')) as Kind
}
