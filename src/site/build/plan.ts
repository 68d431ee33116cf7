import type { ErrorDetail } from '../../contract/common.ts'
import { classify, isHousekeeping, type Classified } from './classify.ts'
import type { SiteConfig } from '../config/config.ts'
import { humanise } from '../config/folders.ts'
import { withoutEnding, type SitePage } from '../config/pages.ts'
import { type PageRecords, summaryOf } from './records.ts'

/** Which file becomes what, and where. Depends on paths and docs.json, on no content. */
export interface Plan extends Classified {
  readonly urls: UrlPlan
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
}

/** Named in the warning about files that are not published. */
const mostNamed = 8

export function makePlan(paths: Iterable<string>, config: SiteConfig): Plan {
  const classified = classify([...paths].sort(), {
    configured: config.document !== null,
    configFiles: new Set(config.files.keys()),
    navigated: config.navigated,
  })
  const urls = planUrls(classified)
  const none = classified.pages.length === 0 ? [{ message: 'The project has no page: add index.mdx.' }] : []
  return {
    ...classified,
    urls,
    errors: [...none, ...urls.errors],
    warnings: unpublishedWarning(classified.unpublished),
  }
}

interface PlanInput {
  readonly files: ReadonlyMap<string, string>
  readonly config: SiteConfig
}

/** Whether two builds have the same plan: most changes of docs.json move no page. */
export function samePlan(one: PlanInput, other: PlanInput): boolean {
  return samePaths(one.files, other.files) && (one.config === other.config || sameConventions(one.config, other.config))
}

function samePaths(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false
  for (const path of other.keys()) if (!one.has(path)) return false
  return true
}

function sameConventions(one: SiteConfig, other: SiteConfig): boolean {
  const essence = ({ document, files, navigated }: SiteConfig) =>
    JSON.stringify([document === null, [...files.keys()].sort(), [...navigated].filter(isHousekeeping).sort()])
  return essence(one) === essence(other)
}

/** The pages with their summaries. Those with errors get a title from their file’s name, so that navigation can still be judged. */
export function sitePages({ pages }: Plan, records: PageRecords): SitePage[] {
  return pages.map(({ path, url }) => {
    const record = records[path]
    if (record !== undefined) return { path, url, summary: summaryOf(record) }
    const title = humanise(withoutEnding(path.slice(path.lastIndexOf('/') + 1)))
    return { path, url, summary: { title, anchors: [], links: [], warnings: [] } }
  })
}

function unpublishedWarning(paths: readonly string[]): ErrorDetail[] {
  if (paths.length === 0) return []
  const named = `${paths.slice(0, mostNamed).join(', ')}${paths.length > mostNamed ? ' …' : ''}`
  const subject = paths.length === 1 ? '1 file is' : `${paths.length} files are`
  return [{ message: `${subject} of a type that sites do not publish: ${named}.` }]
}

/** URL path of a page’s Markdown: `/guide/start` → `/guide/start.md`, `/` → `/index.md`. */
export function markdownPathOf(url: string): string {
  return url === '/' ? '/index.md' : `${url}.md`
}

/** Who has which URL path. */
export interface UrlPlan {
  /** Source path by URL path: pages, their Markdown sources and assets. */
  readonly owners: ReadonlyMap<string, string>
  /** README files that are index pages, under their own name: `/guide/README` → `/guide`. */
  readonly aliases: readonly (readonly [from: string, to: string])[]
  /** Two sources for one path. */
  readonly errors: readonly ErrorDetail[]
}

/** Gives every page and asset its path; clashes are errors that name both sources. */
export function planUrls({ pages, assets }: Classified): UrlPlan {
  const owners = new Map<string, string>()
  const errors: ErrorDetail[] = []
  const claim = (url: string, path: string) => {
    const owner = owners.get(url)
    if (owner === undefined) owners.set(url, path)
    else errors.push({ path, message: `${path} and ${owner} would both be at ${url}: rename or remove one of them.` })
  }
  for (const { path, url } of pages) claim(url, path)
  for (const { path, url } of assets) claim(url, path)
  for (const { path, url } of pages) if (owners.get(url) === path) claim(markdownPathOf(url), path)
  return { owners, aliases: aliasesOf(pages, owners), errors }
}

function aliasesOf(pages: Classified['pages'], owners: ReadonlyMap<string, string>): (readonly [string, string])[] {
  return pages.flatMap(({ path, url }) => {
    const source = `/${path.replace(/\.mdx?$/i, '')}`
    return source === url || !/\/readme$/i.test(source) || owners.has(source) ? [] : [[source, url] as const]
  })
}
