import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import type { PageRecord } from '../../contract/release.ts'
import { isArray, isObject, type Json } from '../../lib/json-reader.ts'
import type { Steps } from '../../lib/slices.ts'
import type { SiteConfig } from '../config/config.ts'
import { withoutEnding } from '../config/pages.ts'
import type { ComposedSite } from './compose.ts'
import { pathsMeant } from './links.ts'
import type { Plan } from './plan.ts'
import { type Changes, type PageRecords, summaryOf } from './records.ts'

/** Pages that navigation does not have, and how many pages link to each. */
export interface OrphanReview {
  /** Source paths by URL path. */
  readonly candidates: ReadonlyMap<string, string>
  /** By URL path, of the candidates alone. */
  readonly linking: ReadonlyMap<string, number>
}

interface ReviewInput {
  readonly config: SiteConfig
  readonly plan: Plan
  readonly records: PageRecords
  readonly site: ComposedSite
}

/**
 * Looks for pages that nothing of the site leads to, where docs.json says what its navigation is. Whatever may lead to a
 * page counts: a link of any other page, any path in docs.json.
 * @param last The review of a build with the same plan, configuration and navigation, and what has changed since.
 */
export function* reviewOrphans(
  { config, plan, records, site }: ReviewInput,
  last: { readonly review: OrphanReview; readonly before: PageRecords; readonly changes: Changes } | undefined,
): Steps<OrphanReview> {
  const candidates = last?.review.candidates ?? (yield* candidatesOf({ config, plan, records, site }))
  const linking = new Map(last?.review.linking)
  if (candidates.size === 0) return { candidates, linking }
  const meant = candidateOf(candidates)
  for (const path of last?.changes.pages ?? Object.keys(records)) {
    if (last !== undefined) yield* count(last.before[path], { path, candidates, meant }, linking, -1)
    yield* count(records[path], { path, candidates, meant }, linking, 1)
  }
  return { candidates, linking }
}

/** The warnings: a candidate to which no page links. */
export function orphansOf({ candidates, linking }: OrphanReview): ErrorDetail[] {
  return [...candidates].flatMap(([url, path]) =>
    (linking.get(url) ?? 0) > 0
      ? []
      : [{ path, rule: 'page-orphan', message: `Nothing leads to ${url}: no navigation, no link and no redirect.` }],
  )
}

/** Readers begin at `/`, every page of a site with a changelog leads to that, and lost readers are shown `404`. */
const isReached = (url: string): boolean => /^\/(?:changelog|(?:[^/]+\/)?404)?$/.test(url)

/** The people of a repository and their programs know these by their names, in any folder. */
const knownByName = /(?:^|\/)(?:readme|skill|agents|claude|license|licence|contributing|changelog|security)\.mdx?$/i

function* candidatesOf({ config, plan, records, site }: ReviewInput): Steps<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const { document, navigated, settings } = config
  // All of them are in the search and the sitemap.
  if (document?.['navigation'] === undefined || settings?.seo?.indexing === 'all') return found
  for (const { path, url, mount } of plan.pages) {
    yield
    const record = records[path]
    // What is in a tag stays as it is.
    if (
      record === undefined ||
      mount !== undefined ||
      isReached(url) ||
      knownByName.test(path) ||
      site.searched.places.has(url)
    )
      continue
    if (navigated.has(withoutEnding(path)) || navigated.has(url.slice(1))) continue
    const { hidden, noindex, url: elsewhere } = summaryOf(record)
    if (hidden !== true && noindex !== true && elsewhere === undefined) found.set(url, path)
  }
  if (found.size === 0) return found
  const starts = new Set<string>()
  yield* strikeNamed(document, found, starts)
  // So many lead somewhere that nobody can say where not.
  if (starts.size > limits.redirectPatterns) return new Map()
  for (const url of found.keys()) {
    for (const start of starts) {
      yield
      if (url.startsWith(start)) found.delete(url)
    }
  }
  return found
}

/**
 * Strikes those that docs.json names anywhere: in a link, a redirect, a part of navigation that is hidden.
 * @param starts gets what paths with parameters begin with.
 */
function* strikeNamed(value: Json, candidates: Map<string, string>, starts: Set<string>): Steps<void> {
  yield
  if (typeof value === 'string' && value.startsWith('/')) {
    const pattern = value.search(/[:*]/)
    if (pattern === -1) for (const path of pathsMeant(value)) candidates.delete(path)
    else if (starts.size <= limits.redirectPatterns) starts.add(value.slice(0, pattern))
  } else if (isArray(value)) for (const item of value) yield* strikeNamed(item, candidates, starts)
  else if (isObject(value)) for (const member of Object.values(value)) yield* strikeNamed(member, candidates, starts)
}

/** The candidate to which a link leads, asked once for equal links. */
function candidateOf(candidates: OrphanReview['candidates']): (href: string) => string | undefined {
  const known = new Map<string, string | undefined>()
  return (href) => {
    if (!known.has(href))
      known.set(
        href,
        pathsMeant(href).find((path) => candidates.has(path)),
      )
    return known.get(href)
  }
}

interface Counting {
  /** Of the page. */
  readonly path: string
  readonly candidates: OrphanReview['candidates']
  readonly meant: (href: string) => string | undefined
}

/** Counts the candidates to which a page links, each once. */
function* count(
  record: PageRecord | undefined,
  { path, candidates, meant }: Counting,
  linking: Map<string, number>,
  by: 1 | -1,
): Steps<void> {
  const seen = new Set<string>()
  for (const { href } of record === undefined ? [] : summaryOf(record).links) {
    yield
    const url = href.startsWith('/') ? meant(href) : undefined
    if (url === undefined || seen.has(url) || candidates.get(url) === path) continue
    seen.add(url)
    linking.set(url, (linking.get(url) ?? 0) + by)
  }
}
