import type { Store } from '../storage/store.ts'
import type { AllowanceName, Counted } from './plans.ts'

/** All names of documents about use begin so. */
export const usagePrefix = 'usage/'

/** Those of months that are over. */
export const historyPrefix = `${usagePrefix}history/`

/**
 * Use of a project in a month. A document of its own, and named by the account, too: removing a project and making it
 * anew does not bring its allowance back, and whoever else takes the name begins with all of it. What grows is bounded:
 * the documents of past months go, and leave one for each account (`history.ts`).
 */
export interface UsageDocument {
  /** Id of the project: when there were no ids, this was its slug. */
  readonly slug: string
  /** Id of the account whose plan it is. */
  readonly account: string
  readonly before?: Before
}

/** Use that an earlier version had counted in the project's document, by period. */
export type Before = Readonly<Partial<Record<AllowanceName, Readonly<Record<string, number>>>>>

export function usedBefore(before: Before, meter: Counted, period: string): number {
  const periods = meter === 'deploys' || meter === 'generations' ? (before[meter] ?? {}) : {}
  const within = Object.entries(periods).filter(
    ([key]) => key === period || (period.endsWith('-') && key.startsWith(period)),
  )
  return within.reduce((sum, [, used]) => sum + used, 0)
}

/** A project and whose it is. */
export interface OwnedProject {
  /** The project’s. */
  readonly id: string
  /** Account id. */
  readonly owner: string
}

/** @param period A day or a month: its document is the month's. */
export function usageDocument({ id, owner }: OwnedProject, period: string): string {
  return `${usageFolder(owner, period)}/${id}`
}

/** What the names of an account’s documents of a month begin with. */
export function usageFolder(owner: string, period: string): string {
  // Ids have capitals and underscores, which names of documents have not; 16 characters without case are enough.
  return `${usagePrefix}${monthOf(period)}/${owner.toLowerCase().replaceAll('_', '-')}`
}

/** @param owner as `ownerIn` gives it */
export function historyDocument(owner: string, month: string): string {
  return `${historyPrefix}${owner}/${month}`
}

/** What a project’s document of a month has counted in a period of that month; what is reserved counts. */
export async function usedIn(
  store: Pick<Store, 'read' | 'used'>,
  document: string,
  { meter, period }: { readonly meter: Counted; readonly period: string },
): Promise<number> {
  const { before = {} } = (await store.read<UsageDocument>(document)) ?? {}
  return (await store.used(document, meter, period)) + usedBefore(before, meter, period)
}

/** `2026-11` of a document's name. */
export function monthIn(document: string): string {
  return document.slice(usagePrefix.length, document.indexOf('/', usagePrefix.length))
}

/** The account in a document's name, or in its folder's. */
export function ownerIn(document: string): string {
  return document.split('/')[2] ?? ''
}

export function projectIn(document: string): string {
  return document.slice(document.lastIndexOf('/') + 1)
}

function monthOf(period: string): string {
  return period.slice(0, '2026-11'.length)
}
