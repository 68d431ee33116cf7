import type { Steps } from '../../lib/slices.ts'
import type {
  Dimensions,
  FeedRoute,
  FileRoute,
  Images,
  PageRecord,
  PageRoute,
  Route,
  Sha256,
} from '../../contract/release.ts'
import type { AssetRecords, BlobSink, StoredBlob } from './blobs.ts'
import { dayOf, type PageRecords, summaryOf } from './records.ts'
import { joinedPages, llmsText } from './llms.ts'
import { type Plan, type PlannedPage, markdownPathOf, sitePages } from './plan.ts'
import type { Translation } from '../counterparts.ts'
import type { ComposedSite, Crawled } from './compose.ts'
import { jsonBytes } from '../../lib/json-writer.ts'
import { islandRoutes } from './islands.ts'
import { encodePath, feedPath } from '../../lib/url-path.ts'
import type { SitePage } from '../config/pages.ts'
import { escapeHtml } from '../../lib/html.ts'

const markdownType = 'text/markdown; charset=utf-8'
/** Content types of what a site gets without asking. */
const types: ReadonlyMap<string, string> = new Map([
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/sitemap.xml', 'application/xml; charset=utf-8'],
])

interface PageRoutes {
  readonly path: string
  readonly url: string
  readonly markdownPath: string
  readonly page: PageRoute
  readonly markdown: FileRoute
  readonly feed: readonly [url: string, route: FeedRoute] | undefined
}

/** Routes of unchanged records stay the same objects: cheap to make, and cheap to compare with the last release. */
const pageRoutes = new WeakMap<PageRecord, PageRoutes>()

export interface Published {
  readonly plan: Plan
  readonly pages: PageRecords
  readonly assets: AssetRecords
  /** sitemap.xml and the like, by URL path. */
  readonly texts: Texts
  /** Files of the search index, by URL path. */
  readonly search: ReadonlyMap<string, FileRoute>
  readonly fonts: ReadonlyMap<string, FileRoute>
  /** Style sheets and scripts of the site. */
  readonly own: Iterable<readonly [string, FileRoute]>
  readonly theme: ReadonlyMap<string, FileRoute>
}

/** The routing table of a release, in the order of source paths. */
export function* makeRoutes({
  plan,
  pages,
  assets,
  texts,
  search,
  fonts,
  own,
  theme,
}: Published): Steps<Readonly<Record<string, Route>>> {
  const routes = Object.create(null) as Record<string, Route>
  const dimensions = new Map<string, Dimensions>()
  for (const { path, url } of plan.assets) {
    yield
    const found = assets[path]?.dimensions
    if (found !== undefined && found !== null) dimensions.set(url, found)
  }
  for (const page of plan.pages) {
    yield
    const { path, url } = page
    const record = pages[path]
    if (record === undefined) continue
    const made = routesOf(record, page, imagesOf(record, dimensions))
    routes[url] = made.page
    routes[made.markdownPath] = made.markdown
    if (made.feed !== undefined && !plan.urls.owners.has(made.feed[0])) routes[made.feed[0]] = made.feed[1]
    for (const [at, route] of islandRoutes(record)) routes[at] = route
  }
  for (const { path, url, type } of plan.assets) {
    yield
    const record = assets[path]
    if (record !== undefined) routes[url] = fileRoute(record.blob, record.size, type)
  }
  for (const [url, { blob, size, type }] of texts)
    routes[url] = type === undefined ? { kind: 'joined', blob } : fileRoute(blob, size, type)
  for (const [url, route] of search) {
    yield
    routes[url] = route
  }
  for (const [url, route] of [...fonts, ...own, ...theme]) routes[url] = route
  return routes
}

function routesOf(record: PageRecord, { path, url, mount }: PlannedPage, images: Images | undefined): PageRoutes {
  const known = pageRoutes.get(record)
  if (known?.url === url && known.path === path && isSame(known.page.images, images)) return known
  const markdownPath = markdownPathOf(url)
  const ending = path.slice(url.length - 1)
  const made: PageRoutes = {
    path,
    url,
    markdownPath,
    page: {
      kind: 'page',
      blob: record.artifact,
      markdown: markdownPath,
      ...(ending === '.mdx' ? {} : { ending }),
      ...(record.updated === undefined ? {} : { updated: record.updated }),
      ...(images === undefined ? {} : { images }),
      ...(mount === undefined ? {} : { tagged: true }),
    },
    markdown: fileRoute(record.markdown, record.markdownSize, markdownType),
    feed: feedOf(record, url),
  }
  pageRoutes.set(record, made)
  return made
}

function feedOf(record: PageRecord, url: string): PageRoutes['feed'] {
  if (summaryOf(record).updates !== true) return undefined
  const updated = record.updated === undefined ? {} : { updated: record.updated }
  return [feedPath(url), { kind: 'feed', blob: record.artifact, page: url, ...updated }]
}

