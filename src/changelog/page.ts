import type { ReadEntry } from '../contract/changelog.ts'
import { attributes, escapeHtml } from '../site/html.ts'
import { excerptOf, leadingTextOf } from './plain-text.ts'

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

/** Nothing of a page runs, and nothing but pictures, sound and film comes from elsewhere. */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src https: data:; media-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** As above where sites are without TLS: their pictures are, too. @param siteUrl origin of the project's site */
export function policyFor(siteUrl: string): string {
  if (siteUrl.startsWith('https:')) return contentSecurityPolicy
  return contentSecurityPolicy
    .replace('img-src https: data:', `img-src https: data: ${siteUrl}`)
    .replace('media-src https:', `media-src https: ${siteUrl}`)
}

const longDate = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
const longestSummary = 200
/** HTML of an entry that the list shows whole, in UTF-16 code units. */
const longestInList = 64 * 1024

/** A page of all entries, newest first. No JavaScript: what it shows is in it. */
export function renderList(source: PageSource, page: ListPage): string {
  const { number, pages, tag, entries } = page
  const name = `${source.title} changelog`
  const title = [tag === undefined ? name : `${tag} · ${name}`, number > 1 ? `page ${number}` : ''].filter(
    (part) => part !== '',
  )
  const canonical = addressOf(source, number, tag)
  const links =
    (number > 1 ? link('prev', addressOf(source, number - 1, tag)) : '') +
    (number < pages ? link('next', addressOf(source, number + 1, tag)) : '')
  const description = `What is new in ${source.title}.`
  return documentOf(source, {
    head: about({ title: title.join(' · '), description, canonical, type: 'website' }) + links,
    className: 'log',
    body:
      `<header class="log-head"><h1 class="log-title">Changelog</h1><p class="log-lead">${escapeHtml(description)}</p>${filter(source, tag)}</header>` +
      `<main>${entries.length === 0 ? empty(source, tag) : entries.map((entry) => article(source, entry, 'h2')).join('')}</main>${pager(source, page)}`,
  })
}

/** The page of one entry. */
export function renderEntry(source: PageSource, entry: ReadEntry): string {
  const { title, version, url, published_at: published, updated_at: updated } = entry
  const name = version === undefined ? title : `${title} (${version})`
  return documentOf(source, {
    head:
      about({
        title: `${name} · ${source.title} changelog`,
        description: summaryOf(entry),
        canonical: url,
        type: 'article',
      }) +
      `<meta${attributes({ property: 'article:published_time', content: published })}><meta${attributes({ property: 'article:modified_time', content: updated })}>`,
    className: 'log log-one',
    body: `<header class="log-head"></header><main>${article(source, entry, 'h1')}</main><nav class="log-pages" aria-label="Changelog"><a href="${escapeHtml(source.pageUrl)}">← All entries</a></nav>`,
  })
}

/** What is shown where there is no such entry or project. @param source undefined without a project */
export function renderMissing(style: string, source?: PageSource): string {
  const way =
    source === undefined
      ? 'The address may have a typo, or the project is gone.'
      : `It may have been withdrawn. <a href="${escapeHtml(source.pageUrl)}">All entries</a> are still here.`
  const what = source === undefined ? 'There is no such changelog' : 'There is no such entry'
  return documentOf(source ?? style, {
    head: `<title>Not found</title><meta name="robots" content="noindex">`,
    className: 'log',
    body: `<header class="log-head"><h1 class="log-title">Not found</h1></header><main><div class="log-empty"><strong>${what}</strong><p>${way}</p></div></main>`,
  })
}

