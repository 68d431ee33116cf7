import type { PageSummary } from '../page.ts'
import type { NavItem, PagePosition, Section } from '../shell.ts'
import { encodePath } from '../../lib/url-path.ts'
import { checkHref, decodePath } from './href.ts'
import { limits } from '../../contract/limits.ts'
import type { Steps } from '../../lib/slices.ts'
import type { Problems } from './problems.ts'
import { pick } from './values.ts'

/** A page as navigation sees it. */
export interface SitePage {
  /** Source path: `guide/start.mdx`. */
  readonly path: string
  /** Decoded URL path: `/guide/start`. */
  readonly url: string
  readonly summary: PageSummary
  /** The folder of the version that brings it, when that comes from a tag. */
  readonly folder?: string
}

export interface PageIndex {
  /** By source path without ending (`guide/index`) or URL path without the first slash (`guide`). */
  find(reference: string): SitePage | undefined
}

export function* indexPages(pages: readonly SitePage[]): Steps<PageIndex> {
  const bySource = new Map<string, SitePage>()
  const byUrl = new Map<string, SitePage>()
  for (const page of pages) {
    yield
    bySource.set(withoutEnding(page.path), page)
    byUrl.set(page.url, page)
  }
  return { find: (reference) => bySource.get(reference) ?? byUrl.get(`/${reference}`) }
}

/** `guide/start.mdx` → `guide/start`. */
export function withoutEnding(path: string): string {
  return path.replace(/\.mdx?$/i, '')
}

/**
 * Reads a page’s name in navigation: `guide/start`, `/guide/start` and `guide/start.mdx` are the same. Refused is what
 * leads out of the project or holds control characters or backslashes.
 */
export function pageReference(text: string): { readonly page: string } | { readonly refused: string } {
  if (text.length > limits.pathBytes) return { refused: `it is longer than ${limits.pathBytes} characters` }
  if (/\p{Cc}/u.test(text)) return { refused: 'it holds a control character' }
  if (text.includes('\\')) return { refused: 'it holds a backslash; use /' }
  const page = withoutEnding(
    text
      .trim()
      .replace(/^(\.?\/)+/, '')
      .replace(/\/+$/, ''),
  )
  if (page.split('/').includes('..')) return { refused: 'it leads out of the project' }
  return { page: page === '' ? 'index' : page }
}

/** The navigation entry of a page; undefined for hidden ones. A front matter `url` makes it a link elsewhere. */
export function pageItem({ url, summary }: SitePage): NavItem | undefined {
  if (summary.hidden === true) return undefined
  const elsewhere = summary.url === undefined ? undefined : checkHref(summary.url)
  return {
    kind: 'page',
    title: summary.sidebarTitle ?? summary.title,
    href: elsewhere !== undefined && 'href' in elsewhere ? elsewhere.href : encodePath(url),
    ...pick('icon', summary.icon),
    ...pick('tag', summary.tag),
    ...(summary.deprecated === true ? { deprecated: true } : {}),
    ...pick('method', summary.method),
  }
}

/** Whether an entry’s href is that of a page here, and not a link elsewhere or into a page (front matter `url`). */
export function isPageHref(href: string | undefined): href is string {
  return href?.startsWith('/') === true && !/[?#]/.test(href)
}

interface Stop {
  readonly title: string
  readonly href: string
  readonly trail: PagePosition['trail']
}

/**
 * Where each page stands, by decoded URL path: its section, the groups above it, and its neighbours in the section’s
 * reading order. A page that stands at several places has the first one, of the version, language … that docs.json
 * names as the default if it is in that. Links elsewhere are no stops.
 */
export function* placePages(sections: readonly Section[]): Steps<Readonly<Record<string, PagePosition>>> {
  const places = Object.create(null) as Record<string, PagePosition>
  const elsewhere = yield* elsewhereByDefault(sections)
  for (const [section, { items }] of sections.entries()) {
    const stops: Stop[] = []
    yield* addStops(stops, items, [])
    for (const [index, stop] of stops.entries()) {
      yield
      const url = decodePath(stop.href) ?? stop.href
      if (url in places || (elsewhere.get(url) ?? section) !== section) continue
      places[url] = {
        section,
        trail: stop.trail,
        ...neighbour('previous', stops[index - 1]),
        ...neighbour('next', stops[index + 1]),
      }
    }
  }
  return places
}

/** Of pages that a default choice has and one before it, too: the section of the default. */
function* elsewhereByDefault(sections: readonly Section[]): Steps<ReadonlyMap<string, number>> {
  const defaults = new Map<string, string>()
  const keyOf = (switches: Section['switches'], level: number): string =>
    JSON.stringify([...switches.slice(0, level).map(({ label }) => label), switches[level]?.kind])
  for (const { switches } of sections)
    for (const [level, choice] of switches.entries())
      if (choice.default === true) defaults.set(keyOf(switches, level), choice.label)
  const found = new Map<string, number>()
  if (defaults.size === 0) return found
  const isDefault = ({ switches }: Section): boolean =>
    switches.every(({ label }, level) => (defaults.get(keyOf(switches, level)) ?? label) === label)
  for (const [index, section] of sections.entries()) {
    if (!isDefault(section)) continue
    const stops: Stop[] = []
    yield* addStops(stops, section.items, [])
    for (const { href } of stops) {
      yield
      const url = decodePath(href) ?? href
      if (!found.has(url)) found.set(url, index)
    }
  }
  return found
}

/** In reading order. */
function* addStops(stops: Stop[], items: readonly NavItem[], trail: PagePosition['trail']): Steps<void> {
  for (const item of items) {
    yield
    const isElsewhere = item.kind === 'page' && item.lang !== undefined
    if (isPageHref(item.href) && !isElsewhere) stops.push({ title: item.title, href: item.href, trail })
    if (item.kind !== 'group') continue
    const step = isPageHref(item.href) ? { title: item.title, href: item.href } : item.title
    yield* addStops(stops, item.items, [...trail, step])
  }
}

function neighbour(key: 'previous' | 'next', stop: Stop | undefined): Partial<Pick<PagePosition, 'previous' | 'next'>> {
  return stop === undefined ? {} : { [key]: { title: stop.title, href: stop.href } }
}

/** Titles are shortened in messages. */
const longestTitle = 100

/**
 * Warns of pages that readers cannot tell apart: with the title of another one in the same group, or beside it. In
 * different groups the same words mean different things: many have an overview. What is in a tag stays as it is.
 */
export function* warnOfTitles(
  pages: readonly SitePage[],
  places: Readonly<Record<string, PagePosition>>,
  problems: Problems,
): Steps<void> {
  // A trail is one list for all pages below it.
  const byTrail = new Map<PagePosition['trail'], Map<string, SitePage>>()
  for (const page of pages) {
    yield
    const { url, path, summary, folder } = page
    const trail = places[url]?.trail
    if (trail === undefined || summary.url !== undefined || summary.hidden === true || folder !== undefined) continue
    const title = summary.title.replaceAll(/\s+/g, ' ').trim()
    const byTitle = byTrail.get(trail) ?? new Map<string, SitePage>()
    byTrail.set(trail, byTitle)
    const key = JSON.stringify([title, summary.tag])
    const other = byTitle.get(key)
    if (other === undefined) byTitle.set(key, page)
    else
      problems.found(() => ({
        path,
        rule: 'title-repeated',
        message: `The title “${title.slice(0, longestTitle)}” is that of ${other.path}, too, which stands beside this page.`,
      }))
  }
}
