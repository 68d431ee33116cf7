import type { ErrorDetail } from '../../contract/common.ts'
import type { Redirect } from '../../contract/release.ts'
import type { Steps } from '../../lib/slices.ts'
import type { BlobSink, StoredBlob } from './blobs.ts'
import type { BuildRequest } from '../builder.ts'
import type { SiteConfig } from '../config/config.ts'
import { shellSettings } from '../config/settings.ts'
import { type IconLookup } from '../config/values.ts'
import type { PageRecords } from './records.ts'
import { editionsOf, fullPath, type Edition } from './llms.ts'
import { hasAnchor } from './links.ts'
import { cleanPath, isOwn } from './served.ts'
import { isUnseen, sitePages, type Plan, type UrlPlan } from './plan.ts'
import { Counterparts, type Translation } from '../counterparts.ts'
import { pageOptions } from './page-options.ts'
import { type Mount, pathInTag } from './tags.ts'
import { placePages } from '../places.ts'
import type { FontLook, ThemeAssets, Shell } from '../shell.ts'
import { encodeShell } from '../stored-shell.ts'
import { checkHref } from '../config/href.ts'
import { limits } from '../../contract/limits.ts'
import type { RedirectEntry } from '../config/schema.ts'
import { folderNavigation } from '../config/folders.ts'
import { encodePath, withoutEndSlashes } from '../../lib/url-path.ts'
import { withFolders } from '../config/alternatives.ts'
import { readNavigation, type TagNavigation } from '../config/navigation.ts'
import type { Navigation } from '../config/sections.ts'
import { indexPages, type SitePage, warnOfTitles, withoutEnding } from '../config/pages.ts'
import { scopesOf, type Scopes } from '../search/scopes.ts'
import type { Problems } from '../config/problems.ts'
import { pageActionSettings } from '../config/page-actions.ts'
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
  readonly crawled: Crawled
  /** The same pages by version and language. */
  readonly editions: readonly Edition[]
  /** For whom its pages are, and the section of each page in navigation, by URL path. */
  readonly searched: Scopes & { readonly places: ReadonlyMap<string, number> }
  readonly warnings: readonly ErrorDetail[]
  readonly omitted: Problems['omitted']
}

/** What the sitemap says of pages in other forms, by decoded URL path. */
export interface Crawled {
  /** Pages of old versions that the default one has, too. */
  readonly superseded: ReadonlySet<string>
  /** Pages in all their languages, the default one first; of those in several. */
  readonly translations: ReadonlyMap<string, readonly Translation[]>
}

const nothingCrawled: Crawled = { superseded: new Set(), translations: new Map() }

/** Languages of all pages together that a sitemap names: more would make it a hundred times as long as the site. */
const maxTranslations = 50_000

export interface ComposeInput {
  readonly request: Pick<BuildRequest, 'url' | 'title'>
  readonly config: SiteConfig
  readonly plan: Plan
  readonly records: PageRecords
  readonly fonts: FontLook | undefined
  readonly own: Shell['own']
  /** Source paths of pages that cannot be compiled and are not there: told already. */
  readonly leftOut: ReadonlySet<string>
  readonly theme: ThemeAssets
  readonly icon: IconLookup
  readonly sink: BlobSink
}

export type Composition =
  | { readonly site: ComposedSite }
  | ({ readonly site?: undefined } & Pick<Problems, 'errors' | 'warnings' | 'omitted'>)

/** Composes shell, redirects and the list of pages, and stores the shell. */
export function* composeSite({
  request,
  config,
  plan,
  records,
  fonts,
  own,
  leftOut,
  theme,
  icon,
  sink,
}: ComposeInput): Steps<Composition> {
  const { shell, problems, ...map } = yield* mapSite({
    config,
    pages: yield* sitePages(plan, records),
    mounts: plan.mounts,
    unseen: plan.unseen,
    urls: plan.urls,
    url: request.url,
    title: request.title,
    fonts,
    own,
    leftOut,
    theme,
    icon,
    hasFile: (path) => plan.urls.owners.has(`/${path}`),
  })
  const bytes = shell === undefined ? undefined : yield* encodeShell(shell, limits.shellBytes)
  if (shell !== undefined && bytes === undefined)
    problems.error(
      'settings-limit',
      '/navigation',
      `Navigation and titles together have more than ${limits.shellBytes >> 20} MB. Shorten the longest titles, or name fewer pages.`,
    )
  const { errors, warnings, omitted } = problems
  if (shell === undefined || bytes === undefined) return { errors, warnings, omitted }
  return {
    site: {
      ...map,
      searched: yield* searchedIn(shell),
      warnings,
      omitted,
      shell: yield* sink.addSteps(bytes),
      name: shell.name,
      ...(shell.description === undefined ? {} : { description: shell.description }),
      noindex: shell.noindex === true,
    },
  }
}

function* searchedIn({ sections, places }: Shell): Steps<ComposedSite['searched']> {
  const placed = new Map<string, number>()
  for (const path in places) {
    yield
    placed.set(path, places[path]?.section ?? 0)
  }
  return { ...scopesOf(sections), places: placed }
}

