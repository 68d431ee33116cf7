import type { Adapter } from 'lowdb'
import { Failure } from '../../contract/failure.ts'
import { takesNoChanges, takesNoMoreChanges } from '../../lib/disk.ts'
import {
  LeaseLost,
  type HeldReservation,
  type Lease,
  type PutBack,
  type Reservation,
  type ReservationRequest,
  type SetAside,
  type Store,
} from '../store.ts'
import { StoredDocument } from './document.ts'
import { adopt, applyChange, type Change } from './draft.ts'
import { DamagedDocument, type Envelope } from './envelope.ts'
import { DocumentNames } from './names.ts'
import { OpenReservations, heldIn, settledUse, withHeld, withUse, withoutHeld } from './meters.ts'

/** Where documents last. What the port promises beside that is the same for all adapters, and below. */
export interface DocumentAdapter {
  /** Names of the documents that there are. */
  list(): Promise<readonly string[]>
  /**
   * One document, as lowdb reads and writes it: durably, and wholly or not at all. An envelope without a document is
   * none. Throws for what is not a name of one.
   */
  open(document: string): Adapter<Envelope>
  /** Documents that there must be, each with a revision that it has had. */
  expected(): ReadonlyMap<string, number>
  /** The version before the last one; null where there is none that can be read. */
  previous(document: string): Promise<Envelope | null>
  /** What cannot be read goes out of the way, and is kept. */
  putAway(document: string): Promise<void>
  /** As `putAway`, with another version in its place, durably; the version before the last one stays. */
  putBack(document: string, envelope: Envelope): Promise<void>
  /** Counts this start of the store, durably, and gives its number: 1, 2, 3 … Fencing numbers grow by it. */
  countStart(): Promise<number>
}

