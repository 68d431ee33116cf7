import { sorted, type Steps } from '../../lib/slices.ts'
import { firstPage, type Navigation } from './sections.ts'
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
 * @param base where the root of the paths stands in the site: `/v1`
 */
export function* folderNavigation(pages: readonly SitePage[], base = ''): Steps<Navigation> {
  const root = newFolder('')
  for (const page of pages) {
    yield
    const names = page.path.split('/')
    const folder = names.slice(0, -1).reduce(descend, root)
    if (page.url === (base + folderUrl(names)).replace(/(?<=.)\/$/, '')) folder.index = page
    else folder.pages.push(page)
  }
  const home = root.index === undefined ? undefined : pageItem(root.index)
  const entries = yield* entriesOf(root)
  const items = home === undefined ? entries : [home, ...entries]
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

interface Entry {
  readonly order: number
  readonly title: string
  readonly name: string
  readonly item: NavItem
}

function* entriesOf(folder: Folder): Steps<NavItem[]> {
  const entries: Entry[] = []
  const add = (name: string, item: NavItem | undefined): void => {
    if (item !== undefined)
      entries.push({ order: numberOf(name), title: item.title.toLowerCase(), name: name.toLowerCase(), item })
  }
  for (const page of folder.pages) {
    yield
    add(withoutEnding(page.path.slice(page.path.lastIndexOf('/') + 1)), pageItem(page))
  }
  for (const inner of folder.folders.values()) add(inner.name, yield* groupOf(inner))
  const inOrder = yield* sorted(entries, byOrder)
  return inOrder.map(({ item }) => item)
}

/** By code point without case: the same on every machine, unlike a locale’s order. */
function byOrder(one: Entry, other: Entry): number {
  return compare(one.order, other.order) || compare(one.title, other.title) || compare(one.name, other.name)
}

function* groupOf(folder: Folder): Steps<NavItem | undefined> {
  const items = yield* entriesOf(folder)
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

function compare<T extends number | string>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0
}
