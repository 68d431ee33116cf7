import type { FileRoute, Route, Sha256 } from '../../contract/release.ts'
import { parseOwnJson } from '../../lib/own-json.ts'
import { inSlices, sorted, type Steps } from '../../lib/slices.ts'
import {
  decodeParts,
  encodeParts,
  partPath,
  rootPath,
  wordsPath,
  type IndexRoot,
  type PartEntry,
} from '../search/format.ts'
import type { BlobSink } from './blobs.ts'
import type { ComposedSite } from './compose.ts'
import type { Plan } from './plan.ts'
import type { PageRecords } from './records.ts'
import type { StoredFiles } from './word-files.ts'

/** A part of a page in an index. */
export interface IndexedPart extends PartEntry {
  readonly blob: Sha256
  readonly route: FileRoute
}

/** The index of one scope. */
export interface ScopeIndex {
  readonly parts: ReadonlyMap<number, IndexedPart>
  readonly files: StoredFiles
}

/** What an index is made of. */
export interface IndexedSite {
  readonly plan: Plan
  readonly records: PageRecords
  readonly site: ComposedSite
}

/** The search index of a site, and what the next one is made of. */
export interface SearchIndex {
  /** `Scope`s and tabs, as JSON: with others, nothing of it can be taken over. */
  readonly shape: string
  readonly scopes: readonly ScopeIndex[]
  /** All its files, by URL path. */
  readonly routes: ReadonlyMap<string, FileRoute>
  /** What it was made of; absent where it was read from a release. */
  readonly made?: IndexedSite & { readonly numbers: Numbers }
}

/** Which part has which number in which scope, by `keyOfPart`. */
export type Numbers = ReadonlyMap<string, { readonly scope: number; readonly number: number }>

export const jsonType = 'application/json; charset=utf-8'

/** What a file of words is called: by what is in it. */
function nameOf({ blob }: FileRoute): string {
  return blob.slice(0, 20)
}

export function filesOf(index: ScopeIndex | undefined): readonly FileRoute[] {
  if (index === undefined) return []
  const { words, titles } = index.files
  return titles === undefined ? [...words.values()] : [...words.values(), titles]
}

/**
 * Takes the files of an index out of the routes, and puts those of the one after it in.
 *
 * @param numbered the parts that differ, where none has come or gone
 */
export function* changeRoutes(
  routes: Map<string, FileRoute>,
  before: ScopeIndex | undefined,
  { after, numbered }: { readonly after: ScopeIndex; readonly numbered: readonly number[] | undefined },
): Steps<void> {
  for (const file of filesOf(before)) routes.delete(wordsPath(nameOf(file)))
  for (const file of filesOf(after)) routes.set(wordsPath(nameOf(file)), file)
  const isKnown = before !== undefined && numbered !== undefined
  for (const number of isKnown ? [] : (before?.parts.keys() ?? [])) {
    yield
    if (!after.parts.has(number)) routes.delete(partPath(number))
  }
  for (const number of isKnown ? numbered : after.parts.keys()) {
    yield
    const route = after.parts.get(number)?.route
    if (route !== undefined) routes.set(partPath(number), route)
  }
}

export function* rootOf(
  { parts, files }: ScopeIndex,
  { scopes, tabs }: Pick<IndexRoot, 'scopes' | 'tabs'>,
): Steps<Buffer> {
  const all = [...parts.values()]
  const isInOrder = all.every(({ number }, index) => index === 0 || number > (all[index - 1]?.number ?? 0))
  const inOrder = isInOrder ? all : yield* sorted(all, (one, other) => one.number - other.number)
  yield 'large'
  const words: Record<string, string> = {}
  for (const key of [...files.words.keys()].sort()) words[key] = nameOf(files.words.get(key) as FileRoute)
  const root: IndexRoot = {
    format: 1,
    scopes,
    tabs,
    parts: encodeParts(inOrder),
    words,
    ...(files.titles === undefined ? {} : { titles: nameOf(files.titles) }),
  }
  yield 'large'
  return Buffer.from(JSON.stringify(root))
}

/** Reads the index of a release; undefined where it has none of this shape. */
export async function readIndex(
  routes: Readonly<Record<string, Route>>,
  {
    shape,
    sink,
    signal,
  }: { readonly shape: string; readonly sink: BlobSink; readonly signal: AbortSignal | undefined },
): Promise<SearchIndex | undefined> {
  const fileAt = (path: string): FileRoute | undefined => {
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    return route?.kind === 'file' ? route : undefined
  }
  const scopes: ScopeIndex[] = []
  const tabs: (readonly string[])[] = []
  for (let scope = 0, count = 1; scope < count; scope += 1) {
    const route = fileAt(rootPath(scope))
    if (route === undefined || !sink.has(route.blob)) return undefined
    const root = (await inSlices(parseOwnJson(await sink.read(route.blob)), signal)) as IndexRoot
    count = root.scopes.length
    tabs.push(root.tabs)
    if (JSON.stringify(root.scopes) !== JSON.stringify((JSON.parse(shape) as [unknown])[0])) return undefined
    const words = new Map<string, FileRoute>()
    for (const [key, name] of Object.entries(root.words)) {
      const file = fileAt(wordsPath(name))
      if (file === undefined) return undefined
      words.set(key, file)
    }
    const titles = root.titles === undefined ? undefined : fileAt(wordsPath(root.titles))
    const parts = new Map<number, IndexedPart>()
    for (const entry of decodeParts(root.parts)) {
      const file = fileAt(partPath(entry.number))
      if (file !== undefined) parts.set(entry.number, { ...entry, blob: file.blob, route: file })
    }
    scopes.push({ parts, files: { words, titles } })
  }
  return { shape: JSON.stringify([(JSON.parse(shape) as [unknown])[0], tabs]), scopes, routes: new Map() }
}
