import type { BlobSink, StoredBlob } from './blobs.ts'
import type { ComposedSite } from './compose.ts'
import { llmsText } from './llms.ts'
import type { PageRecords } from './page-records.ts'
import { sitePages, type Plan } from './plan.ts'
import { robotsText, sitemapXml } from './sitemap.ts'

/** Generated files by URL path. */
export type Texts = ReadonlyMap<string, StoredBlob & { readonly type: string }>

/** Content types of what a site gets without asking. */
export const GENERATED: ReadonlyMap<string, string> = new Map([
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/sitemap.xml', 'application/xml; charset=utf-8'],
])

interface TextsInput {
  /** Origin of the live site. */
  readonly origin: string
  readonly site: ComposedSite
  readonly plan: Plan
  readonly records: PageRecords
  readonly sink: BlobSink
}

/** Makes sitemap.xml, robots.txt and llms.txt, but for those that the project brings itself. */
export function makeTexts({ origin, site, plan, records, sink }: TextsInput): Texts {
  const byPath = new Map(sitePages(plan, records).map((page) => [page.path, page]))
  const listed = site.listed.flatMap((path) => byPath.get(path) ?? [])
  const bodies = new Map([
    ['/llms.txt', llmsText({ ...site, origin }, listed)],
    ['/robots.txt', robotsText(origin, site.noindex)],
    ['/sitemap.xml', sitemapXml(origin, site.noindex ? [] : listed)],
  ])
  const texts = new Map<string, StoredBlob & { readonly type: string }>()
  for (const [url, type] of GENERATED) {
    if (!plan.urls.owners.has(url)) texts.set(url, { ...sink.add(Buffer.from(bodies.get(url) ?? '')), type })
  }
  return texts
}