/** Fences of one process; 2^53 leaves room for two million starts. */
const fencesOfAStart = 2 ** 32
const loadedAtOnce = 64
const namePattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\/[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

/** Names are segments of lower-case letters, digits and inner hyphens, joined by `/`. */
export function isDocumentName(name: string): boolean {
  return namePattern.test(name)
}

export interface StoreOptions {
  /**
   * What a document that cannot be read begins anew with: nothing, or the version before the last one where there is
   * one. Undefined: it is set aside.
   */
  readonly anew?: (document: string) => 'empty' | 'previous' | undefined
  /** Why nothing can be written, in a few words; null, as without it: it can. */
  readonly readOnly?: string | null
  /** Told what was found damaged. */
  readonly warn?: (message: string) => void
}

/** The store over an adapter, with all of its documents in memory. */
export async function openDocuments(adapter: DocumentAdapter, options: StoreOptions = {}): Promise<Store> {
  const expected = adapter.expected()
  // Nobody takes a lease where nothing can be written.
  const start = (options.readOnly ?? null) === null ? await adapter.countStart() : 0
  const store = new DocumentStore(adapter, start, options)
  const documents = [...new Set([...(await adapter.list()), ...expected.keys()])]
  for (let at = 0; at < documents.length; at += loadedAtOnce) {
    const some = documents.slice(at, at + loadedAtOnce)
    await Promise.all(some.map((document) => store.load(document, expected.get(document) ?? 0)))
  }
  return store
}

/** The Store port over an adapter. The promises are the port's; see store.ts. */
class DocumentStore implements Store {
  readonly #adapter: DocumentAdapter
  readonly #options: StoreOptions
  readonly #documents = new Map<string, StoredDocument>()
  readonly #names = new DocumentNames()
  readonly #aside = new Map<string, SetAside & { readonly last: Envelope | null; readonly least: number }>()
  readonly #leases: Leases
  readonly #reservations = new OpenReservations()
  #closed = false

  constructor(adapter: DocumentAdapter, start: number, options: StoreOptions) {
    this.#adapter = adapter
    this.#options = options
    this.#leases = new Leases(start)
  }

  get readOnly(): string | null {
    return this.#closed ? 'the service is about to stop or to start anew' : (this.#options.readOnly ?? null)
  }

  /** @param least a revision that the document has had. */
  async load(document: string, least: number): Promise<void> {
    const stored = this.#document(document)
    const problem = await problemOf(stored, least)
    if (problem !== null) await this.#withoutIt(document, problem, least)
    const { revision } = stored.envelope
    if (problem === null && revision < least) {
      this.#options.warn?.(`${document} is an older version: its revision is ${revision}, and there was ${least}`)
      stored.take({ ...stored.envelope, revision: least })
    }
    for (const { subject: _subject, ...reservation } of heldIn(document, stored.envelope))
      this.#reservations.restore(reservation)
  }

  async #withoutIt(document: string, problem: string, least: number): Promise<void> {
    const last = await this.#adapter.previous(document)
    const anew = this.#options.anew?.(document)
    if (anew === undefined) {
      this.#documents.delete(document)
      const previous = last?.document === undefined ? undefined : adopt(last.document)
      this.#aside.set(document, { document, problem, previous, last, least })
      this.#options.warn?.(`${document} is set aside: ${problem}`)
      return
    }
    if (this.readOnly === null) await this.#adapter.putAway(document)
    const begun = anew === 'previous' ? last : null
    this.#options.warn?.(
      `${document} begins anew, with ${begun === null ? 'nothing' : 'its previous version'}: ${problem}`,
    )
    const stored = this.#document(document)
    stored.take({ ...(begun ?? stored.envelope), revision: Math.max(least, begun?.revision ?? 0) })
  }

  setAside(prefix = ''): readonly SetAside[] {
    return [...this.#aside.values()].filter(({ document }) => document.startsWith(prefix))
  }

  async putBack(document: string): Promise<PutBack> {
    this.#assertWritable()
    const aside = this.#aside.get(document)
    if (aside === undefined) throw new Failure('not_found', `The document ${document} is not set aside.`)
    const { last, least, problem } = aside
    if (last === null) {
      throw new Failure('unavailable', `${problem} There is no earlier version of it that can be read.`, {
        hint: 'Restore it from a backup.',
      })
    }
    await this.#adapter.putBack(document, { ...last, revision: Math.max(least, last.revision + 1) })
    return { lost: least === 0 ? null : Math.max(1, least - last.revision) }
  }

  async read<T>(document: string): Promise<Readonly<T> | undefined> {
    this.#assertThere(document)
    return this.#documents.get(document)?.envelope.document as Readonly<T> | undefined
  }

  async mutate<T, R>(document: string, change: Change<T, R>, options: { readonly lease?: Lease } = {}): Promise<R> {
    this.#assertWritable()
    const { lease } = options
    return this.#document(document).change(
      (envelope) => {
        if (lease !== undefined) this.#leases.check(lease, document)
        const next = applyChange(envelope.document, change)
        if (next.document === envelope.document) return { envelope, result: next.result }
        // Use goes with its document: another one of the same name starts from nothing.
        const changed =
          next.document === undefined
            ? { schema: envelope.schema, revision: envelope.revision, meters: {} }
            : { ...envelope, document: next.document }
        return { envelope: changed, result: next.result }
      },
      () => this.#forgetWhenGone(document),
    )
  }

  async list(prefix = ''): Promise<readonly string[]> {
    return this.#there(prefix).sort()
  }

  async acquire(document: string, name: string): Promise<Lease | null> {
    this.#assertWritable()
    return this.#leases.acquire(document, name)
  }

  async release(lease: Lease): Promise<void> {
    this.#leases.release(lease)
  }

  async reserve(document: string, request: ReservationRequest): Promise<Reservation | null> {
    this.#assertWritable()
    const { meter, period, amount, limit } = request
    assertAmount(amount)
    this.#assertThere(document)
    if (this.#documents.get(document)?.envelope.document === undefined)
      throw new Error(`there is no document ${document}`)
    if (limit !== null && this.#used(document, meter, period) + amount > limit) return null
    return this.#reservations.take({ document, meter, period, amount })
  }

  async settle(reservation: Reservation, used: number): Promise<void> {
    this.#assertWritable()
    assertAmount(used)
    const { document, id } = reservation
    await this.#reservations.settle(id, async () => {
      const held = this.#reservations.isHeld(id)
      // Given back at once: when the disk does not take it, it is asked for again after the next start.
      if (used === 0) this.#reservations.close(id)
      if (used > 0 || held) await this.#charge(document, reservation, used)
    })
  }

  async hold(reservation: Reservation, subject: string): Promise<void> {
    this.#assertWritable()
    const { document, id } = reservation
    if (!this.#reservations.hold(id)) return
    await this.#document(document).change((envelope) => ({
      envelope: envelope.document === undefined ? envelope : withHeld(envelope, reservation, subject),
      result: undefined,
    }))
  }

  async held(document: string): Promise<readonly HeldReservation[]> {
    this.#assertThere(document)
    const stored = this.#documents.get(document)
    return stored === undefined ? [] : heldIn(document, stored.envelope)
  }

  async used(document: string, meter: string, period: string): Promise<number> {
    if (document.endsWith('/'))
      return this.#there(document).reduce((sum, name) => sum + this.#used(name, meter, period), 0)
    this.#assertThere(document)
    return this.#used(document, meter, period)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#documents.values()].map((stored) => stored.idle()))
  }

  /** The reservation ends in the tick in which its use counts: it is never counted twice or not at all. */
  async #charge(document: string, reservation: Reservation, used: number): Promise<void> {
    await this.#document(document).change(
      (envelope) => ({ envelope: afterSettling(envelope, reservation, used), result: undefined }),
      () => this.#reservations.close(reservation.id),
    )
  }

  #used(document: string, meter: string, period: string): number {
    const settled = settledUse(this.#documents.get(document)?.envelope.meters ?? {}, meter, period)
    return settled + this.#reservations.sum(document, meter, period)
  }

  /** Names of the documents that there are and that begin so. */
  #there(prefix: string): string[] {
    const names = [...this.#names.under(prefix)]
    return names.filter((name) => this.#documents.get(name)?.envelope.document !== undefined)
  }

  #forgetWhenGone(document: string): void {
    if (this.#documents.get(document)?.envelope.document === undefined) this.#reservations.closeAll(document)
  }

  #document(name: string): StoredDocument {
    this.#assertThere(name)
    let document = this.#documents.get(name)
    if (document === undefined) {
      document = new StoredDocument(this.#adapter.open(name))
      this.#documents.set(name, document)
      this.#names.add(name)
    }
    return document
  }

  #assertThere(document: string): void {
    if (this.#aside.has(document)) throw setAsideFailure(document)
  }

  #assertWritable(): void {
    if (this.#closed) throw takesNoMoreChanges()
    if (this.readOnly !== null) throw takesNoChanges(this.readOnly)
  }
}

