import type { FileRoute, PageRecord, PageRoute, Route, Sha256 } from '../../contract/release.ts'
import type { AssetRecords } from './assets.ts'
import type { PageRecords } from './records.ts'
import { type Plan, markdownPathOf } from './plan.ts'
import type { Texts } from './generated-files.ts'

const markdownType = 'text/markdown; charset=utf-8'

interface PageRoutes {
  readonly url: string
  readonly markdownPath: string
  readonly page: PageRoute
  readonly markdown: FileRoute
}

/** Routes of unchanged records stay the same objects: cheap to make, and cheap to compare with the last release. */
const pageRoutes = new WeakMap<PageRecord, PageRoutes>()

export interface Published {
  readonly plan: Plan
  readonly pages: PageRecords
  readonly assets: AssetRecords
  /** sitemap.xml and the like, by URL path. */
  readonly texts: Texts
  readonly theme: ReadonlyMap<string, FileRoute>
}

/** The routing table of a release, in the order of source paths. */
export function makeRoutes({ plan, pages, assets, texts, theme }: Published): Readonly<Record<string, Route>> {
  const routes = Object.create(null) as Record<string, Route>
  for (const { path, url } of plan.pages) {
    const record = pages[path]
    if (record === undefined) continue
    const made = routesOf(record, url)
    routes[url] = made.page
    routes[made.markdownPath] = made.markdown
  }
  for (const { path, url, type } of plan.assets) {
    const record = assets[path]
    if (record !== undefined) routes[url] = fileRoute(record.blob, record.size, type)
  }
  for (const [url, { blob, size, type }] of texts) routes[url] = fileRoute(blob, size, type)
  for (const [url, route] of theme) routes[url] = route
  return routes
}

function routesOf(record: PageRecord, url: string): PageRoutes {
  const known = pageRoutes.get(record)
  if (known?.url === url) return known
  const markdownPath = markdownPathOf(url)
  const made: PageRoutes = {
    url,
    markdownPath,
    page: { kind: 'page', blob: record.artifact, markdown: markdownPath },
    markdown: fileRoute(record.markdown, record.markdownSize, markdownType),
  }
  pageRoutes.set(record, made)
  return made
}

function fileRoute(blob: Sha256, size: number, type: string): FileRoute {
  return { kind: 'file', blob, size, type }
}
