import { toXml } from 'xast-util-to-xml'
import { x } from 'xastscript'
import { decodeHTML } from 'entities'
import { nextTurn, isTurnOver } from './slices.ts'

const attributes = '(?:[^<>"]|"[^"]*")*'
/** What shows no text: drawings, controls, the source of formulas. */
const withoutText = new RegExp(`<(svg|button|annotation|style|script)(?=[\\s>])${attributes}>.*?</\\1>`, 'gs')
const inline = new RegExp(
  `</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)(?=[\\s/>])${attributes}>`,
  'g',
)
const anyTag = new RegExp(`</?[a-zA-Z!]${attributes}>`, 'g')

/** HTML that the beginning of the text is looked for in, UTF-16 code units: the words of a megabyte take a tenth of a second. */
const searchedHtml = 64 * 1024

/** Longest excerpt, in UTF-16 code units: however a reader counts, it sees no more characters. */
export const excerptLength = 500

const ellipsis = '…'
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Minutes that a reader may wait between two polls. */
export const feedMinutes = 5
/**
 * Content of all entries together, in UTF-16 code units. Entries beyond it have their excerpt and link only, so that
 * fifty of the largest do not make a feed of 50 MB.
 */
export const maxContent = 4 * 1024 * 1024
const namespaces = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:content': 'http://purl.org/rss/1.0/modules/content/',
}

// XML 1.0, 2.2: no other character may be in a document, not even escaped. Control characters and those that are none
// in Unicode may, but authors are told to avoid them.
// eslint-disable-next-line no-control-regex
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|[\u007F-\u009F]|\p{Noncharacter_Code_Point}/gu

/** The text of an entry: words that only inline markup divides stay one. @param html sanitised, as the renderer writes it. */
export function plainTextOf(html: string): string {
  const text = html.replace(withoutText, ' ').replace(inline, '').replace(anyTag, ' ')
  return decodeHTML(text).replace(/\s+/g, ' ').trim()
}

/** The text that an entry begins with: enough for every excerpt. @param html as above */
export function leadingTextOf(html: string): string {
  return plainTextOf(html.slice(0, searchedHtml).replace(/<[^>]*$/, ''))
}

/**
 * The beginning of a text, as HTML of at most 500 characters: escaped, because readers of feeds take a description for
 * HTML, and cut between words where there are some, never inside an entity or a character as people see it (a grapheme
 * cluster, UAX #29).
 */
export function excerptOf(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  const pieces: string[] = []
  let length = 0
  // What is longer than this when raw does not fit when escaped.
  for (const { segment } of graphemes.segment(flat.slice(0, 2 * excerptLength))) {
    const piece = segment.replace(/[&<>]/g, (character) => entities[character] ?? character)
    if (length + piece.length > excerptLength) return shorten(pieces, length)
    pieces.push(piece)
    length += piece.length
  }
  return pieces.join('')
}

/** The pieces that leave room for the ellipsis, up to the last space unless that is far back (Chinese has none). */
function shorten(pieces: readonly string[], total: number): string {
  let count = pieces.length
  for (let length = total; length + ellipsis.length > excerptLength; length -= pieces[count]?.length ?? 0) count -= 1
  const space = pieces.lastIndexOf(' ', count)
  const end = space > count / 2 ? space : count
  return pieces.slice(0, end).join('').trimEnd() + ellipsis
}

/** A published entry as feeds show it. */
export interface FeedEntry {
  /** An IRI. It is what readers know an entry by: another one is another entry to them. */
  readonly id: string
  readonly title: string
  readonly version?: string
  readonly tags: readonly string[]
  /** Rendered content; its addresses are absolute. Empty: there is none, or none is told. */
  readonly html: string
  /** The same as plain text. */
  readonly text: string
  /** Its place on the public page. */
  readonly url: string
  /** Absent where nobody can tell. */
  readonly publishedAt?: Date
}

/** What the changelog of a project knows of its entries. */
export interface DatedEntry extends FeedEntry {
  readonly publishedAt: Date
  readonly updatedAt: Date
}

/** A feed that is shown as RSS. Addresses are absolute. */
export interface RssSource {
  readonly name: string
  readonly description: string
  /** The public page. */
  readonly pageUrl: string
  readonly rssUrl: string
  /** When what it tells of last changed, or began; absent where nobody can tell. */
  readonly updatedAt?: Date
}

/** The changelog of a project. */
export interface FeedSource extends RssSource {
  /** Of the project. */
  readonly title: string
  /** What readers of Atom know the feed by: it stays when the addresses of the feeds change. */
  readonly id: string
  readonly atomUrl: string
  readonly jsonUrl: string
  readonly updatedAt: Date
}

/** UTF-16 code units of content that are written at a time: a megabyte at once takes a tenth of a second. */
const pieceLength = 64 * 1024

/** The document of an element. @param entries the last of what is in its element of the name `within` */
function documentOf(root: ReturnType<typeof x>, within: string, entries: readonly string[]): string {
  const written = toXml(root)
  const end = written.lastIndexOf(`</${within}>`)
  const whole = written.slice(0, end) + entries.join('') + written.slice(end)
  // XML 1.0, 2.4: the end of a CDATA section may not stand in text. There is none else in what is written here.
  return `<?xml version="1.0" encoding="utf-8"?>\n${whole.replaceAll(']]>', ']]&gt;')}`
}

