import type { FileRoute, Route, Sha256 } from '../../contract/release.ts'
import { parseOwnJson } from '../../lib/json-reader.ts'
import { inSlices, sorted, type Steps } from '../../lib/slices.ts'
import {
  decodeParts,
  encodeParts,
  partPath,
  rootPath,
  wordsPath,
  type IndexRoot,
  type PartEntry,
  type PartText,
} from '../search/format.ts'
import { lengthStep, wordsOfPart } from '../search/parts.ts'
import type { BlobSink } from './blobs.ts'
import type { ComposedSite } from './compose.ts'
import type { Plan } from './plan.ts'
import type { PageRecords } from './records.ts'
import { changeFiles, isOvergrown, WordFiles, type Changed, type StoredFiles } from './word-files.ts'

/** A part of a page in an index. */
interface IndexedPart extends PartEntry {
  readonly blob: Sha256
  readonly route: FileRoute
}

/** The index of one scope. */
interface ScopeIndex {
  readonly parts: ReadonlyMap<number, IndexedPart>
  readonly files: StoredFiles
}

/** The search index of a site, and what the next one is made of. */
export interface SearchIndex {
  /** `Scope`s and tabs, as JSON: with others, nothing of it can be taken over. */
  readonly shape: string
  readonly scopes: readonly ScopeIndex[]
  /** All its files, by URL path. */
  readonly routes: ReadonlyMap<string, FileRoute>
}

interface SearchInput {
  readonly plan: Plan
  readonly records: PageRecords
  readonly site: ComposedSite
  /** The index of the build before. */
  readonly before: SearchIndex | undefined
  /** Where that is not known: the routes of the release before. */
  readonly earlierRoutes: Readonly<Record<string, Route>> | null
  readonly sink: BlobSink
  readonly signal: AbortSignal | undefined
}

/** Parts of a site: what comes after is not found. */
const maxParts = 40_000
/** Of so many parts, when as many of them have changed, an index is made anew. */
const changedShare = 0.25
const fewChanged = 40
const jsonType = 'application/json; charset=utf-8'

/** Makes the search index of a site. Where little has changed, only the files with the words that did are written. */
export async function makeSearchIndex(input: SearchInput): Promise<SearchIndex> {
  const { site, sink, signal, earlierRoutes } = input
  const { scopes, tabs } = site.searched
  const shape = JSON.stringify([scopes, tabs])
  const wanted = await inSlices(wantedParts(input), signal)
  const known =
    input.before ?? (earlierRoutes === null ? undefined : await readIndex(earlierRoutes, { shape, sink, signal }))
  const before = known?.shape === shape && isThere(known, sink) ? known : undefined
  const made: ScopeIndex[] = []
  const routes = new Map<string, FileRoute>()
  for (const [scope, parts] of wanted.entries()) {
    const index = await new ScopeBuild(input, parts).make(before?.scopes[scope])
    made.push(index)
    for (const file of index.files.words.values()) routes.set(wordsPath(nameOf(file)), file)
    if (index.files.titles !== undefined) routes.set(wordsPath(nameOf(index.files.titles)), index.files.titles)
    await inSlices(addParts(routes, index.parts.values()), signal)
    const root = await inSlices(rootOf(index, { scopes, tabs: tabs[scope] ?? [] }), signal)
    routes.set(rootPath(scope), { kind: 'file', ...(await inSlices(sink.addSteps(root), signal)), type: jsonType })
    await sink.flushIfFull()
  }
  return { shape, scopes: made, routes }
}

/** What a file of words is called: by what is in it. */
function nameOf({ blob }: FileRoute): string {
  return blob.slice(0, 20)
}

function isThere({ scopes }: SearchIndex, sink: BlobSink): boolean {
  return scopes.every(({ files: { words, titles } }) =>
    [...words.values(), ...(titles === undefined ? [] : [titles])].every(({ blob }) => sink.has(blob)),
  )
}

function* addParts(routes: Map<string, FileRoute>, parts: Iterable<IndexedPart>): Steps<void> {
  for (const { number, route } of parts) {
    yield
    routes.set(partPath(number), route)
  }
}

/** A part as the index is to have it. */
interface WantedPart {
  readonly number: number
  readonly tab: number
  readonly blob: Sha256
  readonly size: number
}

