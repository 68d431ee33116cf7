import { isArray, isObject, pointerTo, show, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { limits } from '../../contract/limits.ts'
import type { Steps } from '../../lib/slices.ts'
import type { DescriptionIndex, Entry } from '../api/form.ts'
import { fieldOfKind, operationName, otherName } from '../api/names.ts'
import type { Frozen } from '../page.ts'
import { defaultDirectory, type DescriptionSource, sourcesOf } from './descriptions.ts'
import { navigationLists } from './navigation-keys.ts'
import { withoutEnding } from './pages.ts'
import type { Problems } from './problems.ts'

/** What is known of the descriptions, by what docs.json calls them; undefined for one that cannot be used. */
export type Descriptions = ReadonlyMap<string, Frozen<DescriptionIndex>>

/** A page that nobody wrote: its path in the project, and a source that a page of its author could have. */
export interface GeneratedPage {
  readonly path: string
  readonly text: string
  /** The description, as docs.json calls it, and the entry of it. */
  readonly source: string
  readonly name: string
}

/** Pages that may be made, and UTF-16 units of their sources. */
export interface Room {
  readonly pages: number
  readonly text: number
}

/** For all pages of a site: docs.json may ask for the same ones below many folders. */
export const wholeRoom: Room = { pages: limits.files, text: 64 * 1024 * 1024 }
/** What authors call the first page of a folder. */
const firstPages: ReadonlySet<string> = new Set(['index', 'introduction', 'overview', 'readme', 'README'])
interface OperationOptions {
  readonly descriptions: Descriptions
  readonly isTaken: (path: string) => boolean
  readonly problems: Problems
  readonly room?: Room
}

/**
 * The navigation with a page for each operation that it asks for, and these pages. Where a node names a description and
 * nothing else, it gets all of it, by tags.
 */
export function* withOperations(
  document: JsonObject,
  { descriptions, isTaken, problems, room = wholeRoom }: OperationOptions,
): Steps<{ readonly navigation: Json | undefined; readonly pages: readonly GeneratedPage[] }> {
  const api = isObject(document['api']) ? document['api'] : {}
  const inherited = [...sourcesOf(api['openapi']), ...sourcesOf(api['asyncapi'])]
  const writer = new OperationPages({ descriptions, isTaken, problems, room })
  const navigation = yield* writer.node(document['navigation'], { pointer: '/navigation', inherited })
  return { navigation, pages: writer.pages }
}

interface At {
  readonly pointer: string
  /** Descriptions of the nodes around it, the nearest first. */
  readonly inherited: readonly DescriptionSource[]
}

class OperationPages {
  readonly #descriptions: Descriptions
  readonly #isTaken: (path: string) => boolean
  readonly #problems: Problems
  readonly #room: Room
  /** Paths of pages by folder, description and name of the operation. */
  readonly #made = new Map<string, string>()
  readonly #paths = new Map<string, GeneratedPage>()
  /** Number of the last page with the name of another, by that name. */
  readonly #turns = new Map<string, number>()
  /** Entries by name, of descriptions that were asked for one. */
  readonly #named = new Map<string, ReadonlyMap<string, Frozen<Entry>>>()
  #length = 0
  /** Entries of all groups of a whole description. */
  #listed = 0
  #isFull = false

  constructor({ descriptions, isTaken, problems, room }: Required<OperationOptions>) {
    this.#descriptions = descriptions
    this.#isTaken = isTaken
    this.#problems = problems
    this.#room = room
  }

  get pages(): readonly GeneratedPage[] {
    return [...this.#paths.values()]
  }

  *node(value: Json | undefined, at: At): Steps<Json | undefined> {
    yield
    if (typeof value === 'string') return yield* this.#entry(value, at)
    if (isArray(value)) {
      const items: Json[] = []
      for (const [index, each] of value.entries()) {
        const item = yield* this.node(each, { ...at, pointer: pointerTo(at.pointer, index) })
        if (item !== undefined) items.push(item)
      }
      return items
    }
    if (!isObject(value)) return value
    const own = [...sourcesOf(value['openapi']), ...sourcesOf(value['asyncapi'])]
    const inner: Record<string, Json> = Object.assign(Object.create(null) as Record<string, Json>, value)
    const here = { ...at, inherited: own.length > 0 ? own : at.inherited }
    let isBranch = false
    for (const key of navigationLists) {
      if (value[key] === undefined) continue
      isBranch = true
      const list = yield* this.node(value[key], { ...here, pointer: pointerTo(at.pointer, key) })
      if (list !== undefined) inner[key] = list
    }
    const written = hasFirstPagesOnly(value) ? value['pages'] : []
    if (own.length > 0 && (!isBranch || written.length > 0) && value['href'] === undefined) {
      const groups = yield* this.#all(own, at)
      const [only] = groups
      // A group of one tag, or of none, needs no group within.
      const pages = groups.length === 1 && only !== undefined && isArray(only['pages']) ? only['pages'] : groups
      if (typeof value['group'] === 'string') inner['pages'] = [...written, ...pages]
      else inner['groups'] = groups
    }
    return inner
  }

  /** An entry of a list of pages. */
  *#entry(text: string, { pointer, inherited }: At): Steps<string | undefined> {
    const wanted = operationName(text)
    if (wanted === undefined) return text
    const { source, name } = wanted
    const candidates =
      source === undefined
        ? inherited
        : [inherited.find((each) => each.source === source) ?? { source, directory: defaultDirectory }]
    for (const candidate of candidates) {
      const names = yield* this.#namesOf(candidate.source)
      const entry = names?.get(name) ?? names?.get(otherName(name) ?? '')
      if (entry !== undefined) return this.#page(entry, candidate, pointer)
    }
    const known = candidates.filter((each) => this.#descriptions.has(each.source)).map((each) => each.source)
    // Of a description that cannot be read, its own finding tells.
    if (known.length > 0 || candidates.length === 0)
      this.#problems.warning(
        'api-unknown',
        pointer,
        candidates.length === 0
          ? `${show(text)} is an operation, and no description of an API is named for it; the entry is left out.`
          : `There is no operation ${show(name)} in ${known.join(', ')}; the entry is left out.`,
      )
    return undefined
  }

  *#namesOf(source: string): Steps<ReadonlyMap<string, Frozen<Entry>> | undefined> {
    const known = this.#named.get(source)
    const description = this.#descriptions.get(source)
    if (known !== undefined || description === undefined) return known
    const names = new Map<string, Frozen<Entry>>()
    for (const entry of description.entries) {
      yield
      if (entry.kind !== 'schema' && !names.has(entry.name)) names.set(entry.name, entry)
    }
    this.#named.set(source, names)
    return names
  }

  /** All that descriptions have, in groups by tags. */
  *#all(sources: readonly DescriptionSource[], { pointer }: At): Steps<JsonObject[]> {
    const groups = new Map<string, string[]>()
    for (const source of sources) {
      const description = this.#descriptions.get(source.source)
      if (description === undefined || this.#isFull) continue
      const names = new Map(description.tags.map(([name, label]) => [name, label]))
      for (const [, label] of description.tags) groups.set(label, groups.get(label) ?? [])
      for (const entry of description.entries) {
        yield
        if (entry.kind === 'schema') continue
        const path = this.#page(entry, source, pointer)
        if (path === undefined || !this.#hasRoom(++this.#listed <= limits.configValues, pointer)) break
        const label = entry.tag === undefined ? untagged(entry, description.title) : (names.get(entry.tag) ?? entry.tag)
        const pages = groups.get(label) ?? []
        groups.set(label, pages)
        pages.push(path)
      }
      if (description.entries.every(({ kind }) => kind === 'schema'))
        this.#problems.warning(
          'navigation-empty',
          pointer,
          `${source.source} describes no operation; nothing of it is shown.`,
        )
    }
    return [...groups].filter(([, pages]) => pages.length > 0).map(([group, pages]) => ({ group, pages }))
  }

  /** Path of the page of an entry, without ending; undefined where there are too many. */
  #page(entry: Frozen<Entry>, { source, directory }: DescriptionSource, pointer: string): string | undefined {
    const key = JSON.stringify([directory, source, entry.kind, entry.name])
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const wanted =
      hrefPath(entry.href) ??
      [directory, slug(entry.tag), slug(entry.title) || slug(entry.name) || 'operation']
        .filter((part) => part !== '')
        .join('/')
    const folded = wanted.toLowerCase()
    let path = wanted
    for (let turn = this.#turns.get(folded) ?? 0; this.#paths.has(path.toLowerCase()); this.#turns.set(folded, turn))
      path = `${wanted}-${++turn}`
    // Who has written a page at this place has written it for this operation.
    if (
      !this.#isTaken(path) &&
      !this.#add({ path: `${path}.mdx`, text: sourceOf(entry, source), source, name: entry.name }, pointer)
    )
      return undefined
    this.#made.set(key, path)
    return path
  }

  #add(page: GeneratedPage, pointer: string): boolean {
    this.#length += page.text.length
    if (!this.#hasRoom(this.#paths.size < this.#room.pages && this.#length <= this.#room.text, pointer)) return false
    this.#paths.set(withoutEnding(page.path).toLowerCase(), page)
    return true
  }

  #hasRoom(isRoom: boolean, pointer: string): boolean {
    if (!isRoom && !this.#isFull) {
      this.#isFull = true
      const { pages, text } = wholeRoom
      const most = `${pages} pages of operations, ${text >> 20} MB of them or ${limits.configValues} links to them`
      this.#problems.warning('api-description', pointer, `Navigation asks for more than ${most}: others are left out.`)
    }
    return isRoom
  }
}

