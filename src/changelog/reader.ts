import pLimit from 'p-limit'
import { entryLimits, type Entry, type EntryQuery, type ReadEntry } from '../contract/changelog.ts'
import { type List, pageItems } from '../contract/common.ts'
import { Failure, unknownCursor } from '../contract/failure.ts'
import { escapeHtml } from '../lib/html.ts'
import { linesWith } from '../lib/line-search.ts'
import { inSlices, type Steps } from '../lib/slices.ts'
import { type ListPosition, positionOf, entriesStream, type ProjectEntries } from './entries.ts'
import {
  present,
  presentWhole,
  type Addresses,
  type EntryRecord,
  type EntryTexts,
  type StoredEntry,
  statusOf,
} from './entry.ts'
import type { ChangelogPorts } from './ports.ts'
import { render } from './rendering.ts'

export interface PublishedQuery {
  readonly limit: number
  /** Entries to leave out, the newest. */
  readonly offset?: number
  readonly tag?: string
}

export interface Published {
  /** Newest first. */
  readonly entries: readonly ReadEntry[]
  /** Of all published entries, with the tag where one was asked for. */
  readonly total: number
}

export interface Snapshot {
  /** Another text whenever something that is published may have changed. */
  readonly version: string
  /** Published entries. */
  readonly total: number
}

/** Texts read at once for one answer. */
const readsAtOnce = 8
/** Bytes of texts, on disk, that a list has in memory beside what it shows: those of one entry may be more. */
const heldBytes = 1024 * 1024

/** Reads changelogs: nothing here changes an entry. */
export class Reader {
  readonly #ports: ChangelogPorts

  constructor(ports: ChangelogPorts) {
    this.#ports = ports
  }

  /**
   * A page. A search reads no further than to where its page is full: the next one may hold none then.
   *
   * Throws Failure `invalid_request` for a cursor that no page gave, and the signal’s reason.
   *
   * @param options.all drafts and what is scheduled, too
   * @param options.signal of who waits for it
   */
  list(
    projectId: string,
    query: EntryQuery,
    { all, signal }: { readonly all: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<List<Entry>> {
    return this.#ports.records.use(projectId, entriesStream, async (entries) => {
      const now = this.#now()
      const { limit = pageItems, tag, status, q } = query
      const most = q === undefined ? limit : entryLimits.searched
      const order = all ? entries.index.all : tag === undefined ? entries.index.dated : entries.index.tagged(tag)
      const shown = all ? order.size : order.countUntil(now)
      const end = query.cursor === undefined ? shown : Math.min(shown, order.countBefore(decodeCursor(query.cursor)))
      const chosen: EntryRecord[] = []
      let bytes = 0
      let isMore = false
      for (const record of order.backwards(end)) {
        if (tag !== undefined && !record.tags.includes(tag)) continue
        if (status !== undefined && statusOf(record, now) !== status) continue
        bytes += entries.textBytes(record.id)
        isMore = chosen.length > 0 && (chosen.length >= most || bytes > entryLimits.listBytes)
        if (isMore) break
        chosen.push(record)
      }
      const items: Entry[] = []
      let looked = 0
      for (const some of batchesOf(chosen, (id) => entries.textBytes(id))) {
        if (items.length === limit) break
        signal?.throwIfAborted()
        const turn = pLimit(readsAtOnce)
        for (const found of await Promise.all(some.map(({ id }) => turn(() => entries.read(id))))) {
          if (items.length === limit) break
          looked += 1
          if (found === undefined || !(q === undefined || (await inSlices(hasText(found, q), signal)))) continue
          const entry = present(found.record, found.texts, this.#addresses(projectId), now)
          // One may have been withdrawn while it was read.
          if (all || entry.status === 'published') items.push(entry)
        }
      }
      const last = chosen[looked - 1]
      return (isMore || looked < chosen.length) && last !== undefined
        ? { items, nextCursor: encodeCursor(positionOf(last)) }
        : { items }
    })
  }

  /** The entry as it is, whatever its state; undefined when there is none. */
  read(projectId: string, id: string): Promise<ReadEntry | undefined> {
    return this.#ports.records.use(projectId, entriesStream, async (entries) => {
      const found = await this.#find(projectId, entries, id)
      return found && presentWhole(found.record, found.texts, this.#addresses(projectId), this.#now())
    })
  }

