import type { ErrorDetail } from '../contract/common.ts'
import type { Redirect } from '../contract/release.ts'
import type { SiteConfig } from './config/config.ts'
import { folderNavigation } from './config/folders.ts'
import { encodePath } from './config/href.ts'
import { readNavigation, type Navigation } from './config/navigation.ts'
import { indexPages, type SitePage } from './config/pages.ts'
import { placePages } from './config/places.ts'
import { readRedirects } from './config/redirects.ts'
import { shellSettings, type IconLookup } from './config/settings.ts'
import type { UrlPlan } from './routes.ts'
import type { Shell, ThemeAssets } from './shell.ts'

export interface SiteMapInput {
  readonly config: SiteConfig
  readonly pages: readonly SitePage[]
  readonly urls: UrlPlan
  readonly url: string
  readonly title: string
  readonly theme: ThemeAssets
  readonly icon: IconLookup
  hasFile(path: string): boolean
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
export function mapSite(input: SiteMapInput): SiteMap {
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
  const written = readRedirects(settings.redirects ?? [], (path) => urls.owners.has(path), problems)
  const places = placePages(navigation.sections)
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
    redirects: [...written, ...impliedRedirects(written, urls, navigation.home)],
    listed: listPages(pages, Object.keys(places), settings.seo?.indexing === 'all'),
    errors: problems.errors,
    warnings: problems.warnings,
  }
}

/** A site without a page at `/` begins with the first of navigation; index pages answer under their file’s name too. */
function impliedRedirects(
  written: readonly Redirect[],
  { owners, aliases }: UrlPlan,
  home: string | undefined,
): Redirect[] {
  const taken = new Set(written.map(({ from }) => from))
  const implied: Redirect[] = []
  for (const [from, to] of aliases) if (!taken.has(from)) implied.push({ from, to: encodePath(to), status: 308 })
  if (home !== undefined && home !== '/' && !owners.has('/') && !taken.has('/'))
    implied.push({ from: '/', to: home, status: 307 })
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
