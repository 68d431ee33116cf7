import type { Entry, ReadEntry, EntryStatus } from '../contract/changelog.ts'
import { isTurnOver, nextTurn } from '../lib/slices.ts'
import { rebasablePieces, rebase, type EntryContext } from '../lib/rebase.ts'
import { Failure } from '../contract/failure.ts'

/** Dates that feeds can hold: RFC 822 and RFC 3339 have four digits for the year, and readers begin with 1970. */
const earliest = Date.UTC(1970, 0, 1)
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Entries that are published with a date further back were published before, here or elsewhere: they are put where they
 * belong, and nobody is told. Clients' clocks and the way here take less.
 */
const staleMs = 60 * 60 * 1000

/** What decides whether and when an entry is seen. Times are milliseconds since 1970. */
export interface Publication {
  readonly isDraft: boolean
  readonly publishedAt?: number
  /** It is published and has still to be announced, now or when its time comes. */
  readonly pending: boolean
}

/** The members of a request that concern it; both may be absent. */
export interface PublicationRequest {
  readonly is_draft?: boolean
  readonly published_at?: string
}

/** The publication of a new entry. Throws Failure `invalid_request` for a date that is none. */
export function newPublication(request: PublicationRequest, now: number): Publication {
  const draft: Publication = { isDraft: true, pending: false }
  return changePublication(draft, { ...request, is_draft: request.is_draft ?? true }, now)
}

/**
 * The publication of an entry after a change. Being published sets the date, unless the request has one; nothing else
 * does, not even going back to draft. Throws Failure `invalid_request` for a date that is none.
 */
export function changePublication(before: Publication, request: PublicationRequest, now: number): Publication {
  const isDraft = request.is_draft ?? before.isDraft
  const isPublished = before.isDraft && !isDraft
  const given = request.published_at === undefined ? undefined : parseTime(request.published_at)
  const publishedAt = given ?? (isPublished ? now : before.publishedAt)
  const date = publishedAt === undefined ? {} : { publishedAt }
  if (isDraft) return { isDraft, ...date, pending: false }
  const pending = isPublished ? publishedAt !== undefined && publishedAt > now - staleMs : before.pending
  return { isDraft, ...date, pending }
}

/** What an entry is at a time. */
export function statusOf({ isDraft, publishedAt }: Publication, now: number): EntryStatus {
  if (isDraft) return 'draft'
  return publishedAt !== undefined && publishedAt <= now ? 'published' : 'scheduled'
}

function parseTime(text: string): number {
  const time = Date.parse(text)
  if (time >= earliest && time <= latest) return time
  // RFC 3339 has leap seconds, which Date has not; an offset may lead out of the years that there are.
  throw new Failure('invalid_request', `published_at is not a date that can be kept: ${text}.`, {
    hint: 'Write it as 2026-11-21T09:00:00Z; years from 1970 to 9999 can be kept.',
    errors: [{ pointer: '/published_at', message: 'is not a date that can be kept' }],
  })
}

/** What the index knows of an entry: everything but its texts. Times are milliseconds since 1970. */
export interface EntryRecord {
  /** UUID. */
  readonly id: string
  /** Counts the entries of a project in the order in which they were created. */
  readonly number: number
  readonly tags: readonly string[]
  readonly isDraft: boolean
  /** Of a draft: when it was published last, or is meant to be. */
  readonly publishedAt?: number
  readonly createdAt: number
  readonly updatedAt: number
  /** It is published and has still to be announced, now or when its time comes. */
  readonly pending: boolean
}

/** The texts of an entry, kept on disk only. */
export interface EntryTexts {
  readonly title: string
  readonly version?: string
  readonly content: string
  /** As the renderer made it. */
  readonly html: string
  /** Which renderer that was. */
  readonly renderer: string
}

export interface StoredEntry {
  readonly record: EntryRecord
  readonly texts: EntryTexts
}

/** When an entry stands in a list. */
export function timeOf(record: EntryRecord): number {
  return record.publishedAt ?? record.createdAt
}

/** What the addresses of an entry are made of. */
export interface Addresses {
  readonly siteUrl: string
  readonly pageUrl: string
}

/** An entry as the API shows it. @param now milliseconds since 1970 */
export function present(record: EntryRecord, texts: EntryTexts, { pageUrl }: Addresses, now: number): Entry {
  const { id, tags, isDraft, publishedAt, createdAt, updatedAt } = record
  const { title, content, version } = texts
  return {
    id,
    title,
    content,
    ...(version === undefined ? {} : { version }),
    tags: [...tags],
    is_draft: isDraft,
    status: statusOf(record, now),
    ...(publishedAt === undefined ? {} : { published_at: new Date(publishedAt).toISOString() }),
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    url: `${pageUrl}/${id}`,
  }
}

/** An entry with its HTML, which may stand on any page and in feeds. @param now milliseconds since 1970 */
export async function presentWhole(
  record: EntryRecord,
  texts: EntryTexts,
  addresses: Addresses,
  now: number,
): Promise<ReadEntry> {
  const entry = present(record, texts, addresses, now)
  const prefix = `e${record.id.slice(0, 8)}-`
  return { ...entry, html: await rebased(texts.html, { siteUrl: addresses.siteUrl, url: entry.url, prefix }) }
}

/** HTML as the renderer made it, for where it is shown. */
export async function rebased(html: string, context: EntryContext): Promise<string> {
  const pieces: string[] = []
  for (const piece of rebasablePieces(html)) {
    if (isTurnOver()) await nextTurn()
    pieces.push(rebase(piece, context))
  }
  return pieces.join('')
}
