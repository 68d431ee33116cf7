import type { Steps } from '../../lib/slices.ts'
import type { NavItem, Section } from '../shell.ts'
import { isArray, isObject, pointerTo, show, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { languageTag } from '../languages.ts'
import { isPageHref } from '../places.ts'
import { pageItem, pageReference, type PageIndex, type SitePage } from './pages.ts'
import type { Problems } from './problems.ts'
import { link, iconOf, pick, type IconLookup } from './values.ts'
import { mayNameTag } from './tags.ts'
import { NavigationKeys, type SwitchKind, switchKinds } from './navigation-keys.ts'
import { firstPage, type Navigation, Sections } from './sections.ts'

/** What a version that comes from a tag has for navigation. */
export type TagNavigation = { readonly folder: string } & (
  | {
      /** `navigation` of the docs.json of the tag. */
      readonly navigation: Json
      /** Thrown away: nobody mends a tag. */
      readonly problems: Problems
    }
  | { readonly navigation?: undefined; readonly sections: readonly Section[] }
)

interface Context {
  readonly problems: Problems
  readonly pages: PageIndex
  readonly icon: IconLookup
  /** Source paths, without ending, of pages that are not there because they cannot be compiled: told already. */
  readonly leftOut?: ReadonlySet<string>
  /** Of versions that come from tags, by pointer of their entry. */
  readonly tags?: ReadonlyMap<string, TagNavigation>
  /** Within such a version: where it stands in the site. */
  readonly base?: string
}

/** Entries of all these lists together. Each is a sidebar or a link on every page. */
const maxAlternatives = 1000
/** Languages in which a page is looked for that is not translated. */
const maxFallbacks = 40
/** UTF-16 units of what names a group or one of those entries: it stands on every page that is below. */
const maxName = 200

/**
 * Reads `navigation` of docs.json: switches (tabs, versions, languages …) in any nesting, groups, pages. Pages that do
 * not exist, and what this service has no page for, are left out with a warning; unsafe paths and links are errors.
 */
export function* readNavigation(value: Json | undefined, context: Context): Steps<Navigation> {
  const reader = new NavigationReader(context)
  if (isObject(value)) yield* reader.node(value, { pointer: '/navigation', switches: [], rank: [] })
  else context.problems.error('setting-invalid', '/navigation', `navigation must be an object, not ${show(value)}.`)
  return reader.sections.finish()
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
  /** Of docs.json, wherever the reader is. */
  readonly #problems: Problems
  #context: Context
  readonly #keys: NavigationKeys
  readonly sections = new Sections()
  #alternatives = 0
  /** The language that is being read, as docs.json writes it, and the others beside it, the default one first. */
  #languages: { readonly own: string; readonly others: readonly string[] } | undefined

  constructor(context: Context) {
    this.#context = context
    this.#problems = context.problems
    this.#keys = new NavigationKeys(context.problems)
  }

  *node(node: JsonObject, at: Branch): Steps<void> {
    this.#noteKeys(node, at.pointer)
    yield* this.#global(node['global'], { ...at, pointer: pointerTo(at.pointer, 'global') })
    const items = yield* this.#lists(node, at.pointer)
    const first = firstPage(items)
    if (first !== undefined)
      this.sections.add({ switches: at.switches, ...pick('lang', at.lang), href: first, items }, at.rank)
    for (const [list, name, kind] of switchKinds) {
      const pointer = pointerTo(at.pointer, list)
      const siblings = kind === 'language' ? codesOf(node[list]) : []
      for (const [index, entry] of this.#entries(node[list], pointer)) {
        yield* this.#alternative(entry, { name, kind, index, siblings }, { ...at, pointer: pointerTo(pointer, index) })
      }
    }
  }

  /** One tab, version … : a link elsewhere, or a part of the site. */
  *#alternative(
    entry: JsonObject,
    { name, kind, index, siblings }: { name: string; kind: SwitchKind; index: number; siblings: readonly string[] },
    at: Branch,
  ): Steps<void> {
    yield
    if (entry['hidden'] === true) {
      this.#noteKeys(entry, at.pointer)
      return
    }
    const text = entry[name]
    if (!this.#isName(text, at.pointer, `A text ${JSON.stringify(name)} must name this entry`)) return
    const icon = this.#icon(entry, at.pointer)
    const choice = {
      kind,
      label: kind === 'language' ? languageName(text) : text,
      ...pick('icon', icon),
      ...pick('tag', besides(entry['tag'])),
      ...pick('description', besides(entry['description'])),
      ...(entry['default'] === true ? { default: true as const } : {}),
      ...(kind === 'version' && typeof entry['notice'] === 'boolean' ? { notice: entry['notice'] } : {}),
    }
    const switches = [...at.switches, choice]
    const before = this.sections.size
    const lang = kind === 'language' ? (languageTag(text) ?? at.lang) : at.lang
    const rank = [...at.rank, entry['default'] === true ? -1 : index]
    const around = this.#languages
    if (kind === 'language')
      this.#languages = { own: text, others: siblings.filter((code) => code !== text).slice(0, maxFallbacks) }
    const inside = { pointer: at.pointer, switches, rank, ...pick('lang', lang) }
    const isTagged = kind === 'version' && entry['gitTag'] !== undefined && this.#context.base === undefined
    if (isTagged) yield* this.#tag(this.#context.tags?.get(at.pointer), inside)
    else yield* this.node(entry, inside)
    this.#languages = around
    if (isTagged || this.sections.size > before) return
    const target = entry['href'] ?? entry['url']
    if (typeof target === 'string') {
      const href = this.#link(target, pointerTo(at.pointer, 'href'))
      if (href === undefined) return
      if (kind !== 'anchor') this.sections.addLink(switches, href)
      // Of a tag it would stand beside all versions.
      else if (this.#context.base === undefined)
        this.sections.addAnchor({ label: text, href, ...pick('icon', icon) }, at.switches)
    } else
      this.#context.problems.warning(
        'navigation-empty',
        at.pointer,
        `${show(text)} has no page and no href; it is left out.`,
      )
  }

  /** A version that comes from a tag, with the navigation that it has there. */
  *#tag(tag: TagNavigation | undefined, at: Branch): Steps<void> {
    if (!mayNameTag(at.pointer)) {
      const message = 'gitTag is for the entries of navigation.versions, not for versions within something else.'
      this.#context.problems.error('setting-invalid', pointerTo(at.pointer, 'gitTag'), message)
    }
    // That it is not there is told by who looked for it.
    if (tag === undefined) return
    const before = this.sections.size
    if (tag.navigation === undefined)
      for (const { href, items } of tag.sections) this.sections.add({ switches: at.switches, href, items }, at.rank)
    else if (isObject(tag.navigation)) yield* this.#navigationOf(tag, tag.navigation, at)
    if (this.sections.size === before)
      this.#context.problems.warning(
        'navigation-empty',
        at.pointer,
        'The navigation of the tag has no page; its version is left out.',
      )
  }

  *#navigationOf(tag: TagNavigation & { navigation: Json }, navigation: JsonObject, at: Branch): Steps<void> {
    const around = this.#context
    this.#context = {
      ...around,
      problems: tag.problems,
      pages: { find: (reference) => around.pages.find(`${tag.folder}/${reference}`) },
      base: `/${tag.folder}`,
    }
    yield* this.node(ofOneVersion(navigation), { ...at, pointer: '/navigation' })
    this.#context = around
  }

  /** A link as the site has it. */
  #link(value: string, pointer: string): string | undefined {
    const href = link(value, pointer, this.#context)
    const { base } = this.#context
    if (base === undefined || href?.startsWith('/') !== true) return href
    return href === '/' ? base : base + href
  }

  *#global(value: Json | undefined, { pointer, switches }: Pick<Branch, 'pointer' | 'switches'>): Steps<void> {
    // Of a tag it would stand beside all versions.
    if (value === undefined || this.#context.base !== undefined) return
    if (!isObject(value)) {
      this.#context.problems.error('setting-invalid', pointer, `global must be an object, not ${show(value)}.`)
      return
    }
    for (const [list, name] of switchKinds) {
      for (const [index, entry] of this.#entries(value[list], pointerTo(pointer, list))) {
        yield
        const at = pointerTo(pointerTo(pointer, list), index)
        this.#noteKeys(entry, at)
        const label = entry[name]
        const target = entry['href'] ?? entry['url']
        if (entry['hidden'] === true || typeof label !== 'string' || typeof target !== 'string') continue
        const href = link(target, pointerTo(at, 'href'), this.#context)
        const icon = this.#icon(entry, at)
        if (href !== undefined) this.sections.addAnchor({ label, href, ...pick('icon', icon) }, switches)
      }
    }
  }

  *#entries(value: Json | undefined, pointer: string): Generator<readonly [number, JsonObject]> {
    if (value === undefined) return
    if (!isArray(value)) {
      this.#context.problems.error('setting-invalid', pointer, `This must be a list, not ${show(value)}.`)
      return
    }
    const before = this.#alternatives
    this.#alternatives += value.length
    if (this.#alternatives > maxAlternatives) {
      const message = `navigation has more than ${maxAlternatives} tabs, versions, languages and the like together. Make groups of some.`
      const isOwn = this.#context.base === undefined
      if (before <= maxAlternatives) this.#problems.error('settings-limit', isOwn ? pointer : '/navigation', message)
      return
    }
    for (const [index, entry] of value.entries()) {
      if (isObject(entry)) yield [index, entry]
      else
        this.#context.problems.error(
          'setting-invalid',
          pointerTo(pointer, index),
          `This must be an object, not ${show(entry)}.`,
        )
    }
  }

  *#lists(node: JsonObject, parent: string): Steps<NavItem[]> {
    const items: NavItem[] = []
    for (const key of ['pages', 'groups']) {
      const value = node[key]
      if (value === undefined) continue
      const pointer = pointerTo(parent, key)
      if (!isArray(value)) {
        this.#context.problems.error('setting-invalid', pointer, `${key} must be a list, not ${show(value)}.`)
        continue
      }
      for (const [index, entry] of value.entries()) {
        const item = yield* this.#item(entry, pointerTo(pointer, index))
        if (item !== undefined) items.push(item)
      }
    }
    return items
  }

  *#item(entry: Json, pointer: string): Steps<NavItem | undefined> {
    yield
    if (typeof entry === 'string') return this.#page(entry, pointer)
    if (isObject(entry)) return yield* this.#group(entry, pointer)
    this.#context.problems.error(
      'setting-invalid',
      pointer,
      `This must be the path of a page or a group, not ${show(entry)}.`,
    )
    return undefined
  }

  #page(text: string, pointer: string): NavItem | undefined {
    if (/^[a-z][a-z0-9+.-]*:/i.test(text)) {
      const href = this.#link(text, pointer)
      return href === undefined ? undefined : { kind: 'page', title: text.replace(/^\w+:(\/\/)?/, ''), href }
    }
    if (/^(get|put|post|delete|patch|options|head|trace|webhook) /i.test(text)) {
      this.#context.problems.warning(
        'navigation-empty',
        pointer,
        `Operations of an API description have no pages of their own here: ${show(text)} is left out.`,
      )
      return undefined
    }
    const reference = pageReference(text)
    if ('refused' in reference) {
      this.#context.problems.error('setting-link', pointer, `The page ${show(text)} is refused: ${reference.refused}.`)
      return undefined
    }
    const page = this.#context.pages.find(reference.page)
    if (page !== undefined) return pageItem(page)
    if (this.#context.leftOut?.has(reference.page) === true) return undefined
    const other = this.#inOtherLanguage(reference.page)
    const result = other === undefined ? 'the entry is left out' : `the entry leads to ${show(other.page.path)}`
    this.#context.problems.warning(
      'navigation-missing',
      pointer,
      `There is no page ${show(text)}; ${result}. Add ${reference.page}.mdx or remove it.`,
    )
    const item = other && pageItem(other.page)
    if (other === undefined || item?.kind !== 'page' || !isPageHref(item.href)) return undefined
    return { ...item, lang: other.lang, tag: other.lang.toUpperCase() }
  }

  /** The page that a missing translation would be of: beside the folder of its language, or in that of another. */
  #inOtherLanguage(reference: string): { readonly page: SitePage; readonly lang: string } | undefined {
    const { own, others } = this.#languages ?? { own: '', others: [] }
    const segments = reference.split('/')
    const at = segments.indexOf(own)
    if (at === -1) return undefined
    for (const code of others) {
      const lang = languageTag(code)
      const page =
        this.#context.pages.find(segments.with(at, code).join('/')) ??
        this.#context.pages.find(segments.toSpliced(at, 1).join('/'))
      if (page !== undefined && lang !== undefined) return { page, lang }
    }
    return undefined
  }

  *#group(node: JsonObject, pointer: string): Steps<NavItem | undefined> {
    this.#noteKeys(node, pointer)
    if (node['hidden'] === true) return undefined
    const title = node['group']
    if (!this.#isName(title, pointer, 'A text "group" must name this group', { empty: true })) return undefined
    const root = node['root'] === undefined ? undefined : this.#root(node['root'], pointerTo(pointer, 'root'))
    const items = yield* this.#lists(node, pointer)
    if (items.length === 0 && root === undefined) return undefined
    return {
      kind: 'group',
      title,
      ...pick('icon', this.#icon(node, pointer)),
      ...pick('tag', typeof node['tag'] === 'string' ? node['tag'] : undefined),
      ...pick('href', root?.href),
      ...(node['expanded'] === true ? { expanded: true } : {}),
      items,
    }
  }

  #root(value: Json, pointer: string): NavItem | undefined {
    if (typeof value === 'string') return this.#page(value, pointer)
    this.#context.problems.error('setting-invalid', pointer, `root must be the path of a page, not ${show(value)}.`)
    return undefined
  }

  #icon({ icon, iconType }: JsonObject, pointer: string): string | undefined {
    const named = typeof icon === 'string' && iconType !== undefined ? { name: icon, style: iconType } : icon
    return iconOf(named, pointerTo(pointer, 'icon'), this.#context)
  }

  /** Whether a text can name a group or an alternative; an error at its pointer otherwise. */
  #isName(text: Json | undefined, pointer: string, rule: string, { empty = false } = {}): text is string {
    const isText = typeof text === 'string' && (empty || text.trim() !== '')
    if (!isText) this.#context.problems.error('setting-invalid', pointer, `${rule}; it is ${show(text)}.`)
    else if (text.length > maxName)
      this.#context.problems.error(
        'setting-invalid',
        pointer,
        `${rule} in at most ${maxName} characters; it has ${text.length}.`,
      )
    return isText && text.length <= maxName
  }

  /** Nobody mends a tag. */
  #noteKeys(node: JsonObject, pointer: string): void {
    if (this.#context.base === undefined) this.#keys.note(node, pointer)
  }
}

/** What stands beside the name of an alternative. */
function besides(text: Json | undefined): string | undefined {
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, maxName) : undefined
}

/** Of a tag that has versions itself, the navigation of the one that it begins with. */
function ofOneVersion(node: JsonObject): JsonObject {
  const { versions, ...rest } = node
  if (!isArray(versions)) return node
  const entries = versions.filter(isObject)
  return { ...rest, ...(entries.find((entry) => entry['default'] === true) ?? entries[0]) }
}

/** Languages of a list as docs.json writes them, the default one first. */
function codesOf(list: Json | undefined): readonly string[] {
  const entries = isArray(list) ? list.filter(isObject).slice(0, maxAlternatives) : []
  const first = entries.find((entry) => entry['default'] === true) ?? entries[0]
  const inOrder = first === undefined ? [] : [first, ...entries.filter((entry) => entry !== first)]
  return inOrder.flatMap(({ language }) => (typeof language === 'string' ? language : []))
}

/** `fr` → `Français`; what is no language code stays as it is. */
function languageName(text: string): string {
  const tag = languageTag(text)
  if (tag === undefined) return text
  const name = new Intl.DisplayNames([tag], { type: 'language', fallback: 'code' }).of(tag) ?? text
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}
