import type { NavItem, Section, ShellLink } from '../shell.ts'
import { isArray, isObject, pointerTo, type Json, type JsonObject } from './json.ts'
import { isPageHref, pageItem, pageReference, type PageIndex } from './pages.ts'
import type { Problems } from './problems.ts'
import { show } from './schema.ts'
import { link, iconOf, pick, type IconLookup } from './settings.ts'

export interface Navigation {
  readonly sections: readonly Section[]
  /** Links over every sidebar. */
  readonly anchors: readonly ShellLink[]
  /** Href of the page that a visit of the site begins with; absent when navigation has no page. */
  readonly home?: string
}

interface Context {
  readonly problems: Problems
  readonly pages: PageIndex
  readonly icon: IconLookup
}

type SwitchKind = Section['switches'][number]['kind']

/** Lists of a node whose entries are alternatives, the key that names an entry, and what readers see it as. */
const switchKinds: readonly (readonly [list: string, name: string, kind: SwitchKind])[] = [
  ['languages', 'language', 'language'],
  ['versions', 'version', 'version'],
  ['products', 'product', 'product'],
  ['dropdowns', 'dropdown', 'dropdown'],
  ['anchors', 'anchor', 'anchor'],
  ['tabs', 'tab', 'tab'],
  ['menu', 'item', 'dropdown'],
]

const otherKeys =
  'global groups group pages root icon iconType tag expanded hidden href url ' +
  'openapi asyncapi default description color directory banner footer navbar title'
const known: ReadonlySet<string> = new Set([
  ...switchKinds.flatMap(([list, name]) => [list, name]),
  ...otherKeys.split(' '),
])

/**
 * Reads `navigation` of docs.json: switches (tabs, versions, languages …) in any nesting, groups, pages. Pages that do
 * not exist, and what this service has no page for, are left out with a warning; unsafe paths and links are errors.
 */
export function readNavigation(value: Json | undefined, context: Context): Navigation {
  const reader = new NavigationReader(context)
  if (isObject(value)) reader.node(value, { pointer: '/navigation', switches: [], rank: [] })
  else context.problems.error('/navigation', `navigation must be an object, not ${show(value)}.`)
  return reader.finish()
}

interface Branch {
  /** BCP 47, within a language. */
  readonly lang?: string
  readonly pointer: string
  readonly switches: Section['switches']
  /** Position among the alternatives of each switch, −1 for the default one: the smallest is where the site begins. */
  readonly rank: readonly number[]
}

class NavigationReader {
  readonly #context: Context
  readonly #sections: Section[] = []
  readonly #anchors: ShellLink[] = []
  readonly #unknown = new Set<string>()
  #home: { readonly href: string; readonly rank: readonly number[] } | undefined

  constructor(context: Context) {
    this.#context = context
  }

