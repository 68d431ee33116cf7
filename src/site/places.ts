import type { Steps } from '../lib/slices.ts'
import { decodePath } from '../lib/url-path.ts'
import type { NavItem, PagePosition, Section } from './shell.ts'

/** Whether an entry’s href is that of a page here, and not a link elsewhere or into a page (front matter `url`). */
export function isPageHref(href: string | undefined): href is string {
  return href?.startsWith('/') === true && !/[?#]/.test(href)
}

/** Whether a page stands here only in the place of its translation. */
export const isElsewhere = (item: NavItem): boolean => item.kind === 'page' && item.lang !== undefined

/** A page in reading order. */
interface Stop {
  readonly page: { readonly title: string; readonly href: string }
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
    for (const [index, { page, trail }] of stops.entries()) {
      yield
      const url = decodePath(page.href) ?? page.href
      if (url in places || (elsewhere.get(url) ?? section) !== section) continue
      const previous = stops[index - 1]?.page
      const next = stops[index + 1]?.page
      places[url] = { section, trail, ...(previous && { previous }), ...(next && { next }) }
    }
  }
  return places
}

/** Of pages that a default choice has and one before it, too: the section of the default. */
function* elsewhereByDefault(sections: readonly Section[]): Steps<ReadonlyMap<string, number>> {
  const defaults = new Map<string, string>()
  const keyOf = (switches: Section['switches'], level: number): string =>
    JSON.stringify([...switches.slice(0, level).map(({ label }) => label), switches[level]?.kind])
  for (const { switches } of sections) {
    yield
    for (const [level, choice] of switches.entries())
      if (choice.default === true) defaults.set(keyOf(switches, level), choice.label)
  }
  const found = new Map<string, number>()
  if (defaults.size === 0) return found
  const isDefault = ({ switches }: Section): boolean =>
    switches.every(({ label }, level) => (defaults.get(keyOf(switches, level)) ?? label) === label)
  for (const [index, section] of sections.entries()) {
    yield
    if (!isDefault(section)) continue
    const stops: Stop[] = []
    yield* addStops(stops, section.items, [])
    for (const { page } of stops) {
      yield
      const url = decodePath(page.href) ?? page.href
      if (!found.has(url)) found.set(url, index)
    }
  }
  return found
}

/** In reading order. */
function* addStops(stops: Stop[], items: readonly NavItem[], trail: PagePosition['trail']): Steps<void> {
  for (const item of items) {
    yield
    const { title, href } = item
    const page = isPageHref(href) ? { title, href } : undefined
    if (page !== undefined && !isElsewhere(item)) stops.push({ page, trail })
    if (item.kind === 'group') yield* addStops(stops, item.items, [...trail, page ?? title])
  }
}
