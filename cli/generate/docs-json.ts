import { applyEdits, modify, parse, type JSONPath, type ParseError } from 'jsonc-parser'
import { Failure } from '../../src/contract/failure.ts'
import type { PlacedPage } from './plan.ts'

/** What navigation should show of ours. */
export interface Wanted {
  readonly name: string
  /** That exist, in order. */
  readonly pages: readonly PlacedPage[]
  /** Pages that were put into navigation before, with the groups they were put in. */
  readonly placed: ReadonlyMap<string, readonly string[]>
}

/**
 * docs.json with our pages in its navigation. Pages that are there stay where the user has them, one that was taken out
 * of navigation stays out, and all else keeps its order and its comments.
 *
 * @param text undefined: there is none yet. @throws Failure invalid_content when it cannot be read.
 */
export function updateDocsJson(text: string | undefined, wanted: Wanted): string {
  const editor = new NavigationEditor(
    text ?? `${JSON.stringify({ name: wanted.name, navigation: { groups: [] } }, null, 2)}\n`,
  )
  const now = new Map(wanted.pages.map((page) => [page.path, page]))
  for (const [path, groups] of wanted.placed) {
    const page = now.get(path)
    const isMoved = page !== undefined && !same(page.groups, groups)
    if (page === undefined) editor.remove(path, groups)
    else if (isMoved && same(editor.groupsOf(path), groups)) {
      editor.remove(path, groups)
      editor.add(page, wanted.pages)
    }
  }
  for (const page of wanted.pages)
    if (!wanted.placed.has(page.path) && editor.groupsOf(page.path) === undefined) editor.add(page, wanted.pages)
  return editor.text
}

function same(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return one !== undefined && one.length === other.length && one.every((title, index) => title === other[index])
}

/** A page in navigation. */
interface Reference {
  readonly page: string
  readonly at: JSONPath
  readonly groups: readonly string[]
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

class NavigationEditor {
  #text: string
  readonly #formatting

  constructor(text: string) {
    this.#text = text
    const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
    this.#formatting = {
      insertSpaces: !indent.startsWith('\t'),
      tabSize: indent.startsWith('\t') ? 4 : Math.min(8, indent.length),
      eol: text.includes('\r\n') ? '\r\n' : '\n',
    }
    const errors: ParseError[] = []
    const root = parse(text, errors, { allowTrailingComma: true }) as Json | undefined
    if (errors.length > 0 || !isObject(root)) throw unusable('it is no JSON object')
    if (root['navigation'] === undefined) this.#set(['navigation'], { groups: [] })
    else if (!isObject(root['navigation'])) throw unusable('its navigation is no object')
  }

  get text(): string {
    return this.#text
  }

  /** Groups that a page is in; undefined when navigation does not name it. */
  groupsOf(path: string): readonly string[] | undefined {
    return this.#references().find(({ page }) => page === path)?.groups
  }

  /** Takes a page out wherever it is, and the groups of ours that are empty without it. */
  remove(path: string, ours: readonly string[]): void {
    for (;;) {
      const found = this.#references().find(({ page }) => page === path)
      if (found === undefined) return
      this.#set(found.at, undefined)
      let group = found.at.slice(0, -2)
      for (const title of found.groups.toReversed()) {
        const node = this.#at(group)
        const rest = isObject(node) ? node['pages'] : undefined
        if (!ours.includes(title) || !isObject(node) || !isList(rest) || rest.length > 0) break
        if (node['root'] !== undefined || node['openapi'] !== undefined) break
        this.#set(group, undefined)
        group = group.slice(0, -2)
      }
    }
  }

  /** @param order all pages of ours: a page stands after the one before it, if that is in the same list. */
  add(page: PlacedPage, order: readonly PlacedPage[]): void {
    let list = this.#host()
    for (const [depth, title] of page.groups.entries()) {
      const entries = this.#listAt(list)
      let index = entries.findIndex((entry) => isObject(entry) && entry['group'] === title)
      if (index === -1) {
        const titles = [...new Set(order.flatMap(({ groups }) => groups[depth] ?? []))]
        index = indexAfter(
          entries.map((entry) => (isObject(entry) ? entry['group'] : undefined)),
          titles,
          title,
        )
        this.#insert([...list, index], { group: title, pages: [] })
      } else if (!isList((entries[index] as { readonly [key: string]: Json })['pages'])) {
        this.#set([...list, index, 'pages'], [])
      }
      list = [...list, index, 'pages']
    }
    const paths = order.map(({ path }) => path)
    this.#insert([...list, indexAfter(this.#listAt(list).map(pageOf), paths, page.path)], page.path)
  }

