import { randomUUID } from 'node:crypto'
import type { Envelope, Held, Meters } from './envelope.ts'
import type { HeldReservation, Reservation } from '../store.ts'

/** Periods of a meter that are kept, newest first by name: a month of days, or years of months. */
const keptPeriods = 35

interface Open {
  readonly reservation: Reservation
  /** It is on disk, or soon will be. */
  held: boolean
  settling?: Promise<void>
}

/** Settled use of a meter in a period, or in all that begin so where that ends in `-`. */
export function settledUse(meters: Meters, meter: string, period: string): number {
  const periods = meters[meter] ?? {}
  if (!period.endsWith('-')) return periods[period] ?? 0
  return Object.keys(periods).reduce((sum, key) => sum + (isWithin(key, period) ? (periods[key] ?? 0) : 0), 0)
}

function isWithin(key: string, period: string): boolean {
  return key === period || (period.endsWith('-') && key.startsWith(period))
}

/** The meters with `used` more; old periods are dropped. */
export function withUse(meters: Meters, { meter, period }: Reservation, used: number): Meters {
  const periods = { ...meters[meter], [period]: settledUse(meters, meter, period) + used }
  const kept = Object.entries(periods).sort(([a], [b]) => (a < b ? 1 : -1))
  return { ...meters, [meter]: Object.fromEntries(kept.slice(0, keptPeriods)) }
}

/** Held reservations of a document. */
export function heldIn(document: string, { held = {} }: Envelope): HeldReservation[] {
  return Object.entries(held).map(([id, kept]) => ({ ...kept, id, document }))
}

/** The envelope with a reservation held. */
export function withHeld(envelope: Envelope, { id, meter, period, amount }: Reservation, subject: string): Envelope {
  const held: Held = { ...envelope.held, [id]: { meter, period, amount, subject } }
  return { ...envelope, held }
}

/** The envelope without it. */
export function withoutHeld(envelope: Envelope, id: string): Envelope {
  if (envelope.held?.[id] === undefined) return envelope
  const { held, ...rest } = envelope
  const others = Object.entries(held).filter(([other]) => other !== id)
  return others.length === 0 ? rest : { ...rest, held: Object.fromEntries(others) }
}

/**
 * Reservations that are not settled yet. In memory: the work of a process that died produced nothing, so its
 * reservations are given back by not being there; those that may have produced something are held on disk.
 */
export class OpenReservations {
  readonly #open = new Map<string, Open>()
  readonly #byDocument = new Map<string, Set<Open>>()

  take(request: Omit<Reservation, 'id'>): Reservation {
    const reservation: Reservation = { ...request, id: randomUUID() }
    this.#add({ reservation, held: false })
    return reservation
  }

  /** Takes over what an earlier process held. */
  restore(reservation: Reservation): void {
    this.#add({ reservation, held: true })
  }

  /** Notes that a reservation goes to disk; false when it is open no more. */
  hold(id: string): boolean {
    const open = this.#open.get(id)
    if (open === undefined || open.settling !== undefined) return false
    open.held = true
    return true
  }

  isHeld(id: string): boolean {
    return this.#open.get(id)?.held === true
  }

  sum(document: string, meter: string, period: string): number {
    let sum = 0
    for (const { reservation } of this.#byDocument.get(document) ?? []) {
      if (reservation.meter === meter && isWithin(reservation.period, period)) sum += reservation.amount
    }
    return sum
  }

  /** Runs `settle` once a reservation, however often this is called; a failed one may be tried again. */
  async settle(id: string, settle: () => Promise<void>): Promise<void> {
    const open = this.#open.get(id)
    if (open === undefined) return
    open.settling ??= settle().finally(() => delete open.settling)
    await open.settling
  }

  close(id: string): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    const { document } = open.reservation
    const others = this.#byDocument.get(document)
    this.#open.delete(id)
    others?.delete(open)
    if (others?.size === 0) this.#byDocument.delete(document)
  }

  /** Forgets those of a document that is gone. */
  closeAll(document: string): void {
    for (const { reservation } of this.#byDocument.get(document) ?? []) this.#open.delete(reservation.id)
    this.#byDocument.delete(document)
  }

  #add(open: Open): void {
    const { id, document } = open.reservation
    const others = this.#byDocument.get(document) ?? new Set()
    this.#open.set(id, open)
    this.#byDocument.set(document, others.add(open))
  }
}