  finish(): Navigation {
    if (this.#unknown.size > 0) {
      const names = [...this.#unknown].slice(0, 20).map((key) => key.slice(0, 60))
      this.#context.problems.warning('/navigation', `Unknown keys are ignored: ${names.join(', ')}.`)
    }
    return { sections: this.#sections, anchors: this.#anchors, ...pick('home', this.#home?.href) }
  }

  node(node: JsonObject, at: Branch): void {
    this.#noteKeys(node)
    this.#global(node['global'], pointerTo(at.pointer, 'global'))
    const items = [...this.#list(node, 'pages', at.pointer), ...this.#list(node, 'groups', at.pointer)]
    const first = firstPage(items)
    if (first !== undefined)
      this.#addSection({ switches: at.switches, ...pick('lang', at.lang), href: first, items }, at.rank)
    let branched = false
    for (const [list, name, kind] of switchKinds) {
      const pointer = pointerTo(at.pointer, list)
      for (const [index, entry] of this.#entries(node[list], pointer)) {
        branched = true
        this.#alternative(entry, { name, kind, index }, { ...at, pointer: pointerTo(pointer, index) })
      }
    }
    const promised = node['openapi'] !== undefined || node['asyncapi'] !== undefined
    if (promised && first === undefined && !branched)
      this.#context.problems.warning(
        at.pointer,
        'Pages are not made of an API description; write them, with openapi: in the front matter.',
      )
  }

  /** One tab, version … : a link elsewhere, or a part of the site. */
  #alternative(
    entry: JsonObject,
    { name, kind, index }: { name: string; kind: SwitchKind; index: number },
    at: Branch,
  ): void {
    if (entry['hidden'] === true) return this.#noteKeys(entry)
    const text = entry[name]
    if (typeof text !== 'string' || text.trim() === '') {
      this.#context.problems.error(
        at.pointer,
        `A text ${JSON.stringify(name)} must name this entry; it is ${show(text)}.`,
      )
      return
    }
    const icon = iconOf(entry['icon'], pointerTo(at.pointer, 'icon'), this.#context)
    const choice = { kind, label: kind === 'language' ? languageName(text) : text, ...pick('icon', icon) }
    const switches = [...at.switches, choice]
    const before = this.#sections.length
    const lang = kind === 'language' && isLanguageCode(text) ? text : at.lang
    const rank = [...at.rank, entry['default'] === true ? -1 : index]
    this.node(entry, { pointer: at.pointer, switches, rank, ...pick('lang', lang) })
    if (this.#sections.length > before) return
    const target = entry['href'] ?? entry['url']
    if (typeof target === 'string') {
      const href = link(target, pointerTo(at.pointer, 'href'), this.#context)
      if (href === undefined) return
      if (kind === 'anchor') this.#addAnchor({ label: text, href, ...pick('icon', icon) })
      else this.#sections.push({ switches, href, items: [] })
    } else
      this.#context.problems.warning(at.pointer, `${JSON.stringify(text)} has no page and no href; it is left out.`)
  }

  #global(value: Json | undefined, pointer: string): void {
    if (value === undefined) return
    if (!isObject(value)) return this.#context.problems.error(pointer, `global must be an object, not ${show(value)}.`)
    for (const [list, name] of switchKinds) {
      for (const [index, entry] of this.#entries(value[list], pointerTo(pointer, list))) {
        const at = pointerTo(pointerTo(pointer, list), index)
        const label = entry[name]
        const target = entry['href'] ?? entry['url']
        if (entry['hidden'] === true || typeof label !== 'string' || typeof target !== 'string') continue
        const href = link(target, pointerTo(at, 'href'), this.#context)
        const icon = iconOf(entry['icon'], pointerTo(at, 'icon'), this.#context)
        if (href !== undefined) this.#addAnchor({ label, href, ...pick('icon', icon) })
      }
    }
  }

  #addSection(section: Section, rank: readonly number[]): void {
    this.#sections.push(section)
    if (this.#home === undefined || precedes(rank, this.#home.rank)) this.#home = { href: section.href, rank }
  }

  #addAnchor(anchor: ShellLink): void {
    if (!this.#anchors.some(({ label, href }) => label === anchor.label && href === anchor.href))
      this.#anchors.push(anchor)
  }

  *#entries(value: Json | undefined, pointer: string): Generator<readonly [number, JsonObject]> {
    if (value === undefined) return
    if (!isArray(value)) {
      this.#context.problems.error(pointer, `This must be a list, not ${show(value)}.`)
      return
    }
    for (const [index, entry] of value.entries()) {
      if (isObject(entry)) yield [index, entry]
      else this.#context.problems.error(pointerTo(pointer, index), `This must be an object, not ${show(entry)}.`)
    }
  }

  #list(node: JsonObject, key: 'pages' | 'groups', parent: string): NavItem[] {
    const value = node[key]
    if (value === undefined) return []
    const pointer = pointerTo(parent, key)
    if (!isArray(value)) {
      this.#context.problems.error(pointer, `${key} must be a list, not ${show(value)}.`)
      return []
    }
    return value.flatMap((entry, index) => this.#item(entry, pointerTo(pointer, index)) ?? [])
  }

  #item(entry: Json, pointer: string): NavItem | undefined {
    if (typeof entry === 'string') return this.#page(entry, pointer)
    if (isObject(entry)) return this.#group(entry, pointer)
    this.#context.problems.error(pointer, `This must be the path of a page or a group, not ${show(entry)}.`)
    return undefined
  }

  #page(text: string, pointer: string): NavItem | undefined {
    if (/^[a-z][a-z0-9+.-]*:/i.test(text)) {
      const href = link(text, pointer, this.#context)
      return href === undefined ? undefined : { kind: 'page', title: text.replace(/^\w+:(\/\/)?/, ''), href }
    }
    if (/^(get|put|post|delete|patch|options|head|trace|webhook) /i.test(text)) {
      this.#context.problems.warning(
        pointer,
        `Operations of an API description have no pages of their own here: ${show(text)} is left out.`,
      )
      return undefined
    }
    const reference = pageReference(text)
    if ('refused' in reference) {
      this.#context.problems.error(pointer, `The page ${show(text)} is refused: ${reference.refused}.`)
      return undefined
    }
    const page = this.#context.pages.find(reference.page)
    if (page === undefined)
      this.#context.problems.warning(
        pointer,
        `There is no page ${show(text)}; the entry is left out. Add ${reference.page}.mdx or remove it.`,
      )
    return page === undefined ? undefined : pageItem(page)
  }

