import { randomBytes } from 'node:crypto'
import { domainLimits } from '../contract/domains.ts'

/** A domain that a project claims, as the project's document has it. Times are RFC 3339. */
export interface StoredDomain {
  /** Lower case, Punycode. */
  name: string
  /** What its record must say; nobody else's does. */
  token: string
  addedAt: string
  /** Absent: nothing is served there. */
  verifiedAt?: string
  checkedAt?: string
  /** Since when the record of a verified domain has not been found, or of one that was until then. */
  missingSince?: string
  fault?: DomainFault
}

/**
 * What the last look found wrong: no record, records with other words, no answer at all; or why it was lost: another
 * project of the service has shown its record since, or the service itself has come to use the name.
 */
export type DomainFault = 'no_record' | 'other_records' | 'no_answer' | LossOfDomain
export type LossOfDomain = 'moved' | 'own_name'

/** What this room keeps in the document of a project. */
export interface DomainsDocument {
  /** Newest last; absent where there never was one. */
  domains?: StoredDomain[]
  /** Name of the one that readers are led to; it says nothing while that is not verified. Absent where there is none. */
  primaryDomain?: string
}

const graceMs = domainLimits.graceDays * 24 * 60 * 60_000

export function newDomain(name: string, now: Date): StoredDomain {
  return { name, token: randomBytes(20).toString('hex'), addedAt: now.toISOString() }
}

/** The whole text of the record. */
export function recordText({ token }: Pick<StoredDomain, 'token'>): string {
  return `quire-verification=${token}`
}

/** When a verified domain whose record is missing stops to be verified. */
export function graceEnd(missingSince: string): Date {
  return new Date(Date.parse(missingSince) + graceMs)
}

/** The record is there: the domain is the project's. */
export function noteFound(domain: StoredDomain, now: Date): string {
  const at = now.toISOString()
  domain.checkedAt = at
  delete domain.missingSince
  delete domain.fault
  return (domain.verifiedAt ??= at)
}

/** The record is not there. Answers whether the domain is still verified. */
export function noteMissing(domain: StoredDomain, fault: 'no_record' | 'other_records', now: Date): boolean {
  domain.checkedAt = now.toISOString()
  domain.fault = fault
  if (domain.verifiedAt === undefined) return false
  domain.missingSince ??= now.toISOString()
  if (now < graceEnd(domain.missingSince)) return true
  delete domain.verifiedAt
  return false
}

/** Nobody answered, which says nothing of whose the domain is. */
export function noteNoAnswer(domain: StoredDomain, now: Date): void {
  domain.checkedAt = now.toISOString()
  domain.fault = 'no_answer'
}

/** It is not the project's any more, whatever its record says. */
export function noteLost(domain: StoredDomain, fault: LossOfDomain): void {
  delete domain.verifiedAt
  delete domain.missingSince
  domain.fault = fault
}

const hourMs = 60 * 60_000

/** When the record of a verified domain is looked for again: soon, where it was not found. Milliseconds since 1970. */
export function nextLook({ checkedAt, addedAt, fault }: Readonly<StoredDomain>): number {
  return Date.parse(checkedAt ?? addedAt) + (fault === undefined ? domainLimits.checkHours * hourMs : hourMs)
}
