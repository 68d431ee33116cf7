/** @jsxImportSource #html */
import { raw, type Child, type Html } from '#lib/html.ts'
import type { NavItem } from '../../shell.ts'
import { encodePath } from '#lib/url-path.ts'
import type { PageWords } from '../words/page.ts'
import { Icon, icons, isExternal, Link } from './link.tsx'

type Group = Extract<NavItem, { kind: 'group' }>
type Page = Extract<NavItem, { kind: 'page' }>

/** A sidebar with more entries than this is cut down to what is near the current page. */
const maxWholeEntries = 300
/** Entries of one list around the current page, in a sidebar that is cut down. */
const windowSize = 120

/** The list of pages of one section. */
export interface Sidebar {
  /** HTML with the entry of a page marked and its groups open; the page may have none. `href` is decoded or encoded. */
  render(href: string): Html
}

/**
 * Prepares the sidebar of a section: a small one is rendered once and then only marked, a large one is cut to size.
 *
 * @param drilldown Groups that fold lead to their first page.
 */
export function createSidebar(items: readonly NavItem[], words: PageWords, drilldown = false): Sidebar {
  const told = items.map((item) => tell(item, { words, drilldown }, 0))
  return count(items) <= maxWholeEntries ? new WholeSidebar(told) : new FocusedSidebar(told, words)
}

/** A page that is deprecated says so where it has no tag of its own. */
function tell(item: NavItem, how: { readonly words: PageWords; readonly drilldown: boolean }, depth: number): NavItem {
  if (item.kind === 'page') return item.deprecated === true ? { tag: how.words.deprecated, ...item } : item
  // The outermost groups never fold.
  const href = how.drilldown && depth > 0 ? (firstHref(item) ?? undefined) : item.href
  return { ...item, ...(href && { href }), items: item.items.map((inner) => tell(inner, how, depth + 1)) }
}

function count(items: readonly NavItem[]): number {
  return items.reduce((sum, item) => sum + 1 + (item.kind === 'group' ? count(item.items) : 0), 0)
}

/** Slots of the finished HTML that say that an entry is current: of its link, and of the groups that open with it. */
interface Mark {
  readonly link: number
  readonly closedGroups: readonly number[]
}

/** An attribute that is not there yet. Text cannot look like it: its quotes are escaped. */
const slotPattern = / (?:aria-current|open)="\0(\d+)"/g

class WholeSidebar implements Sidebar {
  readonly #html: string
  readonly #marks = new Map<string, Mark>()
  /** Offsets in the HTML, by slot. */
  readonly #offsets: number[] = []

  constructor(items: readonly NavItem[]) {
    const { html } = this.#list(items, 0, [])
    let removed = 0
    this.#html = html.replace(slotPattern, (attribute, slot: string, offset: number) => {
      this.#offsets[Number(slot)] = offset - removed
      removed += attribute.length
      return ''
    })
  }

  render(href: string): Html {
    const mark = this.#marks.get(href) ?? this.#marks.get(encodePath(href))
    if (mark === undefined) return raw(this.#html)
    let out = ''
    let from = 0
    for (const slot of mark.closedGroups) {
      const offset = this.#offsets[slot] ?? 0
      out += `${this.#html.slice(from, offset)} open`
      from = offset
    }
    const link = this.#offsets[mark.link] ?? 0
    return raw(`${out}${this.#html.slice(from, link)} aria-current="page"${this.#html.slice(link)}`)
  }

  /** `closed` are the slots of the groups around this list that are not open by themselves. */
  #list(items: readonly NavItem[], depth: number, closed: readonly number[]): Html {
    return (
      <List depth={depth}>
        {items.map((item) => (
          <Entry item={item} depth={depth}>
            {item.kind === 'page' ? this.#page(item, closed) : this.#group(item, depth, closed)}
          </Entry>
        ))}
      </List>
    )
  }

  #page(page: Page, closed: readonly number[]): Html {
    // The first of two entries for a page is the one that previous and next follow.
    if (this.#marks.has(page.href)) return <PageLink page={page} />
    const link = this.#slot()
    this.#marks.set(page.href, { link, closedGroups: closed })
    return <PageLink page={page} current={`\0${link}`} />
  }

  #group(group: Group, depth: number, closed: readonly number[]): Html {
    if (depth === 0) return <OpenGroup group={group}>{this.#list(group.items, 1, closed)}</OpenGroup>
    const slot = group.expanded === true ? undefined : this.#slot()
    const around = slot === undefined ? closed : [...closed, slot]
    return (
      <FoldedGroup group={group} open={slot === undefined || `\0${slot}`}>
        {this.#list(group.items, depth + 1, around)}
      </FoldedGroup>
    )
  }

  #slot(): number {
    return this.#offsets.push(0) - 1
  }
}

/** Positions of the current entry's group in the outermost list, of the next group in that, … and of the entry itself. */
type Trail = readonly number[]

/**
 * A sidebar too large for every page to carry it: groups of the current page are open, others are a link to their first
 * page, and a long list shows a window around the page.
 */
class FocusedSidebar implements Sidebar {
  readonly #items: readonly NavItem[]
  readonly #trails = new Map<string, Trail>()
  /** Entries as they are when they are not current: on nearly every page that shows them. */
  readonly #drawn = new Map<NavItem, Html>()

  readonly #words: PageWords

  constructor(items: readonly NavItem[], words: PageWords) {
    this.#items = items
    this.#words = words
    this.#index(items, [])
  }