  /** The list that our groups are in: where one is already, else the first list of groups, else of pages. */
  #host(): JSONPath {
    let pages: JSONPath | undefined
    let found: JSONPath | undefined
    const look = (node: Json | undefined, at: JSONPath): void => {
      if (found !== undefined) return
      if (isList(node)) for (const [index, entry] of node.entries()) look(entry, [...at, index])
      if (!isObject(node) || node['group'] !== undefined) return
      if (isList(node['groups'])) found = [...at, 'groups']
      else if (isList(node['pages'])) pages ??= [...at, 'pages']
      for (const [key, value] of Object.entries(node)) if (key !== 'global') look(value, [...at, key])
    }
    look(this.#at(['navigation']), ['navigation'])
    if (found !== undefined || pages !== undefined) return found ?? pages ?? []
    this.#set(['navigation', 'groups'], [])
    return ['navigation', 'groups']
  }

  #references(): Reference[] {
    const all: Reference[] = []
    const look = (node: Json | undefined, at: JSONPath, groups: readonly string[]): void => {
      const page = pageOf(node)
      const key = at.at(-1)
      if (page !== undefined && typeof key === 'number' && at.at(-2) === 'pages') all.push({ page, at, groups })
      if (isList(node)) for (const [index, entry] of node.entries()) look(entry, [...at, index], groups)
      if (!isObject(node)) return
      const title = node['group']
      const within = typeof title === 'string' ? [...groups, title] : groups
      for (const [name, value] of Object.entries(node)) look(value, [...at, name], within)
    }
    look(this.#at(['navigation']), ['navigation'], [])
    return all
  }

  #at(path: JSONPath): Json | undefined {
    let node = parse(this.#text, [], { allowTrailingComma: true }) as Json | undefined
    for (const step of path) {
      if (isList(node) && typeof step === 'number') node = node[step]
      else if (isObject(node) && typeof step === 'string') node = node[step]
      else return undefined
    }
    return node
  }

  #listAt(path: JSONPath): readonly Json[] {
    const list = this.#at(path)
    return isList(list) ? list : []
  }

  #set(path: JSONPath, value: unknown): void {
    this.#edit(path, value, false)
  }

  #insert(path: JSONPath, value: unknown): void {
    this.#edit(path, value, true)
  }

  #edit(path: JSONPath, value: unknown, isArrayInsertion: boolean): void {
    const edits = modify(this.#text, path, value, { isArrayInsertion, formattingOptions: this.#formatting })
    this.#text = applyEdits(this.#text, edits)
  }
}

/** `/guides/install.mdx` and `guides/install` name the same page. */
function pageOf(entry: Json | undefined): string | undefined {
  return typeof entry === 'string' ? entry.replace(/^\/+/, '').replace(/\.mdx?$/, '') : undefined
}

/** Where `item` belongs among `entries`: after the last of those before it in `order`, else before the first of the others of ours. */
function indexAfter(entries: readonly (Json | undefined)[], order: readonly string[], item: string): number {
  const at = order.indexOf(item)
  const rank = (entry: Json | undefined): number => (typeof entry === 'string' ? order.indexOf(entry) : -1)
  const before = entries.findLastIndex((entry) => rank(entry) !== -1 && rank(entry) < at)
  if (before !== -1) return before + 1
  const after = entries.findIndex((entry) => rank(entry) > at)
  return after === -1 ? entries.length : after
}

function unusable(reason: string): Failure {
  return new Failure('invalid_content', `docs.json in the output folder cannot be kept up to date: ${reason}.`, {
    hint: 'Mend it, or move it away to have a new one made.',
  })
}