/** An element that ends with a content, which is escaped already. */
function withContent(element: ReturnType<typeof x>, tag: string, content: string | null): string {
  const written = toXml(element)
  if (content === null) return written
  const end = written.lastIndexOf('</')
  return `${written.slice(0, end)}<${tag}>${content}</${tag.split(' ', 1)[0]}>${written.slice(end)}`
}

/** Large text piece by piece, none of which ends in a surrogate pair. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + pieceLength, text.length)
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length) end += 1
    yield text.slice(at, end)
    at = end
  }
}

const escaped = (piece: string): string => toXml({ type: 'text', value: clean(piece) })

const clean = (text: string): string => text.replace(notXml, '')
const titleOf = ({ title, version }: FeedEntry): string =>
  clean(version === undefined ? title : `${title} (${version})`)

/** RFC 822 with four digits of the year, as RSS wants: `Sat, 21 Nov 2026 05:00:00 GMT`. */
const rfc822 = (date: Date): string => date.toUTCString()

/** The entries, each written with its content as long as there is room for that. */
async function writtenEntries<T, Entry extends FeedEntry>(
  entries: readonly Entry[],
  writePiece: (piece: string) => string,
  write: (parts: { readonly entry: Entry; readonly excerpt: string; readonly content: string | null }) => T,
): Promise<T[]> {
  const all: T[] = []
  let room = maxContent
  for (const entry of entries) {
    room -= entry.html.length
    const pieces: string[] = []
    for (const piece of room < 0 ? [] : piecesOf(entry.html)) {
      if (isTurnOver()) await nextTurn()
      pieces.push(writePiece(piece))
    }
    if (isTurnOver()) await nextTurn()
    all.push(
      write({
        entry,
        excerpt: excerptOf(clean(entry.text)),
        content: room < 0 || entry.html === '' ? null : pieces.join(''),
      }),
    )
  }
  await nextTurn()
  return all
}

/** RSS 2.0, by the RSS Advisory Board’s specification and best practices. @param entries newest first. */
export async function renderRss(source: RssSource, entries: readonly FeedEntry[]): Promise<string> {
  const items = await writtenEntries(entries, escaped, ({ entry, excerpt, content }) =>
    withContent(
      x('item', [
        x('title', titleOf(entry)),
        x('link', entry.url),
        x('guid', { isPermaLink: String(entry.id === entry.url) }, entry.id),
        ...(entry.publishedAt === undefined ? [] : [x('pubDate', rfc822(entry.publishedAt))]),
        ...entry.tags.map((tag) => x('category', clean(tag))),
        x('description', excerpt),
      ]),
      'content:encoded',
      content,
    ),
  )
  const channel = x('channel', [
    x('title', clean(source.name)),
    x('link', source.pageUrl),
    x('description', clean(source.description)),
    x('atom:link', { rel: 'self', type: 'application/rss+xml', href: source.rssUrl }),
    ...(source.updatedAt === undefined ? [] : [x('lastBuildDate', rfc822(source.updatedAt))]),
    x('ttl', String(feedMinutes)),
  ])
  return documentOf(x('rss', { version: '2.0', ...namespaces }, [channel]), 'channel', items)
}

/** Atom (RFC 4287). @param entries newest first. */
export async function renderAtom(source: FeedSource, entries: readonly DatedEntry[]): Promise<string> {
  const items = await writtenEntries(entries, escaped, ({ entry, excerpt, content }) =>
    withContent(
      x('entry', [
        x('id', entry.id),
        x('title', { type: 'text' }, titleOf(entry)),
        x('link', { rel: 'alternate', type: 'text/html', href: entry.url }),
        x('published', entry.publishedAt.toISOString()),
        x('updated', entry.updatedAt.toISOString()),
        ...entry.tags.map((tag) => x('category', { term: clean(tag) })),
        x('summary', { type: 'html' }, excerpt),
      ]),
      'content type="html"',
      content,
    ),
  )
  const feed = x('feed', { xmlns: namespaces['xmlns:atom'] }, [
    x('id', source.id),
    x('title', clean(source.name)),
    x('subtitle', clean(source.description)),
    x('link', { rel: 'self', type: 'application/atom+xml', href: source.atomUrl }),
    x('link', { rel: 'alternate', type: 'text/html', href: source.pageUrl }),
    x('updated', source.updatedAt.toISOString()),
    x('author', [x('name', clean(source.title))]),
  ])
  return documentOf(feed, 'feed', items)
}

/** JSON Feed 1.1. @param entries newest first. */
export async function renderJsonFeed(source: FeedSource, entries: readonly DatedEntry[]): Promise<string> {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: clean(source.name),
    description: clean(source.description),
    home_page_url: source.pageUrl,
    feed_url: source.jsonUrl,
    items: await writtenEntries(entries, clean, ({ entry, excerpt, content }) => {
      // Plain text here, unlike RSS and Atom.
      const summary = excerpt.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
      return {
        id: entry.id,
        url: entry.url,
        title: titleOf(entry),
        ...(content === null ? { content_text: summary } : { content_html: content }),
        summary,
        date_published: entry.publishedAt.toISOString(),
        date_modified: entry.updatedAt.toISOString(),
        ...(entry.tags.length === 0 ? {} : { tags: entry.tags }),
      }
    }),
  })
}