  published(projectId: string, { limit, offset = 0, tag }: PublishedQuery): Promise<Published> {
    return this.#ports.records.use(projectId, entriesStream, async (entries) => {
      const { index } = entries
      const now = this.#now()
      const order = tag === undefined ? index.dated : index.tagged(tag)
      const total = order.countUntil(now)
      const ids: string[] = []
      for (const { id } of order.backwards(total - offset)) {
        if (ids.length >= limit) break
        ids.push(id)
      }
      const turn = pLimit(readsAtOnce)
      const found = await Promise.all(ids.map((id) => turn(() => this.#find(projectId, entries, id))))
      const addresses = this.#addresses(projectId)
      const shown: ReadEntry[] = []
      for (const one of found)
        if (one !== undefined) shown.push(await presentWhole(one.record, one.texts, addresses, now))
      // One may have been withdrawn while it was read.
      return { entries: shown.filter(({ status }) => status === 'published'), total }
    })
  }

  /** The tags that most published entries have, the most frequent first. */
  tags(projectId: string, most: number): Promise<readonly string[]> {
    return this.#ports.records.use(projectId, entriesStream, ({ index }) => inSlices(index.tags(this.#now(), most)))
  }

  snapshot(projectId: string): Promise<Snapshot> {
    return this.#ports.records.use(projectId, entriesStream, async ({ index, opened, revision, refusals }) => {
      const now = this.#now()
      const total = index.dated.countUntil(now)
      // What is cached under the version holds addresses of entries, so it must change with the page’s URL.
      const version = `${opened}-${revision}-${total}-${refusals.due(now)}-${this.#ports.pageUrl(projectId)}`
      return { version, total }
    })
  }

  /** The entry with HTML by the current renderer: HTML that an older one let through may be unsafe and is not shown. */
  async #find(projectId: string, entries: ProjectEntries, id: string): Promise<StoredEntry | undefined> {
    const found = await entries.read(id)
    const { fingerprint } = this.#ports.renderer
    if (found === undefined || found.texts.renderer === fingerprint) return found
    if (entries.refusals.isRefused(id, this.#now())) return asWritten(found)
    return entries.turn(async () => {
      const newest = await entries.read(id)
      if (newest === undefined || newest.texts.renderer === fingerprint) return newest
      // The render that this one waited for may have been refused.
      if (entries.refusals.isRefused(id, this.#now())) return asWritten(newest)
      const texts = await this.#renderAgain(projectId, newest.texts)
      if (texts === null) {
        entries.refusals.add(id, this.#now())
        return asWritten(newest)
      }
      await entries.put(newest.record, texts)
      // Caches hold what was shown in its place: the version must change.
      if (entries.refusals.remove(id)) entries.revision += 1
      return entries.read(id)
    })
  }

  /** Null when the renderer refuses what an older one took. */
  async #renderAgain(projectId: string, { title, content, version }: EntryTexts): Promise<EntryTexts | null> {
    const written = { title, content, ...(version === undefined ? {} : { version }) }
    try {
      return await render(this.#ports.renderer, projectId, written)
    } catch (error) {
      if (error instanceof Failure) return null
      throw error
    }
  }

  #addresses(projectId: string): Addresses {
    return { siteUrl: this.#ports.siteUrl(projectId), pageUrl: this.#ports.pageUrl(projectId) }
  }

  #now(): number {
    return this.#ports.now().getTime()
  }
}

/** All of them in order, as many at a time as have texts of `heldBytes` together, and at least one. */
function* batchesOf(records: readonly EntryRecord[], bytesOf: (id: string) => number): Generator<EntryRecord[]> {
  let batch: EntryRecord[] = []
  let held = 0
  for (const record of records) {
    const bytes = bytesOf(record.id)
    if (batch.length > 0 && held + bytes > heldBytes) {
      yield batch
      batch = []
      held = 0
    }
    batch.push(record)
    held += bytes
  }
  if (batch.length > 0) yield batch
}

/** Whether an entry has a text on a line of what was written of it, in capitals or not. */
function* hasText({ record, texts }: StoredEntry, wanted: string): Steps<boolean> {
  for (const text of [texts.title, texts.version ?? '', ...record.tags, texts.content])
    if ((yield* linesWith(text, { wanted, exact: false, most: 1, shown: 0 })).length > 0) return true
  return false
}

/** What readers see of an entry that the renderer refuses. */
function asWritten({ record, texts }: StoredEntry): StoredEntry {
  return { record, texts: { ...texts, html: `<pre>${escapeHtml(texts.content)}</pre>` } }
}

function encodeCursor({ time, number }: ListPosition): string {
  return Buffer.from(`${time} ${number}`, 'utf8').toString('base64url')
}

function decodeCursor(cursor: string): ListPosition {
  const place = /^(-?\d{1,16}) (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (place !== null) return { time: Number(place[1]), number: Number(place[2]) }
  throw unknownCursor()
}
