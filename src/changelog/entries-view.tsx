/** @jsxImportSource #html */
import type { ReadEntry } from '../contract/changelog.ts'
import { raw, type Html } from '../lib/html.ts'
import { excerptOf, leadingTextOf } from './feeds.ts'

/** Whose changelog it is. */
export interface ChangelogSource {
  readonly title: string
  /** Address of the site. */
  readonly siteUrl: string
  /** Where the changelog is shown, as its own links say it: without a trailing slash. */
  readonly pageUrl: string
}

/** One page of the list. */
export interface ListPage {
  readonly entries: readonly ReadEntry[]
  /** From 1. */
  readonly number: number
  readonly pages: number
  /** Those that most entries have. */
  readonly tags: readonly string[]
  /** When only entries with a tag are shown. */
  readonly tag?: string
}

const longDate = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
const longestSummary = 200
const longestTag = 50
/** HTML of an entry that the list shows whole, in UTF-16 code units. */
const longestInList = 64 * 1024

/** The entries of a page, newest first, with what leads to others. */
export function Entries({ source, page }: { readonly source: ChangelogSource; readonly page: ListPage }): Html {
  const { entries, pages, tag } = page
  return (
    <>
      <TagFilter source={source} page={page} />
      {entries.length === 0 ? (
        <Empty source={source} tag={tag} />
      ) : (
        entries.map((entry) => <Article source={source} entry={entry} heading="h2" />)
      )}
      {pages > 1 && <Pager source={source} page={page} />}
    </>
  )
}

interface ArticleProps {
  readonly source: ChangelogSource
  readonly entry: ReadEntry
  /** `h1` where the entry has the page to itself; `none` where its title stands above already. */
  readonly heading: 'h1' | 'h2' | 'none'
}

export function Article({ source, entry, heading }: ArticleProps): Html {
  const { id, title, version, published_at: published, tags, html } = entry
  const isAlone = heading !== 'h2'
  const url = `${source.pageUrl}/${id}`
  const Heading = isAlone ? 'h1' : 'h2'
  return (
    <article class="log-entry" id={anchorOf(entry)}>
      <div class="log-when">
        {published !== undefined && (
          <a class="log-date" href={url} rel="bookmark">
            <time datetime={published}>{longDate.format(new Date(published))}</time>
          </a>
        )}
        {tags.length > 0 && (
          <ul class="log-tags" aria-label="Tags">
            {tags.map((tag) => (
              <li>
                <a class="log-tag" href={addressOf(source, 1, tag)}>
                  {tag}
                </a>
              </li>
            ))}
          </ul>
        )}
        {heading === 'none' && <Version version={version} />}
      </div>
      <div>
        {heading !== 'none' && (
          <header class="log-heading" dir="auto">
            <Heading class="log-name">{isAlone ? title : <a href={url}>{title}</a>}</Heading>
            <Version version={version} />
          </header>
        )}
        <div class="log-content q-prose" dir="auto">
          {isAlone || html.length <= longestInList ? raw(html) : <Beginning url={url} html={html} />}
        </div>
      </div>
    </article>
  )
}

/** Id of an entry in a list: what a contents list leads to. */
export function anchorOf({ id }: Pick<ReadEntry, 'id'>): string {
  return `log-${id}`
}

function Version({ version }: { readonly version: string | undefined }): Html {
  return <>{version !== undefined && <span class="log-version">{version}</span>}</>
}

/** Twenty of the largest entries would make a page of 40 MB. */
function Beginning({ url, html }: { readonly url: string; readonly html: string }): Html {
  return (
    <>
      <p>{raw(excerptOf(leadingTextOf(html)))}</p>
      <p>
        <a href={url}>Read the whole entry</a>
      </p>
    </>
  )
}

function TagFilter({ source, page }: { readonly source: ChangelogSource; readonly page: ListPage }): Html {
  const { tag } = page
  // One that few entries have may be in an address, too.
  const tags = tag === undefined || page.tags.includes(tag) ? page.tags : [tag, ...page.tags]
  if (tags.length === 0) return <></>
  return (
    <nav class="log-filter" aria-label="Entries by tag">
      <a class="log-tag" href={source.pageUrl} aria-current={tag === undefined ? 'true' : undefined}>
        All
      </a>
      {tags.map((one) => (
        <a class="log-tag" href={addressOf(source, 1, one)} aria-current={one === tag ? 'true' : undefined}>
          {one}
        </a>
      ))}
    </nav>
  )
}

function Empty({ source, tag }: { readonly source: ChangelogSource; readonly tag: string | undefined }): Html {
  return (
    <div class="log-empty">
      <strong>{tag === undefined ? 'Nothing here yet' : 'Nothing has this tag'}</strong>
      <p>
        Until there is, have a look at <a href={source.siteUrl}>{source.title}</a>, or subscribe to one of the feeds.
      </p>
    </div>
  )
}

function Pager({ source, page }: { readonly source: ChangelogSource; readonly page: ListPage }): Html {
  const { number, pages, tag } = page
  return (
    <nav class="log-pages" aria-label="Pages">
      {number > 1 ? (
        <a rel="prev" href={addressOf(source, number - 1, tag)}>
          ← Newer
        </a>
      ) : (
        <i />
      )}
      <span>
        {number} of {pages}
      </span>
      {number < pages ? (
        <a rel="next" href={addressOf(source, number + 1, tag)}>
          Older →
        </a>
      ) : (
        <i />
      )}
    </nav>
  )
}

export function addressOf(
  { pageUrl }: Pick<ChangelogSource, 'pageUrl'>,
  number: number,
  tag: string | undefined,
): string {
  const query = new URLSearchParams()
  if (tag !== undefined) query.set('tag', tag)
  if (number > 1) query.set('page', String(number))
  return query.size === 0 ? pageUrl : `${pageUrl}?${query.toString()}`
}

/** Which page of the list a query asks for, from 1; null for what can be none. */
export function askedPage({
  page,
  tag,
}: {
  readonly page?: unknown
  readonly tag?: unknown
}): { readonly number: number; readonly tag: string | undefined } | null {
  const number = page === undefined ? 1 : typeof page === 'string' && /^[1-9]\d{0,5}$/.test(page) ? Number(page) : null
  const wanted = typeof tag === 'string' && tag !== '' ? tag : undefined
  return number === null || (wanted?.length ?? 0) > longestTag ? null : { number, tag: wanted }
}

/** `Title (1.2)`. */
export function nameOf({ title, version }: Pick<ReadEntry, 'title' | 'version'>): string {
  return version === undefined ? title : `${title} (${version})`
}

/** The beginning of an entry in words, for cards and results of searches. */
export function summaryOf({ html, title }: ReadEntry): string {
  const words = leadingTextOf(html)
  const characters = Array.from(words === '' ? title : words.slice(0, 2 * longestSummary))
  if (characters.length <= longestSummary) return characters.join('')
  return `${characters
    .slice(0, longestSummary - 1)
    .join('')
    .trimEnd()}…`
}
