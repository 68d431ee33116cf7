/**
 * The metadata port: small JSON documents beside the repositories, one a project and one for the service.
 *
 * Promises: `mutate` is atomic and isolated (its function is pure and synchronous), durable when its promise settles
 * (kill -9, power cut), and leaves memory and disk as they were when it fails. A lease’s fence is checked when the
 * document is written: a holder that lost its lease cannot write.
 *
 * PostgreSQL would have one row a document, `(name, content json)`: `mutate` is a transaction with `select … for update`,
 * the function, and `update`, committed before the promise settles. A lease is a row with a fence from a sequence, taken
 * with `on conflict do nothing`, dropped with the session of its holder, and locked and compared in the transaction of
 * `mutate`. `reserve` is one conditional update of a counter, `hold` and `settle` are updates of the reservation's row;
 * what is not held goes with the session that took it.
 *
 * Records that go with a change of a document, and only with it, are one step with it through the document's outbox:
 * the change puts them there, in the write of `mutate`, and `Outbox.move` carries them into their table (outbox.ts).
 */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A named lock with a fencing number that only grows. Held in the store; gone when the process that held it is. */
export interface Lease {
  readonly document: string
  readonly name: string
  readonly fence: number
}

/** A holder wrote with a lease that it has no more: somebody else may be at work. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  readonly lease: Lease

  constructor(lease: Lease) {
    super(`the lease ${lease.name} of ${lease.document} (fence ${lease.fence}) is held no more`)
    this.lease = lease
  }
}

/** A counted allowance, taken before the work and settled after. */
export interface Reservation {
  readonly id: string
  readonly document: string
  readonly meter: string
  readonly period: string
  readonly amount: number
}

/** What is to be reserved; see `Store.reserve`. */
export interface ReservationRequest {
  readonly meter: string
  readonly period: string
  readonly amount: number
  /** Null: unlimited. */
  readonly limit: number | null
}

/** A reservation that outlives its process. */
export interface HeldReservation extends Reservation {
  /** What it was taken for, in the words of who took it. */
  readonly subject: string
}

/** A document that cannot be read: nobody works with it until an operator has put a version of it back. */
export interface SetAside {
  readonly document: string
  /** What is wrong, with its file: for the operator. */
  readonly problem: string
  /** The version before the last one, frozen, where it can be read: to look up by, not to work with. */
  readonly previous: unknown
}

/** What an operator got back of a document that is set aside. */
export interface PutBack {
  /** How many of the last changes are lost; null where that is not known. */
  readonly lost: number | null
}

/** Every method that names a document throws Failure `unavailable` where that is set aside. */
export interface Store {
  /** Why nothing can be written, in a few words: every change throws Failure `unavailable`. Null: it can. PostgreSQL: a standby. */
  readonly readOnly: string | null
  /** The document, frozen; undefined when there is none. */
  read<T>(document: string): Promise<Readonly<T> | undefined>
  /**
   * @param change gets a draft that it may edit in place (undefined where there is no document) and returns the new
   * document and a result; returning `document: undefined` deletes it. Throwing leaves all as it was.
   * Throws LeaseLost when `lease` is not held (any more), Failure `invalid_request` for text that cannot be stored (NUL,
   * lone surrogates) and `unavailable` when the disk fails; nothing has changed then.
   */
  mutate<T, R>(
    document: string,
    change: (draft: T | undefined) => { document: T | undefined; result: R },
    options?: { readonly lease?: Lease },
  ): Promise<R>
  /** Names of documents, sorted, without those that are set aside. */
  list(prefix?: string): Promise<readonly string[]>
  /** Takes the lock `name` of a document (which need not be there), or null when it is held. After a crash it is free again. */
  acquire(document: string, name: string): Promise<Lease | null>
  release(lease: Lease): Promise<void>
  /**
   * Takes `amount` of a meter in a period unless that would exceed `limit` (null: unlimited); null when it would.
   * `period` is any key such as `2026-11-21` or `2026-11` that sorts by time. What a process reserved and neither settled
   * nor held is given back when it dies. Throws when there is no such document.
   */
  reserve(document: string, request: ReservationRequest): Promise<Reservation | null>
  /**
   * Makes a reservation outlive the process: it stays taken until somebody settles it. Durable when the promise settles.
   * One that is settled already stays so.
   */
  hold(reservation: Reservation, subject: string): Promise<void>
  /** Reservations of a document that are held, also by a process that died. */
  held(document: string): Promise<readonly HeldReservation[]>
  /** Turns a reservation into use of `used` (0 gives it back: at once, on disk when the promise settles). Settling twice, or after the document is gone, changes nothing. */
  settle(reservation: Reservation, used: number): Promise<void>
  /**
   * Use of a meter in a period, open reservations included: by one document, or by all whose names begin so where that
   * ends in `/`, but those that are set aside. A period that ends in `-` is all of them that begin so: `2026-11-` the days
   * of a month.
   */
  used(document: string, meter: string, period: string): Promise<number>
  /** Documents that could not be read at the start. PostgreSQL: none. */
  setAside(prefix?: string): readonly SetAside[]
  /**
   * Puts the last version that can be read in the place of a document that is set aside, for the next start: rooms have
   * looked at it, and missed it, at this one. Durable. Throws Failure `not_found` where none is set aside, and
   * `unavailable` where no version can be read.
   */
  putBack(document: string): Promise<PutBack>
  /** Flushes; nothing is written from then on, and reading goes on with what is in memory. */
  close(): Promise<void>
}
