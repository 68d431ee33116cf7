/** @jsxImportSource #html */
import type { ReadEntry } from '../contract/changelog.ts'
import type { Child, Html } from '../lib/html.ts'
import {
  addressOf,
  AllEntries,
  Article,
  Entries,
  nameOf,
  summaryOf,
  type ChangelogSource,
  type ListPage,
} from './entries-view.tsx'

/** Whose changelog it is. Addresses are absolute. */
export interface PageSource extends ChangelogSource {
  /** What the changelog and its entries call their own address: on the site, where there is one. */
  readonly canonicalUrl: string
  readonly feeds: { readonly rss: string; readonly atom: string; readonly json: string }
  /** URL path of the style sheet. */
  readonly style: string
}

/** A page of all entries, newest first. No JavaScript: what it shows is in it. */
export function renderList(source: PageSource, page: ListPage): string {
  const { number, pages, tag } = page
  const name = `${source.title} changelog`
  const title = [tag === undefined ? name : `${tag} · ${name}`, ...(number > 1 ? [`page ${number}`] : [])].join(' · ')
  const description = `What is new in ${source.title}.`
  const head = (
    <>
      <About
        title={title}
        description={description}
        canonical={addressOf({ pageUrl: source.canonicalUrl }, number, tag)}
        type="website"
      />
      {number > 1 && <link rel="prev" href={addressOf(source, number - 1, tag)} />}
      {number < pages && <link rel="next" href={addressOf(source, number + 1, tag)} />}
    </>
  )
  return documentOf(
    <Page head={head} source={source} style={source.style}>
      <header class="log-head">
        <h1 class="log-title">Changelog</h1>
        <p class="log-lead">{description}</p>
      </header>
      <main>
        <Entries source={source} page={page} />
      </main>
    </Page>,
  )
}

/** The page of one entry. */
export function renderEntry(source: PageSource, entry: ReadEntry): string {
  const { url, published_at: published, updated_at: updated } = entry
  const head = (
    <>
      <About
        title={`${nameOf(entry)} · ${source.title} changelog`}
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
      <AllEntries source={source} />
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
