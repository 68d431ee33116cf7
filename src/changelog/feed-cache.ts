import type { ReadEntry } from '../contract/changelog.ts'
import { renderAtom, renderJsonFeed, renderRss, type FeedEntry, type FeedSource } from './feeds.ts'
import { leadingTextOf } from './plain-text.ts'
import { CachedResponse, ResponseCache } from './response-cache.ts'

export const feedFormats = ['rss', 'atom', 'json'] as const
export type FeedFormat = (typeof feedFormats)[number]

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
  /** Where its changelog is shown, and where the API is that the feeds belong to. No trailing slashes. */
  readonly pageUrl: (projectId: string) => string
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

/** Bytes of all feeds in memory. */
const maxBytes = 64 * 1024 * 1024
const renderers = { rss: renderRss, atom: renderAtom, json: renderJsonFeed } as const

/** The feeds of all changelogs, rendered when they are asked for after a change. */
export class FeedCache {
  readonly #ports: FeedPorts
  readonly #responses = new ResponseCache<Feed>(maxBytes)

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
    const shown = entries.map(feedEntryOf)
    const body = Buffer.from(renderers[format](this.#source(project, shown), shown), 'utf8')
    // What was taken back leaves no date behind, not even for the next process; who asks by date must notice.
    const modified = this.#ports.now()
    modified.setUTCMilliseconds(0)
    const feed = new Feed(body, modified)
    return before?.tag === feed.tag ? before : feed
  }

  #source(project: FeedProject, entries: readonly FeedEntry[]): FeedSource {
    const { id, title } = project
    const changelog = `${this.#ports.apiUrl(id)}/changelog`
    return {
      title,
      pageUrl: this.#ports.pageUrl(id),
      rssUrl: `${changelog}/rss`,
      atomUrl: `${changelog}/atom`,
      jsonUrl: `${changelog}/feed.json`,
      updatedAt: newestChange(project, entries),
    }
  }
}

function feedEntryOf(entry: ReadEntry): FeedEntry {
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
    id,
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

function newestChange({ createdAt }: FeedProject, entries: readonly FeedEntry[]): Date {
  return new Date(Math.max(Date.parse(createdAt), ...entries.map(({ updatedAt }) => updatedAt.getTime())))
}
