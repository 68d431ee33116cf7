import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DurableJsonFile } from './document-files.ts'
import { DocumentFile } from './document.ts'
import { diskFileSystem, isTemporary, type FileSystem } from '../../lib/durable-file.ts'
import type { Envelope } from './envelope.ts'
import { applyChange, type Change } from './draft.ts'
import { Leases } from './leases.ts'
import type { DirectoryLock } from '../lock.ts'
import { OpenReservations, heldIn, settledUse, withHeld, withUse, withoutHeld } from './meters.ts'
import { documentOf, fileOf } from './names.ts'
import { countStart } from './starts.ts'
import type { HeldReservation, Lease, Reservation, Store } from '../store.ts'

/**
 * Opens the store of a data directory: every document is read and migrated, so that a file that this version cannot
 * read stops the start and not a request later.
 *
 * @param lock The directory, locked by this process; stays the caller's to release after `close`.
 * @param fs The disk.
 */
export async function openStore(lock: DirectoryLock, fs: FileSystem = diskFileSystem): Promise<Store> {
  const entries = await readdir(lock.directory)
  for (const entry of entries) if (isTemporary(entry)) await unlink(join(lock.directory, entry))
  const start = await countStart(lock.directory, fs)
  const store = new LowdbStore(lock.directory, { fs, start })
  for (const entry of entries) {
    const document = documentOf(entry)
    if (document !== null) await store.load(document)
  }
  return store
}

/** The Store port over a JSON file a document. The promises are the port's; see store.ts. */
class LowdbStore implements Store {
  readonly #directory: string
  readonly #fs: FileSystem
  readonly #files = new Map<string, DocumentFile>()
  readonly #leases: Leases
  readonly #reservations = new OpenReservations()
  #closed = false

  constructor(directory: string, { fs, start }: { readonly fs: FileSystem; readonly start: number }) {
    this.#directory = directory
    this.#fs = fs
    this.#leases = new Leases(start)
  }

  async load(document: string): Promise<void> {
    const file = this.#file(document)
    await file.load()
    for (const { subject: _subject, ...reservation } of heldIn(document, file.envelope))
      this.#reservations.restore(reservation)
  }

  async read<T>(document: string): Promise<Readonly<T> | undefined> {
    return this.#files.get(document)?.envelope.document as Readonly<T> | undefined
  }

  async mutate<T, R>(document: string, change: Change<T, R>, options: { readonly lease?: Lease } = {}): Promise<R> {
    this.#assertOpen()
    const { lease } = options
    return this.#file(document).change(
      (envelope) => {
        if (lease !== undefined) this.#leases.check(lease, document)
        const next = applyChange(envelope.document, change)
        if (next.document === envelope.document) return { envelope, result: next.result }
        // Use goes with its document: another one of the same name starts from nothing.
        const changed =
          next.document === undefined
            ? { schema: envelope.schema, meters: {} }
            : { ...envelope, document: next.document }
        return { envelope: changed, result: next.result }
      },
      () => this.#forgetWhenGone(document),
    )
  }

  async list(prefix = ''): Promise<readonly string[]> {
    const names = [...this.#files].filter(
      ([name, file]) => name.startsWith(prefix) && file.envelope.document !== undefined,
    )
    return names.map(([name]) => name).sort()
  }

  async acquire(document: string, name: string): Promise<Lease | null> {
    this.#assertOpen()
    return this.#leases.acquire(document, name)
  }

  async release(lease: Lease): Promise<void> {
    this.#leases.release(lease)
  }

  async reserve(
    document: string,
    request: {
      readonly meter: string
      readonly period: string
      readonly amount: number
      readonly limit: number | null
    },
  ): Promise<Reservation | null> {
    this.#assertOpen()
    const { meter, period, amount, limit } = request
    assertAmount(amount)
    if (this.#files.get(document)?.envelope.document === undefined) throw new Error(`there is no document ${document}`)
    if (limit !== null && this.#used(document, meter, period) + amount > limit) return null
    return this.#reservations.take({ document, meter, period, amount })
  }

  async settle(reservation: Reservation, used: number): Promise<void> {
    this.#assertOpen()
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
    this.#assertOpen()
    const { document, id } = reservation
    if (!this.#reservations.hold(id)) return
    await this.#file(document).change((envelope) => ({
      envelope: envelope.document === undefined ? envelope : withHeld(envelope, reservation, subject),
      result: undefined,
    }))
  }

  async held(document: string): Promise<readonly HeldReservation[]> {
    const file = this.#files.get(document)
    return file === undefined ? [] : heldIn(document, file.envelope)
  }

  async used(document: string, meter: string, period: string): Promise<number> {
    return this.#used(document, meter, period)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#files.values()].map((file) => file.idle()))
  }

  /** The reservation ends in the tick in which its use counts: it is never counted twice or not at all. */
  async #charge(document: string, reservation: Reservation, used: number): Promise<void> {
    await this.#file(document).change(
      (envelope) => ({ envelope: afterSettling(envelope, reservation, used), result: undefined }),
      () => this.#reservations.close(reservation.id),
    )
  }

  #used(document: string, meter: string, period: string): number {
    const settled = settledUse(this.#files.get(document)?.envelope.meters ?? {}, meter, period)
    return settled + this.#reservations.sum(document, meter, period)
  }

  #forgetWhenGone(document: string): void {
    if (this.#files.get(document)?.envelope.document === undefined) this.#reservations.closeAll(document)
  }

  #file(document: string): DocumentFile {
    let file = this.#files.get(document)
    if (file === undefined) {
      file = new DocumentFile(new DurableJsonFile(join(this.#directory, fileOf(document)), document, this.#fs))
      this.#files.set(document, file)
    }
    return file
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('the store is closed')
  }
}

function afterSettling(envelope: Envelope, reservation: Reservation, used: number): Envelope {
  if (envelope.document === undefined) return envelope
  const rest = withoutHeld(envelope, reservation.id)
  return used === 0 ? rest : { ...rest, meters: withUse(rest.meters, reservation, used) }
}

function assertAmount(amount: number): void {
  if (!Number.isFinite(amount) || amount < 0) throw new RangeError(`not an amount: ${amount}`)
}
