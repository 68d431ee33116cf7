/** @jsxImportSource #html */
import type { ReadEntry } from '../contract/changelog.ts'
import { raw, type Child, type Html } from '../lib/html.ts'
import { excerptOf, leadingTextOf } from './feeds.ts'

/** Whose changelog it is. Addresses are absolute. */
export interface PageSource {
  readonly title: string
  readonly siteUrl: string
  readonly pageUrl: string
  readonly feeds: { readonly rss: string; readonly atom: string; readonly json: string }
  /** URL path of the style sheet. */
  readonly style: string
}

/** One page of the list. */
export interface ListPage {
  readonly entries: readonly ReadEntry[]
  /** From 1. */
  readonly number: number
  readonly pages: number
  /** When only entries with a tag are shown. */
  readonly tag?: string
}

const longDate = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
const longestSummary = 200
/** HTML of an entry that the list shows whole, in UTF-16 code units. */
const longestInList = 64 * 1024

/** A page of all entries, newest first. No JavaScript: what it shows is in it. */
export function renderList(source: PageSource, page: ListPage): string {
  const { number, pages, tag, entries } = page
  const name = `${source.title} changelog`
  const title = [tag === undefined ? name : `${tag} · ${name}`, ...(number > 1 ? [`page ${number}`] : [])].join(' · ')
  const description = `What is new in ${source.title}.`
  const head = (
    <>
      <About title={title} description={description} canonical={addressOf(source, number, tag)} type="website" />
      {number > 1 && <link rel="prev" href={addressOf(source, number - 1, tag)} />}
      {number < pages && <link rel="next" href={addressOf(source, number + 1, tag)} />}
    </>
  )
  return documentOf(
    <Page head={head} source={source} style={source.style}>
      <header class="log-head">
        <h1 class="log-title">Changelog</h1>
        <p class="log-lead">{description}</p>
        {tag !== undefined && (
          <p class="log-filter">
            Tagged <span class="log-tag">{tag}</span>
            <a href={source.pageUrl}>Show all</a>
          </p>
        )}
      </header>
      <main>
        {entries.length === 0 ? (
          <Empty source={source} tag={tag} />
        ) : (
          entries.map((entry) => <Article source={source} entry={entry} heading="h2" />)
        )}
      </main>
      {pages > 1 && <Pager source={source} page={page} />}
    </Page>,
  )
}

/** The page of one entry. */
export function renderEntry(source: PageSource, entry: ReadEntry): string {
  const { title, version, url, published_at: published, updated_at: updated } = entry
  const name = version === undefined ? title : `${title} (${version})`
  const head = (
    <>
      <About
        title={`${name} · ${source.title} changelog`}
        description={summaryOf(entry)}
        canonical={url}
        type="article"
      />
      <meta property="article:published_time" content={published} />
      <meta property="article:modified_time" content={updated} />
    </>
  )
  return documentOf(
    <Page head={head} source={source} style={source.style} class="log log-one">
      <header class="log-head" />
      <main>
        <Article source={source} entry={entry} heading="h1" />
      </main>
      <nav class="log-pages" aria-label="Changelog">
        <a href={source.pageUrl}>← All entries</a>
      </nav>
    </Page>,
  )
}

/** What is shown where there is no such entry or project. @param source undefined without a project */
export function renderMissing(style: string, source?: PageSource): string {
  return renderNothing('Not found', style, source, [
    <strong>{source === undefined ? 'There is no such changelog' : 'There is no such entry'}</strong>,
    source === undefined ? (
      <p>The address may have a typo, or the project is gone.</p>
    ) : (
      <p>
        It may have been withdrawn. <a href={source.pageUrl}>All entries</a> are still here.
      </p>
    ),
  ])
}

/** What is shown of a project that the operator has suspended. */
export function renderSuspended(style: string): string {
  return renderNothing('Suspended', style, undefined, [
    <strong>This changelog is suspended</strong>,
    <p>Its entries are not shown at the moment.</p>,
  ])
}

function renderNothing(title: string, style: string, source: PageSource | undefined, words: Child): string {
  const head = (
    <>
      <title>{title}</title>
      <meta name="robots" content="noindex" />
    </>
  )
  return documentOf(
    <Page head={head} source={source} style={style}>
      <header class="log-head">
        <h1 class="log-title">{title}</h1>
      </header>
      <main>
        <div class="log-empty">{words}</div>
      </main>
    </Page>,
  )
}

