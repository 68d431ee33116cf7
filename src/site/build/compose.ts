import type { ErrorDetail } from '../../contract/common.ts'
import type { Redirect } from '../../contract/release.ts'
import type { BlobSink, StoredBlob } from './blobs.ts'
import type { BuildRequest } from '../builder.ts'
import type { SiteConfig } from '../config/config.ts'
import { type IconLookup, shellSettings } from '../config/settings.ts'
import type { PageRecords } from './records.ts'
import { sitePages, type Plan, type UrlPlan } from './plan.ts'
import type { ThemeAssets, Shell } from '../shell.ts'
import { folderNavigation } from '../config/folders.ts'
import { encodePath } from '../../lib/url-path.ts'
import { readNavigation, type Navigation } from '../config/navigation.ts'
import { indexPages, type SitePage, placePages } from '../config/pages.ts'
import { readRedirects } from '../config/redirects.ts'

/** What docs.json, the paths and the pages’ titles make together. */
export interface ComposedSite {
  readonly shell: StoredBlob
  readonly name: string
  readonly description?: string
  readonly noindex: boolean
  readonly redirects: readonly Redirect[]
  /** Source paths of the pages that sitemap and llms.txt name, in reading order. */
  readonly listed: readonly string[]
  readonly warnings: readonly ErrorDetail[]
}

export interface ComposeInput {
  readonly request: Pick<BuildRequest, 'url' | 'title'>
  readonly config: SiteConfig
  readonly plan: Plan
  readonly records: PageRecords
  readonly theme: ThemeAssets
  readonly icon: IconLookup
  readonly sink: BlobSink
}

export type Composition =
  | { readonly site: ComposedSite }
  | { readonly site?: undefined; readonly errors: readonly ErrorDetail[]; readonly warnings: readonly ErrorDetail[] }

/** Composes shell, redirects and the list of pages, and stores the shell. */
export function composeSite({ request, config, plan, records, theme, icon, sink }: ComposeInput): Composition {
  const { shell, errors, ...map } = mapSite({
    config,
    pages: sitePages(plan, records),
    urls: plan.urls,
    url: request.url,
    title: request.title,
    theme,
    icon,
    hasFile: (path) => plan.urls.owners.has(`/${path}`),
  })
  if (shell === undefined) return { errors, warnings: map.warnings }
  return {
    site: {
      ...map,
      shell: sink.add(Buffer.from(JSON.stringify(shell))),
      name: shell.name,
      ...(shell.description === undefined ? {} : { description: shell.description }),
      noindex: shell.noindex === true,
    },
  }
}

export interface SiteMapInput {
  readonly config: SiteConfig
  readonly pages: readonly SitePage[]
  readonly urls: UrlPlan
  readonly url: string
  readonly title: string
  readonly theme: ThemeAssets
  readonly icon: IconLookup
  readonly hasFile: (path: string) => boolean
}

/** What all pages share, and where everything is. */
export interface SiteMap {
  /** Absent when there are errors. */
  readonly shell?: Shell
  readonly redirects: readonly Redirect[]
  /** Source paths of the pages that sitemap and llms.txt name, in reading order. */
  readonly listed: readonly string[]
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
}

/** Composes navigation, settings and redirects. Pure: equal inputs give equal bytes. */
function mapSite(input: SiteMapInput): SiteMap {
  const { config, pages, urls } = input
  const problems = config.problems()
  const { settings, document } = config
  if (settings === undefined) return { redirects: [], listed: [], errors: [], warnings: [] }
  const navigation: Navigation =
    document === null || document['navigation'] === undefined
      ? folderNavigation(pages)
      : readNavigation(document['navigation'], { problems, pages: indexPages(pages), icon: input.icon })
  const context = { title: input.title, problems, icon: input.icon, hasFile: (path: string) => input.hasFile(path) }
  const shared = shellSettings(settings, context)
  const exists = (path: string) => urls.owners.has(path)
  const places = placePages(navigation.sections)
  const placed = Object.keys(places)
  const implied = impliedRedirects(urls, navigation.home, placed)
  const redirects = readRedirects(settings.redirects ?? [], { exists, implied, problems })
  const shell: Shell = {
    format: 1,
    ...shared,
    url: input.url,
    anchors: navigation.anchors,
    sections: navigation.sections,
    places,
    assets: input.theme,
  }
  return {
    ...(problems.errors.length === 0 ? { shell } : {}),
    redirects,
    listed: listPages(pages, placed, settings.seo?.indexing === 'all'),
    errors: problems.errors,
    warnings: problems.warnings,
  }
}

/**
 * What readers and old links try: `/` and folders without a page of their own lead to their first page in navigation,
 * README files that are index pages answer under their name too.
 */
function impliedRedirects(
  { owners, aliases }: UrlPlan,
  home: string | undefined,
  placed: readonly string[],
): Redirect[] {
  const implied: Redirect[] = aliases.map(([from, to]) => ({ from, to: encodePath(to), status: 308 }))
  if (home !== undefined && !owners.has('/')) implied.push({ from: '/', to: home, status: 307 })
  const seen = new Set<string>()
  for (const url of placed) {
    for (let end = url.lastIndexOf('/'); end > 0; end = url.lastIndexOf('/', end - 1)) {
      const folder = url.slice(0, end)
      if (seen.has(folder)) break
      seen.add(folder)
      if (!owners.has(folder)) implied.push({ from: folder, to: encodePath(url), status: 307 })
    }
  }
  return implied
}

function listPages(pages: readonly SitePage[], placed: readonly string[], all: boolean): string[] {
  const byUrl = new Map(pages.map((page) => [page.url, page]))
  const inOrder = all ? new Set([...placed, ...byUrl.keys()]) : placed
  const listed: string[] = []
  for (const url of inOrder) {
    const page = byUrl.get(url)
    if (page !== undefined && page.summary.hidden !== true && page.summary.noindex !== true) listed.push(page.path)
  }
  return listed
}
