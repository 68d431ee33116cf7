import { randomUUID } from 'node:crypto'
import { noProject } from '../projects/document.ts'
import type {
  Entry,
  EntryChange,
  EntryPreview,
  EntryQuery,
  NewEntry,
  PreviewedEntry,
  ReadEntry,
} from '../contract/changelog.ts'
import type { List } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { Announcements } from './announcements.ts'
import {
  presentWhole,
  rebased,
  type Addresses,
  type EntryRecord,
  type EntryTexts,
  type StoredEntry,
  changePublication,
  newPublication,
} from './entry.ts'
import { entriesStream, type ProjectEntries } from './entries.ts'
import type { ListPage } from './entries-view.tsx'
import type { ChangelogDocument, ChangelogPorts } from './ports.ts'
import type { Audience } from './response-cache.ts'
import { Reader, type Published, type PublishedQuery, type Snapshot } from './reader.ts'
import { render, type WrittenEntry } from './rendering.ts'

/** What a request can change. */
const changeable = ['title', 'content', 'version', 'tags', 'is_draft', 'published_at'] as const

/** Entries of a feed. */
const newest = 50
/** Entries of a page for browsers, and tags to choose from. */
const pageEntries = 20
const shownTags = 24

/** Changelogs of all projects. Whether a project exists is for the caller to know, but for writers. */
export class Changelog {
  readonly #ports: ChangelogPorts
  readonly #announcements: Announcements
  readonly #reader: Reader

  constructor(ports: ChangelogPorts) {
    this.#ports = ports
    this.#announcements = new Announcements(ports)
    this.#reader = new Reader(ports)
  }

  /** At start: learns what is to be announced. */
  load(): Promise<void> {
    return this.#announcements.load()
  }

  /**
   * Throws Failure `not_found` without a project, `request_too_large`, `invalid_content`, `unavailable`; the signal’s
   * reason when nobody waits for it before it is rendered.
   */
  async create(projectId: string, request: NewEntry, signal?: AbortSignal): Promise<ReadEntry> {
    const { title, content, version, tags = [] } = request
    // A date that is none is refused before the work.
    newPublication(request, this.#now())
    const written = { title, content, ...(version === undefined ? {} : { version }) }
    const { createdAt } = await this.#project(projectId)
    const texts = await render(this.#ports.renderer, projectId, written, signal)
    return this.#inTurn(projectId, async (entries) => {
      // The project may have been removed meanwhile, and another one have its name.
      if ((await this.#project(projectId)).createdAt !== createdAt) throw noProject(projectId)
      const now = this.#now()
      const publication = newPublication(request, now)
      const record = {
        id: randomUUID(),
        number: entries.index.next,
        tags,
        ...publication,
        createdAt: now,
        updatedAt: now,
      }
      return this.#write(projectId, entries, record, texts)
    })
  }

  /**
   * Throws Failure `not_found`, `stale_entry`, `request_too_large`, `invalid_content`, `unavailable`, and the signal’s
   * reason as `create`.
   */
  update(projectId: string, request: EntryChange, signal?: AbortSignal): Promise<ReadEntry> {
    return this.#inTurn(projectId, async (entries) => {
      const found = await entries.read(request.id)
      if (found === undefined) throw noEntry(request.id)
      assertUntouched(found, request.if_updated_at, 'saved')
      if (!changeable.some((name) => request[name] !== undefined)) return this.#present(projectId, found)
      const { isDraft, publishedAt, pending, ...rest } = found.record
      const now = this.#now()
      const before = { isDraft, pending, ...(publishedAt === undefined ? {} : { publishedAt }) }
      const publication = changePublication(before, request, now)
      const texts = await this.#rewrite(projectId, found.texts, { request, signal })
      // Never the same twice, so that it tells one state of an entry from another.
      const updatedAt = Math.max(now, rest.updatedAt + 1)
      const record = { ...rest, tags: request.tags ?? rest.tags, ...publication, updatedAt }
      return this.#write(projectId, entries, record, texts)
    })
  }

