import { escapeHtml } from '../../html.ts'
import type { NavItem } from '../../shell.ts'
import { encodePath } from './href.ts'
import { ICONS } from './icons.ts'
import { icon, openLink } from './link.ts'
import { groupSummary, groupTitle, listTag, pageLink, tag, type Group } from './nav-item.ts'

/** Entries of one list around the current page. */
const WINDOW = 120

/** Positions of the current entry's group in the outermost list, of the next group in that, … and of the entry itself. */
type Trail = readonly number[]

/**
 * A sidebar too large for every page to carry it: groups of the current page are open, others are a link to their first
 * page, and a long list shows a window around the page.
 */
export class FocusedSidebar {
  private readonly items: readonly NavItem[]
  private readonly trails = new Map<string, Trail>()
  /** Entries as they are when they are not current: on nearly every page that shows them. */
  private readonly drawn = new Map<NavItem, string>()

  constructor(items: readonly NavItem[]) {
    this.items = items
    this.index(items, [])
  }

  render(href: string): string {
    return this.list(this.items, this.trails.get(href) ?? this.trails.get(encodePath(href)) ?? [], 0)
  }

  private index(list: readonly NavItem[], above: Trail): void {
    for (const [position, item] of list.entries()) {
      const trail = [...above, position]
      if (item.kind === 'group') this.index(item.items, trail)
      else if (!this.trails.has(item.href)) this.trails.set(item.href, trail)
    }
  }

  private list(items: readonly NavItem[], trail: Trail, depth: number): string {
    const current = trail[depth]
    const start = Math.max(0, Math.min((current ?? 0) - WINDOW / 2, items.length - WINDOW))
    const end = Math.min(items.length, start + WINDOW)
    let html = listTag(depth) + continuation(items[start - 1], 'Earlier entries')
    for (let position = start; position < end; position += 1) {
      const item = items[position]
      if (item === undefined) continue
      html += item.kind === 'group' && depth === 0 ? '<li class="q-nav-group">' : '<li>'
      html += position === current ? this.open(item, trail, depth) : this.closed(item)
      html += '</li>'
    }
    return `${html}${continuation(items[end], 'Later entries')}</ul>`
  }

  private open(item: NavItem, trail: Trail, depth: number): string {
    if (item.kind === 'page') return `<a aria-current="page"${pageLink(item)}`
    const inner = this.list(item.items, trail, depth + 1)
    return depth === 0 ? groupTitle(item) + inner : `<details open>${groupSummary(item)}${inner}</details>`
  }

  private closed(item: NavItem): string {
    const known = this.drawn.get(item)
    if (known !== undefined) return known
    const html = item.kind === 'page' ? `<a${pageLink(item)}` : closedGroup(item)
    this.drawn.set(item, html)
    return html
  }
}

function closedGroup(group: Group): string {
  const href = firstHref(group)
  const content = `${icon(group.icon)}<span>${escapeHtml(group.title)}</span>${tag(group)}${ICONS.chevron}`
  return href === null
    ? `<span class="q-nav-link">${content}</span>`
    : `${openLink(href, { class: 'q-nav-link' })}${content}</a>`
}

function continuation(item: NavItem | undefined, label: string): string {
  const href = item === undefined ? null : item.kind === 'page' ? item.href : firstHref(item)
  return href === null ? '' : `<li>${openLink(href, { class: 'q-nav-link q-nav-more', 'aria-label': label })}…</a></li>`
}

/** First page of a group, in reading order; null for a group of nothing. */
function firstHref(group: Group): string | null {
  if (group.href !== undefined) return group.href
  for (const item of group.items) {
    const href = item.kind === 'page' ? item.href : firstHref(item)
    if (href !== null) return href
  }
  return null
}