  #group(node: JsonObject, pointer: string): NavItem | undefined {
    this.#noteKeys(node)
    if (node['hidden'] === true) return undefined
    const title = node['group']
    if (typeof title !== 'string') {
      this.#context.problems.error(pointer, `A text "group" must name this group; it is ${show(title)}.`)
      return undefined
    }
    const root = node['root'] === undefined ? undefined : this.#root(node['root'], pointerTo(pointer, 'root'))
    const items = [...this.#list(node, 'pages', pointer), ...this.#list(node, 'groups', pointer)]
    if (items.length === 0 && root === undefined) {
      if (node['openapi'] !== undefined)
        this.#context.problems.warning(
          pointer,
          `${show(title)}: pages are not made of an API description; the group is left out.`,
        )
      return undefined
    }
    return {
      kind: 'group',
      title,
      ...pick('icon', iconOf(node['icon'], pointerTo(pointer, 'icon'), this.#context)),
      ...pick('tag', typeof node['tag'] === 'string' ? node['tag'] : undefined),
      ...pick('href', root?.href),
      ...(node['expanded'] === true ? { expanded: true } : {}),
      items,
    }
  }

  #root(value: Json, pointer: string): NavItem | undefined {
    if (typeof value === 'string') return this.#page(value, pointer)
    this.#context.problems.error(pointer, `root must be the path of a page, not ${show(value)}.`)
    return undefined
  }

  #noteKeys(node: JsonObject): void {
    for (const key of Object.keys(node)) if (!known.has(key)) this.#unknown.add(key)
  }
}

/** Href of the first page of this site in reading order. */
export function firstPage(items: readonly NavItem[]): string | undefined {
  for (const item of items) {
    if (isPageHref(item.href)) return item.href
    const inner = item.kind === 'group' ? firstPage(item.items) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

function precedes(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, rank] of one.entries()) {
    const against = other[index]
    if (against === undefined) return false
    if (rank !== against) return rank < against
  }
  return false
}

const isLanguageCode = (text: string): boolean => /^[a-z]{2,3}(-[A-Za-z]{2,4})?$/.test(text)

/** `fr` → `français`; what is no language code stays as it is. */
function languageName(code: string): string {
  if (!isLanguageCode(code)) return code
  const name = new Intl.DisplayNames([code], { type: 'language', fallback: 'code' }).of(code) ?? code
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1)
}
