import type { NavItem } from '../../shell.ts'
import { FocusedSidebar } from './focused-sidebar.ts'
import { encodePath } from './href.ts'
import { groupSummary, groupTitle, listTag, pageLink } from './nav-item.ts'

/** A sidebar with more entries than this is cut down to what is near the current page. */
const WHOLE = 300

/** The list of pages of one section. */
export interface Sidebar {
  /** HTML with the entry of a page marked and its groups open; the page may have none. `href` is decoded or encoded. */
  render(href: string): string
}

/** Prepares the sidebar of a section: a small one is rendered once and then only marked, a large one is cut to size. */
export function createSidebar(items: readonly NavItem[]): Sidebar {
  return count(items) <= WHOLE ? new WholeSidebar(items) : new FocusedSidebar(items)
}

function count(items: readonly NavItem[]): number {
  return items.reduce((sum, item) => sum + 1 + (item.kind === 'group' ? count(item.items) : 0), 0)
}

/** Where to write into the finished HTML to mark an entry. */
interface Mark {
  readonly link: number
  readonly closedGroups: readonly number[]
}

class WholeSidebar implements Sidebar {
  private html = ''
  private readonly marks = new Map<string, Mark>()

  constructor(items: readonly NavItem[]) {
    this.write(items, 0, [])
  }

  render(href: string): string {
    const mark = this.marks.get(href) ?? this.marks.get(encodePath(href))
    return mark === undefined ? this.html : insertMarks(this.html, mark)
  }

  /** `closed` are the positions of the groups around this list that are not open by themselves. */
  private write(list: readonly NavItem[], depth: number, closed: readonly number[]): void {
    this.html += listTag(depth)
    for (const item of list) {
      if (item.kind === 'page') {
        this.html += '<li><a'
        // The first of two entries for a page is the one that previous and next follow.
        if (!this.marks.has(item.href)) this.marks.set(item.href, { link: this.html.length, closedGroups: closed })
        this.html += pageLink(item)
      } else if (depth === 0) {
        this.html += `<li class="q-nav-group">${groupTitle(item)}`
        this.write(item.items, 1, closed)
      } else {
        this.html += '<li><details'
        const around = item.expanded === true ? closed : [...closed, this.html.length]
        this.html += `${item.expanded === true ? ' open' : ''}>${groupSummary(item)}`
        this.write(item.items, depth + 1, around)
        this.html += '</details>'
      }
      this.html += '</li>'
    }
    this.html += '</ul>'
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