function documentOf(
  source: PageSource | string,
  { head, className, body }: { readonly head: string; readonly className: string; readonly body: string },
): string {
  const style = typeof source === 'string' ? source : source.style
  const feeds = typeof source === 'string' ? '' : autodiscovery(source)
  const top = typeof source === 'string' ? '' : topOf(source)
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<meta name="color-scheme" content="light dark">${head}${feeds}<link rel="stylesheet" href="${escapeHtml(style)}"></head>` +
    `<body><div class="${className}">${top}${body}<footer class="log-foot">Powered by Quire</footer></div></body></html>`
  )
}

function about(page: { title: string; description: string; canonical: string; type: string }): string {
  const { title, description, canonical, type } = page
  return (
    `<title>${escapeHtml(title)}</title><meta${attributes({ name: 'description', content: description })}>${link('canonical', canonical)}` +
    `<meta${attributes({ property: 'og:title', content: title })}><meta${attributes({ property: 'og:description', content: description })}>` +
    `<meta${attributes({ property: 'og:url', content: canonical })}><meta${attributes({ property: 'og:type', content: type })}>` +
    '<meta name="twitter:card" content="summary">'
  )
}

function autodiscovery({ title, feeds }: PageSource): string {
  const name = `${title} changelog`
  const feed = (type: string, href: string): string =>
    `<link${attributes({ rel: 'alternate', type, title: name, href })}>`
  return (
    feed('application/rss+xml', feeds.rss) +
    feed('application/atom+xml', feeds.atom) +
    feed('application/feed+json', feeds.json)
  )
}

function topOf({ title, siteUrl, feeds }: PageSource): string {
  return (
    `<nav class="log-top" aria-label="Site"><a${attributes({ class: 'log-home', href: siteUrl })}>${escapeHtml(title)}</a>` +
    `<ul class="log-feeds"><li><a${attributes({ href: feeds.rss, type: 'application/rss+xml' })}>RSS</a></li>` +
    `<li><a${attributes({ href: feeds.atom, type: 'application/atom+xml' })}>Atom</a></li>` +
    `<li><a${attributes({ href: feeds.json, type: 'application/feed+json' })}>JSON</a></li></ul></nav>`
  )
}

function article(source: PageSource, entry: ReadEntry, heading: 'h1' | 'h2'): string {
  const { id, title, version, url, published_at: published, tags, html } = entry
  const name = heading === 'h1' ? escapeHtml(title) : `<a${attributes({ href: url })}>${escapeHtml(title)}</a>`
  const date =
    published === undefined
      ? ''
      : `<a${attributes({ class: 'log-date', href: url, rel: 'bookmark' })}><time datetime="${published}">${longDate.format(new Date(published))}</time></a>`
  const labels = tags.map(
    (tag) => `<li><a${attributes({ class: 'log-tag', href: addressOf(source, 1, tag) })}>${escapeHtml(tag)}</a></li>`,
  )
  return (
    `<article class="log-entry" id="log-${id}"><div class="log-when">${date}${labels.length === 0 ? '' : `<ul class="log-tags" aria-label="Tags">${labels.join('')}</ul>`}</div>` +
    `<div><header class="log-heading" dir="auto"><${heading} class="log-name">${name}</${heading}>${version === undefined ? '' : `<span class="log-version">${escapeHtml(version)}</span>`}</header>` +
    `<div class="log-content q-prose" dir="auto">${heading === 'h1' || html.length <= longestInList ? html : beginning(url, html)}</div></div></article>`
  )
}

/** Twenty of the largest entries would make a page of 40 MB. */
function beginning(url: string, html: string): string {
  return `<p>${excerptOf(leadingTextOf(html))}</p><p><a${attributes({ href: url })}>Read the whole entry</a></p>`
}

function filter({ pageUrl }: PageSource, tag: string | undefined): string {
  if (tag === undefined) return ''
  return `<p class="log-filter">Tagged <span class="log-tag">${escapeHtml(tag)}</span><a href="${escapeHtml(pageUrl)}">Show all</a></p>`
}

function empty({ title, siteUrl }: PageSource, tag: string | undefined): string {
  const what = tag === undefined ? 'Nothing here yet' : 'Nothing has this tag'
  return `<div class="log-empty"><strong>${what}</strong><p>Until there is, have a look at <a href="${escapeHtml(siteUrl)}">${escapeHtml(title)}</a>, or subscribe to one of the feeds above.</p></div>`
}

function pager(source: PageSource, { number, pages, tag }: ListPage): string {
  if (pages <= 1) return ''
  const newer =
    number > 1 ? `<a${attributes({ rel: 'prev', href: addressOf(source, number - 1, tag) })}>← Newer</a>` : '<i></i>'
  const older =
    number < pages
      ? `<a${attributes({ rel: 'next', href: addressOf(source, number + 1, tag) })}>Older →</a>`
      : '<i></i>'
  return `<nav class="log-pages" aria-label="Pages">${newer}<span>${number} of ${pages}</span>${older}</nav>`
}

function addressOf({ pageUrl }: PageSource, number: number, tag: string | undefined): string {
  const query = new URLSearchParams()
  if (tag !== undefined) query.set('tag', tag)
  if (number > 1) query.set('page', String(number))
  return query.size === 0 ? pageUrl : `${pageUrl}?${query.toString()}`
}

function link(rel: string, href: string): string {
  return `<link${attributes({ rel, href })}>`
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
