import { findNodeAtLocation, parse, parseTree, type JSONPath, type ParseError } from 'jsonc-parser'
import { Failure } from '../contract/failure.ts'
import { configFile } from './config-files.ts'

/** A list of pages in the navigation of docs.json, or of a file that it includes. */
export interface NavigationPlace {
  /** What leads to it, such as `Guides › Basics`. */
  readonly label: string
  /** That has it. */
  readonly file: string
  /** How many pages of the same folder are there. */
  readonly siblings: number
  /** The page after which the new one would stand, as the navigation names it. */
  readonly after: string | undefined
  /** The file with the page there; all else of it stays to the letter. */
  readonly insert: () => string
}

export interface NavigationPlaces {
  /** Where the page stands already. */
  readonly has: string | undefined
  /** The likeliest first: where the other pages of its folder are. */
  readonly places: readonly NavigationPlace[]
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

interface PageList {
  readonly at: JSONPath
  readonly titles: readonly string[]
  readonly pages: readonly string[]
  /** With groups among them. */
  readonly length: number
  /** Index of each of the pages among all entries. */
  readonly indexes: readonly number[]
}

/** What names an entry of navigation. */
const names = ['group', 'tab', 'version', 'language', 'product', 'dropdown', 'anchor', 'item']

/**
 * Where a page could stand. @param text of docs.json, or of a file that it includes. @throws Failure invalid_content where
 * that cannot be read
 */
export function navigationPlaces(text: string, page: string, file: string = configFile): NavigationPlaces {
  const errors: ParseError[] = []
  const root = parse(text, errors, { allowTrailingComma: true }) as Json | undefined
  if (errors.length > 0 || root === undefined || (file === configFile && !isObject(root))) {
    throw new Failure('invalid_content', `${file} is not in order, so that nothing can be added to it.`, {
      hint: 'Open it: F8 goes to what is wrong.',
    })
  }
  const lists: PageList[] = []
  if (file === configFile)
    collect(isObject(root) ? root['navigation'] : undefined, { at: ['navigation'], titles: [] }, lists)
  else collectIncluded(root, lists)
  const name = pageName(page)
  const known = lists.find(({ pages }) => pages.includes(name))
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const isSibling = (other: string): boolean => other.slice(0, other.lastIndexOf('/') + 1) === folder
  const siblings = ({ pages }: PageList): number => pages.filter(isSibling).length
  return {
    has: known && labelOf(known, file),
    places: lists
      .toSorted((a, b) => siblings(b) - siblings(a))
      .map((list) => {
        const last = list.pages.findLastIndex(isSibling)
        const index = last < 0 ? list.length : (list.indexes[last] ?? 0) + 1
        const after = last < 0 ? list.pages.at(-1) : list.pages[last]
        const insert = (): string => inserted(text, { at: list.at, index, page: name })
        return { label: labelOf(list, file), file, siblings: siblings(list), after, insert }
      }),
  }
}

function collect(
  node: Json | undefined,
  { at, titles }: { readonly at: JSONPath; readonly titles: readonly string[] },
  lists: PageList[],
): void {
  if (isList(node)) return node.forEach((entry, index) => collect(entry, { at: [...at, index], titles }, lists))
  if (!isObject(node)) return
  const title = names.map((name) => node[name]).find((value) => typeof value === 'string')
  const within = typeof title === 'string' ? [...titles, title] : titles
  for (const [key, value] of Object.entries(node)) {
    const place = { at: [...at, key], titles: within }
    if (key === 'pages' && isList(value)) lists.push(pageList(value, place))
    collect(value, place, lists)
  }
}

/** What is included may be a part of the navigation, or a list of pages alone. */
function collectIncluded(root: Json, lists: PageList[]): void {
  const place = { at: [], titles: [] }
  if (isList(root) && root.some((entry) => typeof entry === 'string')) lists.push(pageList(root, place))
  collect(root, place, lists)
}

function pageList(entries: readonly Json[], place: Pick<PageList, 'at' | 'titles'>): PageList {
  const named = entries.flatMap((entry, index) =>
    typeof entry === 'string' ? [[pageName(entry), index] as const] : [],
  )
  return {
    ...place,
    pages: named.map(([page]) => page),
    indexes: named.map(([, index]) => index),
    length: entries.length,
  }
}

/** Behind the entry before it, and spaced as that is: what formats JSON would write the lines around it anew. */
function inserted(text: string, { at, index, page }: { at: JSONPath; index: number; page: string }): string {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const list = tree && findNodeAtLocation(tree, at)
  if (list === undefined) return text
  const before = list.children?.[index - 1]
  const word = JSON.stringify(page)
  if (before === undefined) return `${text.slice(0, list.offset + 1)}${word}${text.slice(list.offset + 1)}`
  const space = /\s*$/.exec(text.slice(0, before.offset))?.[0] ?? ''
  // The first one may stand behind its bracket, where others have a space.
  const between = space === '' ? ' ' : space
  const end = before.offset + before.length
  return `${text.slice(0, end)},${between}${word}${text.slice(end)}`
}

function labelOf({ titles }: PageList, file: string): string {
  const label = titles.length === 0 ? 'the first level' : titles.join(' › ')
  return file === configFile ? label : `${label}, in ${file}`
}

/** As docs.json names pages: without the slash before it, and without its ending. */
function pageName(path: string): string {
  return path.replace(/^\/+/, '').replace(/\.mdx?$/i, '')
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