  render(href: string): Html {
    return this.#list(this.#items, this.#trails.get(href) ?? this.#trails.get(encodePath(href)) ?? [], 0)
  }

  #index(list: readonly NavItem[], above: Trail): void {
    for (const [position, item] of list.entries()) {
      const trail = [...above, position]
      if (item.kind === 'group') this.#index(item.items, trail)
      else if (!this.#trails.has(item.href)) this.#trails.set(item.href, trail)
    }
  }

  #list(items: readonly NavItem[], trail: Trail, depth: number): Html {
    const current = trail[depth]
    const start = Math.max(0, Math.min((current ?? 0) - windowSize / 2, items.length - windowSize))
    const end = Math.min(items.length, start + windowSize)
    return (
      <List depth={depth}>
        <Continuation item={items[start - 1]} label={this.#words.earlier} />
        {items.slice(start, end).map((item, offset) => (
          <Entry item={item} depth={depth}>
            {start + offset === current ? this.#open(item, trail, depth) : this.#closed(item)}
          </Entry>
        ))}
        <Continuation item={items[end]} label={this.#words.later} />
      </List>
    )
  }

  #open(item: NavItem, trail: Trail, depth: number): Html {
    if (item.kind === 'page') return <PageLink page={item} current="page" />
    const inner = this.#list(item.items, trail, depth + 1)
    return depth === 0 ? (
      <OpenGroup group={item}>{inner}</OpenGroup>
    ) : (
      <FoldedGroup group={item} open>
        {inner}
      </FoldedGroup>
    )
  }

  #closed(item: NavItem): Html {
    let html = this.#drawn.get(item)
    if (html === undefined) {
      html = item.kind === 'page' ? <PageLink page={item} /> : <ClosedGroup group={item} />
      this.#drawn.set(item, html)
    }
    return html
  }
}

/** A list of the sidebar; depth 0 is the outermost. */
function List({ depth, children }: { readonly depth: number; readonly children?: Child }): Html {
  return <ul class={depth === 0 ? 'q-nav-list' : undefined}>{children}</ul>
}

interface EntryProps {
  readonly item: NavItem
  readonly depth: number
  readonly children?: Child
}

function Entry({ item, depth, children }: EntryProps): Html {
  return <li class={item.kind === 'group' && depth === 0 ? 'q-nav-group' : undefined}>{children}</li>
}

function PageLink({ page, current }: { readonly page: Page; readonly current?: string }): Html {
  return (
    <Link aria-current={current} class="q-nav-link" hreflang={page.lang} href={page.href}>
      <Icon svg={page.icon} />
      <Method of={page} />
      <span class={page.deprecated === true ? 'q-nav-old' : undefined}>{page.title}</span>
      <Tag item={page} />
      {isExternal(page.href) && icons.external}
    </Link>
  )
}

/** Names of methods that are too long for a list. */
const shortMethods: Readonly<Record<string, string>> = { DELETE: 'DEL', OPTIONS: 'OPT', WEBHOOK: 'HOOK' }

function Method({ of: { method } }: { readonly of: Page }): Child {
  return (
    method !== undefined && (
      <span class="q-method" data-method={method}>
        {shortMethods[method] ?? method}
      </span>
    )
  )
}

interface GroupProps {
  readonly group: Group
  /** The list of its pages. */
  readonly children?: Child
}

/** A group of the outermost level, whose pages always show. */
function OpenGroup({ group, children }: GroupProps): Html {
  return (
    <>
      <p class="q-nav-title">
        <GroupLink group={group}>
          <Icon svg={group.icon} />
          <span>{group.title}</span>
          <Tag item={group} />
        </GroupLink>
      </p>
      {children}
    </>
  )
}

function FoldedGroup({ group, open, children }: GroupProps & { readonly open: boolean | string }): Html {
  return (
    <details open={open}>
      <summary class="q-nav-link">
        <Icon svg={group.icon} />
        <GroupLink group={group}>
          <span>{group.title}</span>
        </GroupLink>
        <Tag item={group} />
        {icons.chevron}
      </summary>
      {children}
    </details>
  )
}

function GroupLink({ group, children }: GroupProps): Child {
  return group.href === undefined ? children : <Link href={group.href}>{children}</Link>
}

/** A group that shows none of its pages: a link to the first of them. */
function ClosedGroup({ group }: GroupProps): Html {
  const href = firstHref(group)
  const content = (
    <>
      <Icon svg={group.icon} />
      <span>{group.title}</span>
      <Tag item={group} />
      {icons.chevron}
    </>
  )
  return href === null ? (
    <span class="q-nav-link">{content}</span>
  ) : (
    <Link class="q-nav-link" href={href}>
      {content}
    </Link>
  )
}

/** The way to what a cut list leaves out. */
function Continuation({ item, label }: { readonly item: NavItem | undefined; readonly label: string }): Child {
  const href = item === undefined ? null : item.kind === 'page' ? item.href : firstHref(item)
  if (href === null) return null
  return (
    <li>
      <Link class="q-nav-link q-nav-more" aria-label={label} href={href}>
        …
      </Link>
    </li>
  )
}

function Tag({ item }: { readonly item: NavItem }): Child {
  const isOld = item.kind === 'page' && item.deprecated === true
  return item.tag !== undefined && <span class={isOld ? 'q-nav-tag q-deprecated' : 'q-nav-tag'}>{item.tag}</span>
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
