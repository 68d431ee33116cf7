import type { Entry, ReadEntry } from '../contract/changelog.ts'
import { settle } from './markup.ts'
import type { EntryRecord, EntryTexts } from './record.ts'
import { statusOf } from './rules.ts'

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
  return { ...entry, html: settle(texts.html, { siteUrl: addresses.siteUrl, url: entry.url, prefix }) }
}
