import type { Entry, ReadEntry } from '../contract/changelog.ts'
import { rebase } from './markup.ts'
import { statusOf } from './publication.ts'

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
export function presentWhole(record: EntryRecord, texts: EntryTexts, addresses: Addresses, now: number): ReadEntry {
  const entry = present(record, texts, addresses, now)
  const prefix = `e${record.id.slice(0, 8)}-`
  return { ...entry, html: rebase(texts.html, { siteUrl: addresses.siteUrl, url: entry.url, prefix }) }
}
