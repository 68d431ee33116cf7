import { firstPage, type Navigation } from './navigation.ts'
import type { NavItem } from '../shell.ts'
import { pageItem, withoutEnding, type SitePage } from './pages.ts'

interface Folder {
  readonly name: string
  readonly folders: Map<string, Folder>
  readonly pages: SitePage[]
  index: SitePage | undefined
}

/**
 * Navigation of a project without docs.json: a group for each folder, its index page as the group’s own page. Entries
 * with a number in front (`01-start.md`) come first, by that number; the others by title.
 */
export function folderNavigation(pages: readonly SitePage[]): Navigation {
  const root = newFolder('')
  for (const page of pages) {
    const names = page.path.split('/')
    const folder = names.slice(0, -1).reduce(descend, root)
    if (page.url === folderUrl(names)) folder.index = page
    else folder.pages.push(page)
  }
  const home = root.index === undefined ? undefined : pageItem(root.index)
  const items = [...(home === undefined ? [] : [home]), ...entriesOf(root)]
  const first = firstPage(items)
  return first === undefined
    ? { sections: [], anchors: [] }
    : { sections: [{ switches: [], href: first, items }], anchors: [], home: first }
}

/** `01-getting_started` → `Getting started`. */
export function humanise(name: string): string {
  const words = name
    .replace(/^\d+[-_. ]+(?=.)/, '')
    .replaceAll(/[-_]+/g, ' ')
    .trim()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

function newFolder(name: string): Folder {
  return { name, folders: new Map(), pages: [], index: undefined }
}

function descend(folder: Folder, name: string): Folder {
  const inner = folder.folders.get(name) ?? newFolder(name)
  folder.folders.set(name, inner)
  return inner
}

/** URL path of the folder that holds a file. */
function folderUrl(names: readonly string[]): string {
  return `/${names.slice(0, -1).join('/')}`
}

function entriesOf(folder: Folder): NavItem[] {
  const entries: { readonly order: number; readonly name: string; readonly item: NavItem }[] = []
  for (const page of folder.pages) {
    const item = pageItem(page)
    const name = withoutEnding(page.path.slice(page.path.lastIndexOf('/') + 1))
    if (item !== undefined) entries.push({ order: numberOf(name), name, item })
  }
  for (const inner of folder.folders.values()) {
    const item = groupOf(inner)
    if (item !== undefined) entries.push({ order: numberOf(inner.name), name: inner.name, item })
  }
  entries.sort(
    (one, other) =>
      compare(one.order, other.order) ||
      compareText(one.item.title, other.item.title) ||
      compareText(one.name, other.name),
  )
  return entries.map(({ item }) => item)
}

function groupOf(folder: Folder): NavItem | undefined {
  const items = entriesOf(folder)
  const index = folder.index === undefined ? undefined : pageItem(folder.index)
  if (items.length === 0) return index
  return {
    kind: 'group',
    title: folder.index?.summary.sidebarTitle ?? humanise(folder.name),
    ...(index?.href === undefined ? {} : { href: index.href }),
    ...(index?.icon === undefined ? {} : { icon: index.icon }),
    items,
  }
}

function numberOf(name: string): number {
  const match = /^(\d{1,9})(?=[-_. ]|$)/.exec(name)
  return match === null ? Number.POSITIVE_INFINITY : Number(match[1])
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other
}

/** By code point without case: the same on every machine, unlike a locale’s order. */
function compareText(one: string, other: string): number {
  const a = one.toLowerCase()
  const b = other.toLowerCase()
  return a < b ? -1 : a > b ? 1 : 0
}
