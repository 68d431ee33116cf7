/** @jsxImportSource #html */
import type { ReadEntry } from '../contract/changelog.ts'
import { raw, type Html } from '../lib/html.ts'
import { isRightToLeft } from '../site/languages.ts'
import { changelogWords, type ChangelogWords } from '../site/theme/words/changelog.ts'
import { fill, fillText, wordsIn } from '../site/theme/words/words.ts'
import { excerptOf, leadingTextOf } from '../lib/feeds.ts'

/** Whose changelog it is. */
export interface ChangelogSource {
  readonly title: string
  /** Address of the site. */
  readonly siteUrl: string
  /** Where the changelog is shown, as its own links say it: without a trailing slash. */
  readonly pageUrl: string
  /** Of what stands around the entries, BCP 47. */
  readonly lang: string
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

const longestSummary = 200
const longestTag = 50
/** HTML of an entry that the list shows whole, in UTF-16 code units. */
const longestInList = 64 * 1024

export function wordsOf({ lang }: Pick<ChangelogSource, 'lang'>): ChangelogWords {
  return wordsIn(changelogWords, lang)
}

/** To what was before, and to what comes next. */
function arrowsOf({ lang }: ChangelogSource): readonly [back: string, on: string] {
  return isRightToLeft(lang) ? ['→', '←'] : ['←', '→']
}

function dateIn(lang: string, date: string): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date))
}

/** What leads from the page of an entry to the list. */
export function AllEntries({ source }: { readonly source: ChangelogSource }): Html {
  const words = wordsOf(source)
  return (
    <nav class="log-pages" aria-label={words.changelog}>
      <a href={source.pageUrl}>
        {arrowsOf(source)[0]} {words.allEntries}
      </a>
    </nav>
  )
}

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
  const words = wordsOf(source)
  const url = `${source.pageUrl}/${id}`
  const Heading = isAlone ? 'h1' : 'h2'
  return (
    <article class="log-entry" id={anchorOf(entry)}>
      <div class="log-when">
        {published !== undefined && (
          <a class="log-date" href={url} rel="bookmark">
            <time datetime={published}>{dateIn(source.lang, published)}</time>
          </a>
        )}
        {tags.length > 0 && (
          <ul class="log-tags" aria-label={words.tags}>
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
          {isAlone || html.length <= longestInList ? raw(html) : <Beginning url={url} html={html} words={words} />}
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
function Beginning({ url, html, words }: { url: string; html: string; words: ChangelogWords }): Html {
  return (
    <>
      <p>{raw(excerptOf(leadingTextOf(html)))}</p>
      <p>
        <a href={url}>{words.whole}</a>
      </p>
    </>
  )
}

function TagFilter({ source, page }: { readonly source: ChangelogSource; readonly page: ListPage }): Html {
  const { tag } = page
  // One that few entries have may be in an address, too.
  const tags = tag === undefined || page.tags.includes(tag) ? page.tags : [tag, ...page.tags]
  if (tags.length === 0) return <></>
  const words = wordsOf(source)
  return (
    <nav class="log-filter" aria-label={words.byTag}>
      <a class="log-tag" href={source.pageUrl} aria-current={tag === undefined ? 'true' : undefined}>
        {words.all}
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
  const words = wordsOf(source)
  return (
    <div class="log-empty">
      <strong>{tag === undefined ? words.empty : words.emptyTag}</strong>
      <p>{fill(words.meanwhile, { site: <a href={source.siteUrl}>{source.title}</a> })}</p>
    </div>
  )
}

function Pager({ source, page }: { readonly source: ChangelogSource; readonly page: ListPage }): Html {
  const { number, pages, tag } = page
  const words = wordsOf(source)
  const [back, on] = arrowsOf(source)
  return (
    <nav class="log-pages" aria-label={words.pages}>
      {number > 1 ? (
        <a rel="prev" href={addressOf(source, number - 1, tag)}>
          {back} {words.newer}
        </a>
      ) : (
        <i />
      )}
      <span>{fillText(words.position, { number: String(number), pages: String(pages) })}</span>
      {number < pages ? (
        <a rel="next" href={addressOf(source, number + 1, tag)}>
          {words.older} {on}
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
