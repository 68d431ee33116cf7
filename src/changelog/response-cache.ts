import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Entry, EntryQuery, ReadEntry } from '../contract/changelog.ts'
import type { List } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import { jsonBytes } from '../lib/json-writer.ts'
import { inSlices, isTurnOver, nextTurn } from '../lib/slices.ts'
import { renderAtom, renderJsonFeed, renderRss, type DatedEntry, type FeedSource, leadingTextOf } from '../lib/feeds.ts'

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)
const compress = {
  gzip: (body: Buffer): Promise<Buffer> => gzipAsync(body),
  br: (body: Buffer): Promise<Buffer> => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
} as const

/** Bytes of all lists in memory. */
const maxListBytes = 32 * 1024 * 1024
/** Bytes of all feeds in memory. */
const maxFeedBytes = 64 * 1024 * 1024
export const feedFormats = ['rss', 'atom', 'json'] as const
export type FeedFormat = (typeof feedFormats)[number]
const renderers = { rss: renderRss, atom: renderAtom, json: renderJsonFeed } as const

/** A response that is sent many times: compressed at most once a coding. */
export class CachedResponse {
  readonly body: Buffer
  /** SHA-256 of the body, shortened. */
  readonly tag: string
  readonly #compressed = new Map<string, Promise<Buffer>>()

  constructor(body: Buffer) {
    this.body = body
    this.tag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
  }

  /** Bytes in memory, about: the compressed ones together are no larger than what they are made of. */
  get size(): number {
    return 2 * this.body.length + 1024
  }

  /** The body in a content coding; compressed once, by whoever asks first. */
  async encoded(coding: 'br' | 'gzip' | 'identity'): Promise<Buffer> {
    if (coding === 'identity') return this.body
    let compressed = this.#compressed.get(coding)
    if (compressed === undefined) this.#compressed.set(coding, (compressed = compress[coding](this.body)))
    return compressed
  }
}

interface Versioned<R> {
  /** What it was made of. */
  readonly version: string
  readonly response: R
}

interface Making<R> {
  readonly version: string
  readonly make: (before: R | undefined) => Promise<R>
}

/** Responses that are made when they are asked for after a change, once however many ask, while there is room. */
export class ResponseCache<R extends CachedResponse> {
  readonly #kept: LRUCache<string, Versioned<R>, Making<R>>

  /** @param maxBytes of all responses in memory */
  constructor(maxBytes: number) {
    this.#kept = new LRUCache<string, Versioned<R>, Making<R>>({
      maxSize: maxBytes,
      sizeCalculation: ({ response }) => response.size,
      // Whoever asked gets the response, also when there is no room to keep it.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, before, { context: { version, make } }) => ({
        version,
        response: await make(before?.response),
      }),
    })
  }

  /**
   * The response of a version.
   *
   * @param make gets the response of an earlier version, where there is one.
   */
  async read(key: string, version: string, make: Making<R>['make']): Promise<R> {
    for (;;) {
      const known = this.#kept.get(key)
      if (known?.version === version) return known.response
      const kept = await this.#kept.forceFetch(key, { context: { version, make }, forceRefresh: true })
      if (kept.version === version) return kept.response
      // Somebody was making another version: it is this one's turn now.
    }
  }
}

/** Who looks: members see drafts and what is scheduled, too. */
export type Audience = 'members' | 'public'

export interface ListPorts {
  readonly changelog: {
    /** Another version whenever what a list shows may have changed, drafts included. */
    snapshot(projectId: string): Promise<{ readonly version: string }>
    list(projectId: string, query: EntryQuery, audience: Audience, signal?: AbortSignal): Promise<List<Entry>>
  }
}

/** Each holds up to 8 MB of texts. */
const searching = { slots: 4, firsts: 2, share: 1, reserve: 3, queue: 8 } as const
/** Seconds after which one that found too many waiting is worth another try. */
const fullSeconds = 5

function tooManySearches(): Failure {
  return new Failure('rate_limited', 'Too many searches of this changelog wait.', {
    hint: 'Try again in a few seconds.',
    retryAfter: fullSeconds,
  })
}

/** Pages of the lists of all changelogs as JSON: fifty entries are fifty reads of a file. */
export class ListCache {
  readonly #changelog: ListPorts['changelog']
  readonly #responses = new ResponseCache<CachedResponse>(maxListBytes)
  readonly #searches = new FairLimit(searching)

  constructor({ changelog }: ListPorts) {
    this.#changelog = changelog
  }

