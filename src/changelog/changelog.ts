import { randomUUID } from 'node:crypto'
import { noProject } from '../access/projects.ts'
import type { Entry, EntryChange, EntryQuery, NewEntry, ReadEntry } from '../contract/changelog.ts'
import type { List } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { Announcements } from './announcements.ts'
import { presentWhole, type Addresses, type EntryRecord, type EntryTexts } from './entry.ts'
import { OpenLogs, type LogHold, type OpenLog } from './open-logs.ts'
import type { ChangelogDocument, ChangelogPorts } from './ports.ts'
import { changePublication, newPublication } from './publication.ts'
import type { Audience } from './response-cache.ts'
import { Reader, type Published, type PublishedQuery, type Snapshot } from './reader.ts'
import { render, type Written } from './rendering.ts'

/** What a request can change. */
const changeable = ['title', 'content', 'version', 'tags', 'is_draft', 'published_at'] as const

/** Entries of a feed. */
const newest = 50

/** Changelogs of all projects. Whether a project exists is for the caller to know, but for writers. */
export class Changelog {
  readonly #ports: ChangelogPorts
  readonly #logs: OpenLogs
  readonly #announcements: Announcements
  readonly #reader: Reader

  constructor(ports: ChangelogPorts) {
    this.#ports = ports
    this.#logs = new OpenLogs({
      dataDirectory: ports.dataDirectory,
      onError: (slug, err) => ports.log.error({ err, slug }, 'a changelog cannot be read, or nothing erased in it'),
    })
    this.#announcements = new Announcements(ports, this.#logs)
    this.#reader = new Reader(ports, this.#logs)
  }

  /** At start: learns what is to be announced. */
  load(): Promise<void> {
    return this.#announcements.load()
  }

  /** Throws Failure `not_found` without a project, `request_too_large`, `invalid_content`, `unavailable`. */
  async create(slug: string, request: NewEntry): Promise<ReadEntry> {
    const { title, content, version, tags = [] } = request
    // A date that is none is refused before the work.
    newPublication(request, this.#now())
    const written = { title, content, ...(version === undefined ? {} : { version }) }
    const { createdAt } = await this.#project(slug)
    const texts = await render(this.#ports.renderer, slug, written)
    return this.#inTurn(slug, async (open) => {
      // The project may have been removed meanwhile, and another one have its name.
      if ((await this.#project(slug)).createdAt !== createdAt) throw noProject(slug)
      const now = this.#now()
      const publication = newPublication(request, now)
      const record = {
        id: randomUUID(),
        number: open.log.index.next,
        tags,
        ...publication,
        createdAt: now,
        updatedAt: now,
      }
      return this.#write(slug, open, record, texts)
    })
  }

  /** Throws Failure `not_found`, `request_too_large`, `invalid_content`, `unavailable`. */
  update(slug: string, request: EntryChange): Promise<ReadEntry> {
    return this.#inTurn(slug, async (open) => {
      const found = await open.log.read(request.id)
      if (found === undefined) throw noEntry(request.id)
      if (!changeable.some((name) => request[name] !== undefined)) return this.#present(slug, found)
      const { isDraft, publishedAt, pending, ...rest } = found.record
      const now = this.#now()
      const before = { isDraft, pending, ...(publishedAt === undefined ? {} : { publishedAt }) }
      const publication = changePublication(before, request, now)
      const texts = await this.#rewrite(slug, found.texts, request)
      const record = { ...rest, tags: request.tags ?? rest.tags, ...publication, updatedAt: now }
      return this.#write(slug, open, record, texts)
    })
  }

  /** For good. Throws Failure `not_found`, `unavailable`. */
  remove(slug: string, id: string): Promise<void> {
    return this.#inTurn(slug, async (open) => {
      if (open.log.index.get(id) === undefined) throw noEntry(id)
      await open.log.delete(id)
      open.refusals.remove(id)
      await this.#tidy(slug, open)
    })
  }

  /** A page of the list, newest first. */
  list(slug: string, query: EntryQuery, audience: Audience): Promise<List<Entry>> {
    return this.#reader.list(slug, query, audience === 'members')
  }

  /** Throws Failure `not_found`, also for what this audience does not see. */
  async read(slug: string, id: string, audience: Audience): Promise<ReadEntry> {
    const entry = await this.#reader.read(slug, id)
    if (entry === undefined || (audience === 'public' && entry.status !== 'published')) throw noEntry(id)
    return entry
  }

  /** Published entries, newest first. */
  published(slug: string, query: PublishedQuery): Promise<Published> {
    return this.#reader.published(slug, query)
  }

  /** What a feed holds. */
  newest50(slug: string): Promise<Published> {
    return this.published(slug, { limit: newest })
  }

  /** A name for what is published now: another one when it may have changed. */
  snapshot(slug: string): Promise<Snapshot> {
    return this.#reader.snapshot(slug)
  }

  /** Where a project's changelog is shown, once there is something to see. */
  hrefOf(slug: string): string | undefined {
    return this.#announcements.hasAppeared(slug) ? this.#ports.pageUrl(slug) : undefined
  }

  /**
   * For whoever copies a project's files: until the hold is released they only grow, and what was deleted or replaced
   * is not erased. Throws Failure `unavailable`.
   */
  hold(slug: string): Promise<LogHold> {
    return this.#logs.hold(slug)
  }

  /** The project is being removed, and its directory with it. */
  async forget(slug: string): Promise<void> {
    this.#announcements.forget(slug)
    await this.#logs.forget(slug)
  }

  async close(): Promise<void> {
    await this.#announcements.close()
    await this.#logs.close()
  }

  /** New texts where the request changes them. */
  async #rewrite(slug: string, before: EntryTexts, request: EntryChange): Promise<EntryTexts | undefined> {
    const { title = before.title, content = before.content } = request
    const version = request.version === undefined ? before.version : (request.version ?? undefined)
    if (title === before.title && content === before.content && version === before.version) return undefined
    const written: Written = { title, content, ...(version === undefined ? {} : { version }) }
    if (title !== before.title || content !== before.content) return render(this.#ports.renderer, slug, written)
    return { ...written, html: before.html, renderer: before.renderer }
  }

  async #write(
    slug: string,
    open: OpenLog,
    record: Omit<EntryRecord, 'place'>,
    texts: EntryTexts | undefined,
  ): Promise<ReadEntry> {
    if (record.pending) await this.#announcements.expect(slug, record)
    await open.log.put(record, texts)
    open.refusals.remove(record.id)
    await this.#tidy(slug, open)
    const found = await open.log.read(record.id)
    if (found === undefined) throw noEntry(record.id)
    return this.#present(slug, found)
  }

  #present(slug: string, { record, texts }: { readonly record: EntryRecord; readonly texts: EntryTexts }): ReadEntry {
    return presentWhole(record, texts, this.#addresses(slug), this.#now())
  }

  /** After a change that is on disk: what fails now is not the client's, and is tried again. */
  async #tidy(slug: string, open: OpenLog): Promise<void> {
    open.revision += 1
    try {
      await this.#announcements.settle(slug, open)
      await open.log.compact()
    } catch (error) {
      // The project was removed meanwhile.
      if (error instanceof Failure && error.code === 'not_found') return
      this.#announcements.postpone(slug)
      this.#ports.log.error({ err: error, slug }, 'the changelog could not be tidied up after a change')
    }
  }

  async #inTurn<T>(slug: string, work: (open: OpenLog) => Promise<T>): Promise<T> {
    return this.#logs.use(slug, (open) =>
      open.turn(async () => {
        await this.#project(slug)
        return work(open)
      }),
    )
  }

  async #project(slug: string): Promise<ChangelogDocument> {
    const { store, documentOf } = this.#ports
    const document = await store.read<ChangelogDocument>(documentOf(slug))
    if (document === undefined) throw noProject(slug)
    return document
  }

  #addresses(slug: string): Addresses {
    return { siteUrl: this.#ports.siteUrl(slug), pageUrl: this.#ports.pageUrl(slug) }
  }

  #now(): number {
    return this.#ports.now().getTime()
  }
}

function noEntry(id: string): Failure {
  return new Failure('not_found', `There is no changelog entry ${id}.`)
}