export interface SiteMapInput {
  readonly config: SiteConfig
  readonly pages: readonly SitePage[]
  readonly mounts: readonly Mount[]
  readonly unseen: Plan['unseen']
  readonly urls: UrlPlan
  readonly url: string
  readonly title: string
  readonly fonts: FontLook | undefined
  readonly own: Shell['own']
  readonly leftOut: ReadonlySet<string>
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
  readonly crawled: Crawled
  readonly editions: readonly Edition[]
  readonly problems: Problems
}

/** Composes navigation, settings and redirects. Pure: equal inputs give equal bytes. */
function* mapSite(input: SiteMapInput): Steps<SiteMap> {
  const { config, pages, urls } = input
  const problems = config.problems()
  const { settings, document } = config
  if (settings === undefined) return { redirects: [], listed: [], crawled: nothingCrawled, editions: [], problems }
  const { icons } = pageOptions(config, problems)
  const icon: IconLookup = (name, set) => input.icon(name, set ?? icons)
  const context = {
    title: input.title,
    problems,
    icon,
    document,
    hasFile: (path: string) => input.hasFile(path),
  }
  const navigation: Navigation =
    document === null || document['navigation'] === undefined
      ? yield* folderNavigation(pages)
      : yield* readNavigation(document['navigation'], {
          problems,
          pages: yield* indexPages(pages),
          leftOut: new Set([...input.leftOut].map(withoutEnding)),
          icon,
          tags: yield* navigationsOf(input),
        })
  const shared = shellSettings(settings, context)
  const exists = (path: string) => urls.owners.has(path)
  const answers = (path: string) => isOwn(path) || exists(cleanPath(path)) || isUnseen(input, path)
  const places = yield* placePages(navigation.sections)
  const placed = Object.keys(places)
  const implied = [...(yield* impliedRedirects(urls, navigation.home, placed)), ...fromPublicPath(config)]
  const own = yield* readRedirects(settings.redirects ?? [], {
    exists,
    implied,
    problems,
    answers,
    hasAnchor: yield* anchorFinder(settings.redirects ?? [], pages),
  })
  const redirects = [...own, ...(yield* readTagRedirects(input, { own, exists }))]
  yield* warnOfTitles(pages, places, problems)
  const listed = yield* listPages(pages, placed, settings.seo?.indexing === 'all')
  const composed: Shell = {
    format: 1,
    ...shared,
    ...(input.fonts === undefined ? {} : { look: { ...shared.look, fonts: input.fonts } }),
    ...pageActionSettings(settings, context),
    url: input.url,
    ...belowBase(config, input.url),
    anchors: navigation.anchors,
    sections: yield* withFolders(navigation.sections, places),
    places,
    assets: input.theme,
    ...(input.own === undefined ? {} : { own: input.own }),
    ...(listed.length > 0 ? { search: true } : {}),
  }
  const editions = yield* editionsOf(
    composed,
    listed.map(({ url }) => url),
  )
  const hasFull = exists(fullPath) || editions.some(({ path }) => path === fullPath)
  const shell: Shell = { ...composed, ...(hasFull ? { full: true } : {}) }
  return {
    ...(problems.errors.length === 0 ? { shell } : {}),
    redirects,
    crawled: yield* crawl(shell),
    editions,
    listed: listed.map(({ path }) => path),
    problems,
  }
}

