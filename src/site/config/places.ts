import { decodePath } from './href.ts'
import { isPageHref } from './pages.ts'
import type { NavItem, PagePosition, Section } from '../shell.ts'

interface Stop {
  readonly title: string
  readonly href: string
  readonly trail: readonly string[]
}

/**
 * Where each page stands, by decoded URL path: its section, the groups above it, and its neighbours in the section’s
 * reading order. A page that stands at several places has the first one. Links elsewhere are no stops.
 */
export function placePages(sections: readonly Section[]): Readonly<Record<string, PagePosition>> {
  const places = Object.create(null) as Record<string, PagePosition>
  for (const [section, { items }] of sections.entries()) {
    const stops = [...readingOrder(items, [])]
    for (const [index, stop] of stops.entries()) {
      const url = decodePath(stop.href) ?? stop.href
      if (url in places) continue
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

function* readingOrder(items: readonly NavItem[], trail: readonly string[]): Generator<Stop> {
  for (const item of items) {
    if (isPageHref(item.href)) yield { title: item.title, href: item.href, trail }
    if (item.kind === 'group') yield* readingOrder(item.items, [...trail, item.title])
  }
}

function neighbour(key: 'previous' | 'next', stop: Stop | undefined): Partial<Pick<PagePosition, 'previous' | 'next'>> {
  return stop === undefined ? {} : { [key]: { title: stop.title, href: stop.href } }
}