function documentOf(page: Html): string {
  return `<!doctype html>${page.html}`
}

interface PageProps {
  readonly head: Html
  /** Undefined where there is no project. */
  readonly source: PageSource | undefined
  /** URL path of the style sheet. */
  readonly style: string
  readonly class?: string
  readonly children?: Child
}

function Page({ head, source, style, class: className = 'log', children }: PageProps): Html {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {head}
        {source !== undefined && <FeedLinks {...source} />}
        <link rel="stylesheet" href={style} />
      </head>
      <body>
        <div class={className}>
          {source !== undefined && <Top {...source} />}
          {children}
          <footer class="log-foot">Powered by Quire</footer>
        </div>
      </body>
    </html>
  )
}

interface AboutProps {
  readonly title: string
  readonly description: string
  readonly canonical: string
  readonly type: 'website' | 'article'
}

/** What search engines and cards are told. */
function About({ title, description, canonical, type }: AboutProps): Html {
  return (
    <>
      <title>{title}</title>
      <meta name="description" content={description} />
      <link rel="canonical" href={canonical} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={canonical} />
      <meta property="og:type" content={type} />
      <meta name="twitter:card" content="summary" />
    </>
  )
}

/** Where feed readers find the feeds. */
function FeedLinks({ title, feeds }: PageSource): Html {
  const name = `${title} changelog`
  return (
    <>
      <link rel="alternate" type="application/rss+xml" title={name} href={feeds.rss} />
      <link rel="alternate" type="application/atom+xml" title={name} href={feeds.atom} />
      <link rel="alternate" type="application/feed+json" title={name} href={feeds.json} />
    </>
  )
}

function Top({ title, siteUrl, feeds }: PageSource): Html {
  return (
    <nav class="log-top" aria-label="Site">
      <a class="log-home" href={siteUrl}>
        {title}
      </a>
      <ul class="log-feeds">
        <li>
          <a href={feeds.rss} type="application/rss+xml">
            RSS
          </a>
        </li>
        <li>
          <a href={feeds.atom} type="application/atom+xml">
            Atom
          </a>
        </li>
        <li>
          <a href={feeds.json} type="application/feed+json">
            JSON
          </a>
        </li>
      </ul>
    </nav>
  )
}

interface ArticleProps {
  readonly source: PageSource
  readonly entry: ReadEntry
  /** `h1` where the entry has the page to itself. */
  readonly heading: 'h1' | 'h2'
}

function Article({ source, entry, heading: Heading }: ArticleProps): Html {
  const { id, title, version, url, published_at: published, tags, html } = entry
  const isAlone = Heading === 'h1'
  return (
    <article class="log-entry" id={`log-${id}`}>
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
      </div>
      <div>
        <header class="log-heading" dir="auto">
          <Heading class="log-name">{isAlone ? title : <a href={url}>{title}</a>}</Heading>
          {version !== undefined && <span class="log-version">{version}</span>}
        </header>
        <div class="log-content q-prose" dir="auto">
          {isAlone || html.length <= longestInList ? raw(html) : <Beginning url={url} html={html} />}
        </div>
      </div>
    </article>
  )
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

function Empty({ source, tag }: { readonly source: PageSource; readonly tag: string | undefined }): Html {
  return (
    <div class="log-empty">
      <strong>{tag === undefined ? 'Nothing here yet' : 'Nothing has this tag'}</strong>
      <p>
        Until there is, have a look at <a href={source.siteUrl}>{source.title}</a>, or subscribe to one of the feeds
        above.
      </p>
    </div>
  )
}

function Pager({ source, page }: { readonly source: PageSource; readonly page: ListPage }): Html {
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

function addressOf({ pageUrl }: PageSource, number: number, tag: string | undefined): string {
  const query = new URLSearchParams()
  if (tag !== undefined) query.set('tag', tag)
  if (number > 1) query.set('page', String(number))
  return query.size === 0 ? pageUrl : `${pageUrl}?${query.toString()}`
}

/** The beginning of an entry in words, for cards and results of searches. */
function summaryOf({ html, title }: ReadEntry): string {
  const words = leadingTextOf(html)
  const characters = Array.from(words === '' ? title : words.slice(0, 2 * longestSummary))
  if (characters.length <= longestSummary) return characters.join('')
  return `${characters
    .slice(0, longestSummary - 1)
    .join('')
    .trimEnd()}…`
}