/** The parts of all pages that sitemap and llms.txt name, by scope and number. */
function* wantedParts({ plan, records, site }: SearchInput): Steps<Map<number, WantedPart>[]> {
  const { scopes, sections, places } = site.searched
  const urls = new Map<string, string>()
  for (const { path, url } of plan.pages) {
    yield
    urls.set(path, url)
  }
  const found: { readonly key: string; readonly scope: number; readonly part: Omit<WantedPart, 'number'> }[] = []
  for (const path of site.listed) {
    yield
    const url = urls.get(path) ?? ''
    const place = sections[places.get(url) ?? 0] ?? { scope: 0, tab: 31 }
    for (const [key, blob, size] of records[path]?.parts?.texts ?? []) {
      if (found.length < maxParts)
        found.push({ key: `${url}#${key}`, scope: place.scope, part: { tab: place.tab, blob, size } })
    }
  }
  const inOrder = yield* sorted(found, (one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  const wanted = scopes.map(() => new Map<number, WantedPart>())
  const mask = (1 << bitsOf(found.length)) - 1
  const taken = new Set<number>()
  for (const { key, scope, part } of inOrder) {
    yield
    let number = hashOf(key) & mask
    while (taken.has(number)) number = (number + 1) & mask
    taken.add(number)
    wanted[scope]?.set(number, { number, ...part })
  }
  return wanted
}

/** Numbers are spread over sixteen times as many as there are, so that few take the place of another. */
function bitsOf(parts: number): number {
  return Math.max(10, Math.ceil(Math.log2(parts + 1)) + 4)
}

/** FNV-1a over UTF-16 code units. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

function* rootOf({ parts, files }: ScopeIndex, { scopes, tabs }: Pick<IndexRoot, 'scopes' | 'tabs'>): Steps<Buffer> {
  const inOrder = yield* sorted([...parts.values()], (one, other) => one.number - other.number)
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
async function readIndex(
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

/** Makes the index of one scope. */
class ScopeBuild {
  readonly #input: SearchInput
  readonly #wanted: ReadonlyMap<number, WantedPart>

  constructor(input: SearchInput, wanted: ReadonlyMap<number, WantedPart>) {
    this.#input = input
    this.#wanted = wanted
  }

  async make(before: ScopeIndex | undefined): Promise<ScopeIndex> {
    const changed = before === undefined ? undefined : await this.#do(this.#changes(before))
    const most = Math.max(fewChanged, this.#wanted.size * changedShare)
    if (before === undefined || changed === undefined || changed.gone.length + changed.come.length > most)
      return this.#anew()
    if (changed.gone.length + changed.come.length === 0) return before
    return (await this.#changed(before, changed)) ?? this.#anew()
  }

  #do<T>(steps: Steps<T>): Promise<T> {
    return inSlices(steps, this.#input.signal)
  }

  *#changes({ parts }: ScopeIndex): Steps<{ readonly gone: IndexedPart[]; readonly come: WantedPart[] }> {
    const gone: IndexedPart[] = []
    const come: WantedPart[] = []
    for (const part of parts.values()) {
      yield
      if (!isSame(part, this.#wanted.get(part.number))) gone.push(part)
    }
    for (const part of this.#wanted.values()) {
      yield
      if (!isSame(part, parts.get(part.number))) come.push(part)
    }
    return { gone, come }
  }

  /** Undefined where the index must be made anew. */
  async #changed(
    before: ScopeIndex,
    { gone, come }: { readonly gone: readonly IndexedPart[]; readonly come: readonly WantedPart[] },
  ): Promise<ScopeIndex | undefined> {
    const { sink } = this.#input
    if (!gone.every(({ blob }) => sink.has(blob))) return undefined
    const parts = new Map(before.parts)
    const changes: Changed[] = []
    for (const { number, blob } of gone) {
      parts.delete(number)
      changes.push({ number, before: await this.#words(blob) })
    }
    for (const part of come) {
      const words = await this.#words(part.blob)
      parts.set(part.number, indexed(part, words.length))
      changes.push({ number: part.number, after: words })
    }
    const files = await changeFiles(before.files, changes, this.#input)
    return isOvergrown(files, parts.size) ? undefined : { parts, files }
  }

  async #anew(): Promise<ScopeIndex> {
    const { sink, signal } = this.#input
    const files = new WordFiles()
    const parts = new Map<number, IndexedPart>()
    for (const part of await this.#do(sorted([...this.#wanted.values()], (one, other) => one.number - other.number))) {
      const words = await this.#words(part.blob)
      parts.set(part.number, indexed(part, words.length))
      await this.#do(files.add(part.number, words))
    }
    return { parts, files: await files.write(parts.size, { sink, signal }) }
  }

  async #words(blob: Sha256): Promise<ReturnType<typeof wordsOfPart>> {
    const bytes = await this.#input.sink.read(blob)
    return this.#do(wordsIn(bytes))
  }
}

function* wordsIn(bytes: Buffer): Steps<ReturnType<typeof wordsOfPart>> {
  const text = (yield* parseOwnJson(bytes)) as PartText
  const words = wordsOfPart(text)
  yield 'large'
  return words
}

function isSame(one: Pick<WantedPart, 'blob' | 'tab'>, other: Pick<WantedPart, 'blob' | 'tab'> | undefined): boolean {
  return other !== undefined && one.blob === other.blob && one.tab === other.tab
}

function indexed({ number, tab, blob, size }: WantedPart, words: number): IndexedPart {
  const route: FileRoute = { kind: 'file', blob, size, type: jsonType }
  return { number, tab, length: lengthStep(words), blob, route }
}