/** What keeps a document from being read into memory; null when it was. */
async function problemOf(stored: StoredDocument, least: number): Promise<string | null> {
  try {
    await stored.load()
  } catch (error) {
    if (error instanceof DamagedDocument) return error.message
    throw error
  }
  return stored.envelope.document === undefined && least > 0 ? 'Its file is missing.' : null
}

function setAsideFailure(document: string): Failure {
  const what = document.startsWith('project/') ? 'The data of this project is' : 'Some of the service’s data is'
  return new Failure('unavailable', `${what} damaged, and set aside so that nothing more is lost.`, {
    hint: 'The operator of the service sees what is damaged in its log and with quire admin check, and can put it back.',
  })
}

function afterSettling(envelope: Envelope, reservation: Reservation, used: number): Envelope {
  if (envelope.document === undefined) return envelope
  const rest = withoutHeld(envelope, reservation.id)
  return used === 0 ? rest : { ...rest, meters: withUse(rest.meters, reservation, used) }
}

function assertAmount(amount: number): void {
  if (!Number.isFinite(amount) || amount < 0) throw new RangeError(`not an amount: ${amount}`)
}

/**
 * Locks by name. They live in memory, because only one process has the directory: with it they are gone. Fences grow
 * across starts because the number of the start is their upper part.
 */
class Leases {
  readonly #held = new Map<string, Lease>()
  #next: number

  /** @param start Number of this start of the store: larger than that of every start before. */
  constructor(start: number) {
    this.#next = start * fencesOfAStart
  }

  acquire(document: string, name: string): Lease | null {
    const key = keyOf({ document, name })
    if (this.#held.has(key)) return null
    this.#next += 1
    const lease: Lease = { document, name, fence: this.#next }
    this.#held.set(key, lease)
    return lease
  }

  /** A lease that is held no more is fine. */
  release(lease: Lease): void {
    if (this.#holds(lease)) this.#held.delete(keyOf(lease))
  }

  /** Throws LeaseLost unless the lease is the one that is held, and of this document. */
  check(lease: Lease, document: string): void {
    if (lease.document !== document || !this.#holds(lease)) throw new LeaseLost(lease)
  }

  #holds(lease: Lease): boolean {
    return this.#held.get(keyOf(lease))?.fence === lease.fence
  }
}

function keyOf({ document, name }: Pick<Lease, 'document' | 'name'>): string {
  return `${document} ${name}`
}
