import { attributes, escapeHtml } from '../../html.ts'
import type { NavItem } from '../../shell.ts'
import { encodePath } from './href.ts'
import { externalMark, icon, openLink } from './link.ts'
import { ICONS } from './icons.ts'

type Group = Extract<NavItem, { kind: 'group' }>
type Page = Extract<NavItem, { kind: 'page' }>

/** A sidebar with more entries than this is cut down to what is near the current page. */
const WHOLE = 300
/** Entries of one list around the current page in a sidebar that is cut down. */
const WINDOW = 120

/** The list of pages of one section. */
export interface Sidebar {
  /** HTML with the entry of a page marked and its groups open; the page may have none. `href` is decoded or encoded. */
  render(href: string): string
}

/** Prepares the sidebar of a section: a small one is rendered once and then only marked, a large one is cut to size. */
export function createSidebar(items: readonly NavItem[]): Sidebar {
  return count(items) <= WHOLE ? wholeSidebar(items) : focusedSidebar(items)
}

function count(items: readonly NavItem[]): number {
  return items.reduce((sum, item) => sum + 1 + (item.kind === 'group' ? count(item.items) : 0), 0)
}

/** Where to write into the finished HTML to mark an entry. */
interface Mark {
  readonly link: number
  readonly closedGroups: readonly number[]
}

function wholeSidebar(items: readonly NavItem[]): Sidebar {
  const marks = new Map<string, Mark>()
  let html = ''
  const write = (list: readonly NavItem[], depth: number, closed: readonly number[]): void => {
    html += listTag(depth)
    for (const item of list) {
      if (item.kind === 'page') {
        html += '<li><a'
        // The first of two entries for a page is the one that previous and next follow.
        if (!marks.has(item.href)) marks.set(item.href, { link: html.length, closedGroups: closed })
        html += pageLink(item)
      } else if (depth === 0) {
        html += `<li class="q-nav-group">${groupTitle(item)}`
        write(item.items, 1, closed)
      } else {
        html += '<li><details'
        const position = html.length
        html += `${item.expanded === true ? ' open' : ''}>${groupSummary(item)}`
        write(item.items, depth + 1, item.expanded === true ? closed : [...closed, position])
        html += '</details>'
      }
      html += '</li>'
    }
    html += '</ul>'
  }
  write(items, 0, [])
  return {
    render: (href) => {
      const mark = marks.get(href) ?? marks.get(encodePath(href))
      return mark === undefined ? html : insertMarks(html, mark)
    },
  }
}

function insertMarks(html: string, { link, closedGroups }: Mark): string {
  let out = ''
  let from = 0
  for (const position of closedGroups) {
    out += `${html.slice(from, position)} open`
    from = position
  }
  return `${out}${html.slice(from, link)} aria-current="page"${html.slice(link)}`
}

function focusedSidebar(items: readonly NavItem[]): Sidebar {
  const trails = new Map<string, readonly number[]>()
  const index = (list: readonly NavItem[], above: readonly number[]): void => {
    list.forEach((item, position) => {
      const trail = [...above, position]
      if (item.kind === 'group') index(item.items, trail)
      else if (!trails.has(item.href)) trails.set(item.href, trail)
    })
  }
  index(items, [])
  return { render: (href) => focusedList(items, trails.get(href) ?? trails.get(encodePath(href)) ?? [], 0) }
}

/** One list of a large sidebar; `trail` holds the positions of the current entry's group, its group, … in their lists. */
function focusedList(items: readonly NavItem[], trail: readonly number[], depth: number): string {
  const current = trail[depth]
  const start = Math.max(0, Math.min((current ?? 0) - WINDOW / 2, items.length - WINDOW))
  const end = Math.min(items.length, start + WINDOW)
  let html = listTag(depth)
  html += continuation(items[start - 1], '…', 'Earlier entries')
  for (let position = start; position < end; position += 1) {
    const item = items[position]
    if (item !== undefined)
      html += `<li${itemClass(item, depth)}>${focusedItem(item, position === current, trail, depth)}</li>`
  }
  return `${html}${continuation(items[end], '…', 'Later entries')}</ul>`
}

function focusedItem(item: NavItem, onTrail: boolean, trail: readonly number[], depth: number): string {
  if (item.kind === 'page') return `<a${onTrail ? ' aria-current="page"' : ''}${pageLink(item)}`
  if (onTrail && depth === 0) return groupTitle(item) + focusedList(item.items, trail, 1)
  if (onTrail) return `<details open>${groupSummary(item)}${focusedList(item.items, trail, depth + 1)}</details>`
  return closedGroup(item)
}

function itemClass(item: NavItem, depth: number): string {
  return item.kind === 'group' && depth === 0 ? ' class="q-nav-group"' : ''
}

/** A group that the page does not stand in, as a link to where the group begins. */
function closedGroup(group: Group): string {
  const href = firstHref(group)
  const content = `${icon(group.icon)}<span>${escapeHtml(group.title)}</span>${tag(group)}${ICONS.chevron}`
  return href === null
    ? `<span class="q-nav-link">${content}</span>`
    : `${openLink(href, { class: 'q-nav-link q-nav-closed' })}${content}</a>`
}

function continuation(item: NavItem | undefined, text: string, label: string): string {
  const href = item === undefined ? null : item.kind === 'page' ? item.href : firstHref(item)
  return href === null
    ? ''
    : `<li>${openLink(href, { class: 'q-nav-link q-nav-more', 'aria-label': label })}${text}</a></li>`
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

function listTag(depth: number): string {
  return depth === 0 ? '<ul class="q-nav-list">' : '<ul>'
}

/** A page's link without its `<a`, so that a mark can be written behind that. */
function pageLink(page: Page): string {
  return `${openLink(page.href, { class: 'q-nav-link' }).slice(2)}${icon(page.icon)}<span>${escapeHtml(page.title)}</span>${tag(page)}${externalMark(page.href)}</a>`
}

function groupTitle(group: Group): string {
  const title = `${icon(group.icon)}<span>${escapeHtml(group.title)}</span>${tag(group)}`
  return `<p class="q-nav-title">${group.href === undefined ? title : `${openLink(group.href)}${title}</a>`}</p>`
}

function groupSummary(group: Group): string {
  const title = `<span>${escapeHtml(group.title)}</span>`
  const label = group.href === undefined ? title : `${openLink(group.href)}${title}</a>`
  return `<summary${attributes({ class: 'q-nav-link' })}>${icon(group.icon)}${label}${tag(group)}${ICONS.chevron}</summary>`
}

function tag(item: NavItem): string {
  return item.tag === undefined ? '' : `<span class="q-nav-tag">${escapeHtml(item.tag)}</span>`
}