/**
 * Whether a group has pages to begin with, and none of operations: it says where those are to be made, so they come after
 * them. Pages in that folder are the author's own of them.
 */
function hasFirstPagesOnly(value: JsonObject): value is JsonObject & { readonly pages: readonly Json[] } {
  const { openapi, pages } = value
  if (typeof value['group'] !== 'string' || !isObject(openapi) || typeof openapi['directory'] !== 'string') return false
  if (!isArray(pages) || navigationLists.some((key) => key !== 'pages' && value[key] !== undefined)) return false
  const directory = sourcesOf(openapi)[0]?.directory ?? ''
  return pages.every((page) => {
    if (typeof page !== 'string' || operationName(page) !== undefined) return false
    const path = withoutEnding(page.replace(/^\/+/, ''))
    return !path.startsWith(`${directory}/`) || firstPages.has(path.slice(directory.length + 1))
  })
}

function untagged({ kind }: Frozen<Entry>, title: string): string {
  return kind === 'webhook' ? 'Webhooks' : title === '' ? 'API Reference' : title
}

/** Where its author wants a page. */
function hrefPath(href: string | undefined): string | undefined {
  const path = href?.replaceAll(/^\/+|\/+$|[?#].*$/g, '') ?? ''
  return path === '' || path.split('/').includes('..') || /[\\\p{Cc}:]/u.test(path) ? undefined : path
}

/** `List all users` → `list-all-users`. */
function slug(text: string | undefined): string {
  return (text ?? '')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80)
}

/** A page as its author would have written it. Texts in JSON are texts in YAML. */
function sourceOf({ kind, name, title, deprecated, hidden, metadata, content }: Frozen<Entry>, source: string): string {
  const own = metadata === undefined ? {} : (JSON.parse(metadata) as Record<string, unknown>)
  const fields = {
    title,
    ...(deprecated === true ? { deprecated } : {}),
    ...(hidden === true ? { hidden } : {}),
    ...own,
    [fieldOfKind(kind)]: `${source} ${name}`,
  }
  const lines = Object.entries(fields).map(([key, value]) => `${quoted(key)}: ${quoted(value)}`)
  return `---\n${lines.join('\n')}\n---\n\n${content ?? ''}`
}

/** JSON in which braces of a description are not taken for variables: their values may have quotes. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll('{{', String.raw`{\u007b`)
}