  /**
   * The page as it is now, as JSON; what each audience sees is kept apart. A hundred clients at once cause one reading.
   * Throws Failure `invalid_request` for a cursor that no page gave, `rate_limited` for a search when too many of the
   * changelog wait. Searches end when nobody waits for them.
   */
  async read(
    projectId: string,
    query: EntryQuery,
    { audience, signal }: { readonly audience: Audience; readonly signal: AbortSignal },
  ): Promise<CachedResponse> {
    const make = async (waited?: AbortSignal): Promise<CachedResponse> => {
      const list = await this.#changelog.list(projectId, query, audience, waited)
      return new CachedResponse((await inSlices(jsonBytes(list))) ?? Buffer.alloc(0))
    }
    // Each search is another one: none of them may push out what many ask for. Nor may they fill the memory together.
    if (query.q !== undefined) {
      if (this.#searches.isFull(projectId)) throw tooManySearches()
      return this.#searches.run(projectId, () => make(signal), signal)
    }
    const { version } = await this.#changelog.snapshot(projectId)
    const { limit, cursor, tag, status } = query
    return this.#responses.read(JSON.stringify([projectId, audience, limit, cursor, tag, status]), version, () =>
      make(),
    )
  }
}

/** A feed as it is sent. */
export class Feed extends CachedResponse {
  /** Whole seconds. */
  readonly modifiedAt: Date

  constructor(body: Buffer, modifiedAt: Date) {
    super(body)
    this.modifiedAt = modifiedAt
  }
}

export interface FeedPorts {
  readonly changelog: {
    /** Another version whenever what is published may have changed. */
    snapshot(projectId: string): Promise<{ readonly version: string }>
    newest50(projectId: string): Promise<{ readonly entries: readonly ReadEntry[] }>
  }
  /** Where its changelog is shown, and where its feeds are: beside it on its site, or in the API. No trailing slashes. */
  readonly pageUrl: (projectId: string) => string
  readonly feedUrls: (projectId: string) => Readonly<Record<FeedFormat, string>>
  readonly apiUrl: (projectId: string) => string
  readonly now: () => Date
}

/** Whose feed it is. */
export interface FeedProject {
  readonly id: string
  readonly title: string
  /** RFC 3339. */
  readonly createdAt: string
}

/** The feeds of all changelogs, rendered when they are asked for after a change. */
export class FeedCache {
  readonly #ports: FeedPorts
  readonly #responses = new ResponseCache<Feed>(maxFeedBytes)

  constructor(ports: FeedPorts) {
    this.#ports = ports
  }

  /** The feed as it is now. A hundred readers at once cause one rendering. */
  async read(project: FeedProject, format: FeedFormat): Promise<Feed> {
    const { version } = await this.#ports.changelog.snapshot(project.id)
    const madeOf = `${version} ${project.createdAt} ${project.title}`
    return this.#responses.read(`${format} ${project.id}`, madeOf, (before) => this.#render(project, format, before))
  }

  async #render(project: FeedProject, format: FeedFormat, before: Feed | undefined): Promise<Feed> {
    const { entries } = await this.#ports.changelog.newest50(project.id)
    const shown: DatedEntry[] = []
    for (const entry of entries) {
      if (isTurnOver()) await nextTurn()
      shown.push(feedEntryOf(entry))
    }
    const text = await renderers[format](this.#source(project, shown), shown)
    await nextTurn()
    const body = Buffer.from(text, 'utf8')
    await nextTurn()
    // What was taken back leaves no date behind, not even for the next process; who asks by date must notice.
    const modified = this.#ports.now()
    modified.setUTCMilliseconds(0)
    const feed = new Feed(body, modified)
    return before?.tag === feed.tag ? before : feed
  }

  #source(project: FeedProject, entries: readonly DatedEntry[]): FeedSource {
    const { id, title } = project
    const { rss, atom, json } = this.#ports.feedUrls(id)
    return {
      title,
      name: `${title} changelog`,
      description: `What is new in the documentation of ${title}`,
      pageUrl: this.#ports.pageUrl(id),
      id: `${this.#ports.apiUrl(id)}/changelog/atom`,
      rssUrl: rss,
      atomUrl: atom,
      jsonUrl: json,
      updatedAt: newestChange(project, entries),
    }
  }
}

function feedEntryOf(entry: ReadEntry): DatedEntry {
  const {
    id,
    title,
    version,
    tags,
    html,
    url,
    published_at: published,
    created_at: created,
    updated_at: updated,
  } = entry
  const publishedAt = new Date(published ?? created)
  return {
    id: `urn:uuid:${id}`,
    title,
    ...(version === undefined ? {} : { version }),
    tags,
    html,
    // One that only shows pictures has no words.
    text: leadingTextOf(html) || title,
    publishedAt,
    // A scheduled entry is older than its publication.
    updatedAt: new Date(Math.max(Date.parse(updated), publishedAt.getTime())),
    url,
  }
}

function newestChange({ createdAt }: FeedProject, entries: readonly DatedEntry[]): Date {
  return new Date(Math.max(Date.parse(createdAt), ...entries.map(({ updatedAt }) => updatedAt.getTime())))
}