  /** What an entry would look like. Throws as `create` does, and keeps nothing. */
  async preview(
    projectId: string,
    { title = '', content }: EntryPreview,
    signal?: AbortSignal,
  ): Promise<PreviewedEntry> {
    const { html } = await render(this.#ports.renderer, projectId, { title, content }, signal)
    const { siteUrl, pageUrl } = this.#addresses(projectId)
    return { html: await rebased(html, { siteUrl, url: pageUrl, prefix: 'preview-' }) }
  }

  /**
   * For good. Throws Failure `not_found`, `stale_entry`, `unavailable`.
   * @param expected `updated_at` of what is meant to go; undefined: whatever it is now
   */
  remove(projectId: string, id: string, expected?: string): Promise<void> {
    return this.#inTurn(projectId, async (entries) => {
      if (entries.index.get(id) === undefined) throw noEntry(id)
      const found = expected === undefined ? undefined : await entries.read(id)
      if (found !== undefined) assertUntouched(found, expected, 'deleted')
      await entries.delete(id)
      entries.refusals.remove(id)
      await this.#tidy(projectId, entries)
    })
  }

  /** A page of the list, newest first. Throws Failure `invalid_request` for a cursor that no page gave, and the signal’s reason. */
  list(projectId: string, query: EntryQuery, audience: Audience, signal?: AbortSignal): Promise<List<Entry>> {
    return this.#reader.list(projectId, query, { all: audience === 'members', signal })
  }

  /** Throws Failure `not_found`, also for what this audience does not see. */
  async read(projectId: string, id: string, audience: Audience): Promise<ReadEntry> {
    const entry = await this.#reader.read(projectId, id)
    if (entry === undefined || (audience === 'public' && entry.status !== 'published')) throw noEntry(id)
    return entry
  }

  /** Published entries, newest first. */
  published(projectId: string, query: PublishedQuery): Promise<Published> {
    return this.#reader.published(projectId, query)
  }

  /** A page of what browsers are shown, from 1; null where there is none. */
  async page(
    projectId: string,
    { number, tag }: { readonly number: number; readonly tag: string | undefined },
  ): Promise<ListPage | null> {
    const asked = { limit: pageEntries, offset: (number - 1) * pageEntries, ...(tag === undefined ? {} : { tag }) }
    const { entries, total } = await this.published(projectId, asked)
    const pages = Math.max(1, Math.ceil(total / pageEntries))
    if (number > pages) return null
    const tags = await this.#reader.tags(projectId, shownTags)
    return { entries, number, pages, tags, ...(tag === undefined ? {} : { tag }) }
  }

  /** What a feed holds. */
  newest50(projectId: string): Promise<Published> {
    return this.published(projectId, { limit: newest })
  }

  /** A name for what is published now: another one when it may have changed. */
  snapshot(projectId: string): Promise<Snapshot> {
    return this.#reader.snapshot(projectId)
  }

  /** Whether there is something to see. Only memory is looked at. */
  hasAppeared(projectId: string): boolean {
    return this.#announcements.hasAppeared(projectId)
  }

  /** The project is being removed. */
  forget(projectId: string): void {
    this.#announcements.forget(projectId)
  }

  close(): Promise<void> {
    return this.#announcements.close()
  }

  /** New texts where the request changes them. */
  async #rewrite(
    projectId: string,
    before: EntryTexts,
    { request, signal }: { readonly request: EntryChange; readonly signal: AbortSignal | undefined },
  ): Promise<EntryTexts | undefined> {
    const { title = before.title, content = before.content } = request
    const version = request.version === undefined ? before.version : (request.version ?? undefined)
    if (title === before.title && content === before.content && version === before.version) return undefined
    const written: WrittenEntry = { title, content, ...(version === undefined ? {} : { version }) }
    if (title !== before.title || content !== before.content)
      return render(this.#ports.renderer, projectId, written, signal)
    return { ...written, html: before.html, renderer: before.renderer }
  }

  async #write(
    projectId: string,
    entries: ProjectEntries,
    record: EntryRecord,
    texts: EntryTexts | undefined,
  ): Promise<ReadEntry> {
    if (record.pending) await this.#announcements.expect(projectId, record)
    await entries.put(record, texts)
    entries.refusals.remove(record.id)
    await this.#tidy(projectId, entries)
    const found = await entries.read(record.id)
    if (found === undefined) throw noEntry(record.id)
    return this.#present(projectId, found)
  }

  #present(projectId: string, { record, texts }: StoredEntry): Promise<ReadEntry> {
    return presentWhole(record, texts, this.#addresses(projectId), this.#now())
  }

  /** After a change that is on disk: what fails now is not the client's, and is tried again. */
  async #tidy(projectId: string, entries: ProjectEntries): Promise<void> {
    entries.revision += 1
    try {
      await this.#announcements.settle(projectId, entries)
    } catch (error) {
      // The project was removed meanwhile.
      if (error instanceof Failure && error.code === 'not_found') return
      this.#announcements.postpone(projectId)
      this.#ports.log.error({ err: error, projectId }, 'the changelog could not be tidied up after a change')
    }
  }

  async #inTurn<T>(projectId: string, work: (entries: ProjectEntries) => Promise<T>): Promise<T> {
    return this.#ports.records.use(projectId, entriesStream, (entries) =>
      entries.turn(async () => {
        await this.#project(projectId)
        return work(entries)
      }),
    )
  }

  async #project(projectId: string): Promise<ChangelogDocument> {
    const { store, documentOf } = this.#ports
    const document = await store.read<ChangelogDocument>(documentOf(projectId))
    if (document === undefined) throw noProject(projectId)
    return document
  }

  #addresses(projectId: string): Addresses {
    return { siteUrl: this.#ports.siteUrl(projectId), pageUrl: this.#ports.pageUrl(projectId) }
  }

  #now(): number {
    return this.#ports.now().getTime()
  }
}

/** Throws Failure `stale_entry` where the change is made of another state than there is. */
function assertUntouched(
  { record, texts }: StoredEntry,
  expected: string | undefined,
  change: 'saved' | 'deleted',
): void {
  if (expected === undefined || Date.parse(expected) === record.updatedAt) return
  const updatedAt = new Date(record.updatedAt).toISOString()
  throw new Failure(
    'stale_entry',
    `“${texts.title}” was changed at ${updatedAt}, since it was read. Nothing was ${change}.`,
    {
      hint:
        change === 'saved'
          ? 'Read it again, put both together, and send what is to stay.'
          : 'Read it again, and delete it if it is still to go.',
      extra: { updated_at: updatedAt },
    },
  )
}

function noEntry(id: string): Failure {
  return new Failure('not_found', `There is no changelog entry ${id}.`)
}