/** The path that a site stands below, without a slash at its end; empty where it stands at the root of its host. */
export function basePathOf({ settings }: Pick<SiteConfig, 'settings'>): string {
  const path = settings?.basePath?.replace(/^\//, '').replace(/\/$/, '') ?? ''
  return path === '' ? '' : `/${path}`
}

/** Where readers find the site: what `canonical` of its tags says, or its host with its base. Without trailing slash. */
export function publicUrl(config: Pick<SiteConfig, 'settings'>, url: string): string {
  const own = config.settings?.seo?.metatags?.['canonical']
  const base = basePathOf(config)
  if (typeof own !== 'string' || !/^https?:\/\/[^?#]+$/i.test(own)) return url + base
  const home = withoutEndSlashes(own)
  return home.endsWith(base) ? home : home + base
}

/** Below a path of a host, all that leads to the site from elsewhere leads there: feeds, cards, the page menu, translations. */
function belowBase(config: SiteConfig, url: string): Pick<Shell, 'url' | 'base' | 'canonical'> | undefined {
  const base = basePathOf(config)
  const home = publicUrl(config, url)
  return base === '' ? undefined : { url: home, base, canonical: home }
}

/** Looks anchors up that redirects lead to. Most sites have none of those. */
function* anchorFinder(
  entries: readonly RedirectEntry[],
  pages: readonly SitePage[],
): Steps<(path: string, fragment: string) => boolean> {
  const summaries = new Map<string, SitePage['summary']>()
  if (entries.some(({ destination }) => destination.includes('#')))
    for (const { url, summary } of pages) {
      yield
      summaries.set(url, summary)
    }
  return (path, fragment) => {
    const summary = summaries.get(path) ?? summaries.get(cleanPath(path))
    return summary === undefined || hasAnchor(new Set(summary.anchors), fragment)
  }
}

/** Navigation of each tag, by the place in docs.json where the tag is named. */
function* navigationsOf({ mounts, pages }: SiteMapInput): Steps<ReadonlyMap<string, TagNavigation>> {
  const found = new Map<string, TagNavigation>()
  for (const mount of mounts) {
    const { folder, pointer, config } = mount
    const navigation = config.document?.['navigation']
    if (navigation !== undefined) {
      found.set(pointer, { folder, navigation, problems: config.problems() })
      continue
    }
    const inTag: SitePage[] = []
    for (const page of pages) {
      yield
      if (page.folder === folder) inTag.push({ ...page, path: pathInTag(mount, page.path) })
    }
    found.set(pointer, { folder, sections: (yield* folderNavigation(inTag, `/${folder}`)).sections })
  }
  return found
}

/** Those that the docs.json of tags have, below the folders of their versions; of too many the first. */
function* readTagRedirects(
  { mounts }: SiteMapInput,
  { own, exists }: { own: readonly Redirect[]; exists: (path: string) => boolean },
): Steps<readonly Redirect[]> {
  const taken = new Set(own.map(({ from }) => from))
  const found: Redirect[] = []
  let left = limits.redirects - own.length
  let patterns = limits.redirectPatterns - own.filter(({ from }) => isPattern(from)).length
  for (const { folder, config } of mounts) {
    const entries: RedirectEntry[] = []
    for (const entry of config.settings?.redirects ?? []) {
      yield
      if (left-- <= 0 || (isPattern(entry.source) && patterns-- <= 0)) continue
      entries.push({ ...entry, source: below(folder, entry.source), destination: below(folder, entry.destination) })
    }
    for (const redirect of yield* readRedirects(entries, { exists, implied: [], problems: config.problems() }))
      if (!taken.has(redirect.from)) found.push(redirect)
  }
  return found
}

const isPattern = (from: string): boolean => /[:*]/.test(from)

/** A path of a tag as one of the site; links elsewhere stay. */
function below(folder: string, href: string): string {
  const checked = checkHref(href)
  if (!('href' in checked) || !checked.href.startsWith('/')) return href
  return checked.href === '/' ? `/${folder}` : `/${folder}${checked.href}`
}

/**
 * What readers and old links try: `/` and folders without a page of their own lead to their first page in navigation,
 * README files that are index pages answer under their name too.
 */
function* impliedRedirects(
  { owners, aliases }: UrlPlan,
  home: string | undefined,
  placed: readonly string[],
): Steps<Redirect[]> {
  const implied: Redirect[] = aliases.map(([from, to]) => ({ from, to: encodePath(to), status: 308 }))
  if (home !== undefined && !owners.has('/')) implied.push({ from: '/', to: home, status: 307 })
  const seen = new Set<string>()
  for (const url of placed) {
    yield
    for (let end = url.lastIndexOf('/'); end > 0; end = url.lastIndexOf('/', end - 1)) {
      const folder = url.slice(0, end)
      if (seen.has(folder)) break
      seen.add(folder)
      if (!owners.has(folder)) implied.push({ from: folder, to: encodePath(url), status: 307 })
    }
  }
  return implied
}

/** A site at the root of its host that readers know below a path of another one, by `canonical`: links with it lead on. */
function fromPublicPath(config: SiteConfig): Redirect[] {
  const path = /^https?:\/\/[^/]+((?:\/[\w.-]+)+)$/i.exec(publicUrl(config, ''))?.[1]
  return path === undefined || basePathOf(config) !== '' ? [] : [{ from: `${path}/:path*`, to: '/:path*', status: 307 }]
}

function* crawl(shell: Shell): Steps<Crawled> {
  const kinds = new Set(shell.sections.flatMap(({ switches }) => switches.map(({ kind }) => kind)))
  if (!kinds.has('version') && !kinds.has('language')) return nothingCrawled
  const counterparts = new Counterparts(shell)
  const superseded = new Set<string>()
  const translations = new Map<string, readonly Translation[]>()
  let left = maxTranslations
  for (const url in shell.places) {
    yield
    const section = shell.sections[shell.places[url]?.section ?? 0]
    if (section === undefined) continue
    if (counterparts.newer(url, section)?.isSamePage === true) superseded.add(url)
    const found = left < 0 ? [] : counterparts.translations(url, section)
    if (found.length < 2) continue
    left -= found.length
    translations.set(url, found)
  }
  return { superseded, translations: left < 0 ? new Map() : translations }
}

function* listPages(pages: readonly SitePage[], placed: readonly string[], all: boolean): Steps<SitePage[]> {
  const byUrl = new Map<string, SitePage>()
  for (const page of pages) {
    yield
    byUrl.set(page.url, page)
  }
  const inOrder = all ? new Set([...placed, ...byUrl.keys()]) : placed
  const listed: SitePage[] = []
  for (const url of inOrder) {
    yield
    const page = byUrl.get(url)
    if (page !== undefined && page.summary.hidden !== true && page.summary.noindex !== true) listed.push(page)
  }
  return listed
}