/** Read of the files each time: another picture at the same address costs no page. */
function imagesOf(record: PageRecord, dimensions: ReadonlyMap<string, Dimensions>): Images | undefined {
  if (dimensions.size === 0) return undefined
  let images: Record<string, Dimensions> | undefined
  for (const path of assetsOf(record)) {
    const found = dimensions.get(path)
    if (found !== undefined) (images ??= Object.create(null) as Record<string, Dimensions>)[path] = found
  }
  return images
}

/** Paths of the files of the site that pages show, by record: most are asked for again at each deploy. */
const assetPaths = new WeakMap<PageRecord, readonly string[]>()

function assetsOf(record: PageRecord): readonly string[] {
  const known = assetPaths.get(record)
  if (known !== undefined) return known
  const { links } = summaryOf(record)
  const paths = links.filter(({ kind }) => kind === 'asset').map(({ href }) => href.replace(/[?#].*$/s, ''))
  assetPaths.set(record, paths)
  return paths
}

function isSame(one: Images | undefined, other: Images | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function fileRoute(blob: Sha256, size: number, type: string): FileRoute {
  return { kind: 'file', blob, size, type }
}

/** Generated files by URL path; without a type, lists of pages that are joined when they are asked for. */
export type Texts = ReadonlyMap<string, StoredBlob & { readonly type?: string }>

interface TextsInput {
  /** Origin of the live site. */
  readonly origin: string
  readonly site: ComposedSite
  readonly plan: Plan
  readonly records: PageRecords
  readonly sink: BlobSink
}

/** Makes sitemap.xml, robots.txt, llms.txt and llms-full.txt, but for those that the project brings itself. */
export function* makeTexts({ origin, site, plan, records, sink }: TextsInput): Steps<Texts> {
  const byPath = new Map<string, SitePage>()
  for (const page of yield* sitePages(plan, records)) {
    yield
    byPath.set(page.path, page)
  }
  const listed: SitePage[] = []
  for (const path of site.listed) {
    yield
    const page = byPath.get(path)
    if (page !== undefined) listed.push(page)
  }
  const editions = site.editions.filter(({ path }) => !plan.urls.owners.has(path))
  const bodies = new Map<string, Steps<string>>([
    ['/llms.txt', llmsText({ ...site, editions, origin }, listed)],
    ['/robots.txt', robotsText(origin, site.noindex)],
    ['/sitemap.xml', sitemapXml(origin, site.noindex ? [] : listed, { ...site.crawled, records })],
  ])
  const texts = new Map<string, StoredBlob & { readonly type?: string }>()
  for (const [url, type] of types) {
    const body = bodies.get(url)
    if (body === undefined || plan.urls.owners.has(url)) continue
    texts.set(url, { ...(yield* sink.addSteps(Buffer.from(yield* body))), type })
  }
  for (const edition of editions) {
    const bytes = yield* jsonBytes(joinedPages({ ...site, editions, origin }, edition))
    if (bytes !== undefined) texts.set(edition.path, yield* sink.addSteps(bytes))
  }
  return texts
}

/** sitemap.xml with absolute URLs. Format: https://www.sitemaps.org/protocol.html */
function* sitemapXml(
  origin: string,
  pages: readonly SitePage[],
  crawled: Crawled & { readonly records: PageRecords },
): Steps<string> {
  let urls = ''
  for (const { url, path } of pages) {
    yield
    const day = dayOf(crawled.records[path]?.updated)
    if (crawled.superseded.has(url)) continue
    urls += `<url><loc>${escapeHtml(origin + encodePath(url))}</loc>${day === undefined ? '' : `<lastmod>${day}</lastmod>`}${alternates(origin, crawled.translations.get(url))}</url>\n`
  }
  const namespaces = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${crawled.translations.size === 0 ? '' : ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'}`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${namespaces}>\n${urls}</urlset>\n`
}

/** A page in its languages: https://developers.google.com/search/docs/specialty/international/localized-versions */
function alternates(origin: string, translations: readonly Translation[] = []): string {
  const [first] = translations
  if (first === undefined) return ''
  return [...translations, { ...first, lang: 'x-default' }]
    .map(
      ({ lang, href }) =>
        `<xhtml:link rel="alternate" hreflang="${escapeHtml(lang)}" href="${escapeHtml(origin + href)}"/>`,
    )
    .join('')
}

/** robots.txt (RFC 9309). */
function* robotsText(origin: string, noindex: boolean): Steps<string> {
  yield
  return noindex ? 'User-agent: *\nDisallow: /\n' : `User-agent: *\nAllow: /\n\nSitemap: ${origin}/sitemap.xml\n`
}
