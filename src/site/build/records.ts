import type { AssetRecord, PageRecord, Release } from '../../contract/release.ts'
import type { Steps } from '../../lib/slices.ts'
import type { PageArtifact, PageLink, PageSummary, RenderedPage } from '../page.ts'
import type { BuildRequest } from '../builder.ts'

/** By source path. */
export type PageRecords = Readonly<Record<string, PageRecord>>

/** The contract keeps summaries opaque; the builder is the only one who writes them. */
export function summaryOf(record: PageRecord): PageSummary {
  return record.summary as PageSummary
}

/** What of the pages’ summaries differs from the build before. */
export interface Changes {
  /** Source paths of pages whose record is new. */
  readonly pages: readonly string[]
  /** Titles, icons … as navigation shows them. */
  readonly navigation: boolean
  /** What sitemap and llms.txt say. */
  readonly listing: boolean
  /** Ids that links may point at. */
  readonly anchors: boolean
}

/** Compares the records of two builds with the same pages: by identity, and only where that differs by content. */
export function* compareRecords(before: PageRecords, after: PageRecords): Steps<Changes> {
  const pages: string[] = []
  let navigation = false
  let listing = false
  let anchors = false
  for (const path in after) {
    yield
    const then = before[path]
    const now = after[path]
    if (now === undefined || now === then) continue
    pages.push(path)
    const one = then === undefined ? undefined : summaryOf(then)
    const other = summaryOf(now)
    navigation ||= one === undefined || !equal(navigationPart(one), navigationPart(other))
    listing ||= one === undefined || !equal(listingPart(one, then?.updated), listingPart(other, now.updated))
    anchors ||= one === undefined || !equal(one.anchors, other.anchors)
  }
  return { pages, navigation, listing, anchors }
}

type Part = readonly (string | boolean | undefined)[]

function navigationPart(summary: PageSummary): Part {
  const { title, sidebarTitle, icon, tag, hidden, noindex, deprecated, method, url } = summary
  return [title, sidebarTitle, icon, tag, hidden, noindex, deprecated, method, url]
}

function listingPart({ title, description, hidden, noindex }: PageSummary, updated?: number): Part {
  return [title, description, hidden, noindex, dayOf(updated)]
}

function equal(one: Part, other: Part): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}

/** `2026-03-09`: the sitemap tells no more, so that it stays the same for a second change of a day. */
export function dayOf(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().slice(0, 10)
}

/** Bytes of an artifact: UTF-8 JSON with the keys in the order of the interface, so that equal pages have equal hashes. */
export function encodeArtifact(artifact: PageArtifact): Buffer {
  const { title, description, html, headings, mode, keywords, metatags, noindex, deprecated } = artifact
  const { boost, canonical, timestamp, alone, actions, islands, servers, features, updates, rss, styles } = artifact
  const about = { title, description, html, headings, mode, keywords, metatags, noindex, deprecated }
  const own = { boost, canonical, timestamp, alone, actions }
  return Buffer.from(JSON.stringify({ ...about, ...own, islands, servers, features, updates, rss, styles }))
}

/** A page as Markdown, at its path with `.md`: title, description, then what the page shows. */
export function encodeMarkdown({ artifact: { title, description }, markdown }: RenderedPage): Buffer {
  const about = description === undefined ? '' : `> ${inLine(description)}\n\n`
  return Buffer.from(`# ${inLine(title)}\n\n${about}${markdown.trim()}\n`)
}

/** Plain text in a line of Markdown: `Promise<T>` is no tag there. What stands between backticks stays as it is. */
function inLine(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/`[^`]*`|<(?=[A-Za-z/!?])/g, (found) => (found === '<' ? '\\<' : found))
}

/** What of a summary a release keeps: links elsewhere and repeated ones are never looked at again. */
export function* keptSummary(summary: PageSummary): Steps<PageSummary> {
  const kept = new Map<string, PageLink>()
  for (const link of summary.links) {
    yield
    const { href, kind, path } = link
    const key = `${kind} ${path ?? ''} ${href}`
    if ((href.startsWith('/') || href.startsWith('#')) && !href.startsWith('//') && !kept.has(key)) kept.set(key, link)
  }
  return { ...summary, links: [...kept.values()] }
}

/** What a build takes over from others. */
export type Earlier = Pick<BuildRequest, 'earlier' | 'earlierAssets' | 'earlierRoutes'>

/** What a build made of the files of a project, by source path. */
export type BuiltBefore = Pick<Release, 'pages' | 'assets' | 'tags'> & Partial<Pick<Release, 'routes'>>

/** Bytes of memory, about: of a page’s record without what it lists, and of each thing that it lists. */
const weights = { page: 1000, asset: 300, link: 150, anchor: 100, warning: 500 } as const

/** Memory of what a build made, in bytes: an estimate that bounds caches. */
export function weightOf({ pages, assets = {} }: BuiltBefore): number {
  let weight = Object.keys(assets).length * weights.asset
  for (const record of Object.values(pages)) {
    const { links, anchors, warnings } = summaryOf(record)
    weight += weights.page + links.length * weights.link
    weight += anchors.length * weights.anchor + warnings.length * weights.warning
  }
  return weight
}

/**
 * What a build of `files` may take over from several releases of the project: of each page the record that was made of
 * the same source, the first release that has one first.
 */
export function* reusable(
  files: ReadonlyMap<string, string>,
  releases: readonly (BuiltBefore | null)[],
): Steps<Earlier> {
  const [first, ...others] = releases.filter((release) => release !== null)
  if (first === undefined) return { earlier: null, earlierAssets: null, earlierRoutes: null }
  const earlierRoutes = first.routes ?? null
  if (others.length === 0) return { earlier: first.pages, earlierAssets: first.assets ?? null, earlierRoutes }
  const pages: Record<string, PageRecord> = Object.create(null) as Record<string, PageRecord>
  const assets: Record<string, NonNullable<Release['assets']>[string]> = Object.create(null) as typeof assets
  for (const [path, oid] of files) {
    yield
    const page = find(releases, (release) => release.pages[path], oid)
    if (page !== undefined) pages[path] = page
    const asset = find(releases, (release) => release.assets?.[path], oid)
    if (asset !== undefined) assets[path] = asset
  }
  // Copies of what is elsewhere have no file.
  for (const release of releases)
    for (const url in release?.assets) if (url.startsWith('https:')) assets[url] ??= release.assets[url]!
  for (const release of releases) if (release?.tags !== undefined) yield* addUnknown({ pages, assets }, release)
  return { earlier: pages, earlierAssets: assets, earlierRoutes }
}

/** What comes from tags is not among the files: which of it is still the same, the build sees. */
function* addUnknown(
  { pages, assets }: { readonly pages: Record<string, PageRecord>; readonly assets: Record<string, AssetRecord> },
  release: BuiltBefore,
): Steps<void> {
  for (const path in release.pages) {
    yield
    const record = release.pages[path]
    if (record !== undefined) pages[path] ??= record
  }
  for (const path in release.assets) {
    yield
    const record = release.assets[path]
    if (record !== undefined) assets[path] ??= record
  }
}

function find<T extends { readonly oid: string }>(
  releases: readonly (BuiltBefore | null)[],
  record: (release: BuiltBefore) => T | undefined,
  oid: string,
): T | undefined {
  for (const release of releases) {
    const found = release === null ? undefined : record(release)
    if (found?.oid === oid) return found
  }
  return undefined
}
