import type { FileRoute, Route, Sha256 } from '../../contract/release.ts'
import { parseOwnJson } from '../../lib/own-json.ts'
import { inSlices, sorted, type Steps } from '../../lib/slices.ts'
import { rootPath, type PartText } from '../search/format.ts'
import { lengthStep, wordsOfPart } from '../search/parts.ts'
import type { BlobSink } from './blobs.ts'
import {
  changeRoutes,
  filesOf,
  jsonType,
  readIndex,
  rootOf,
  type IndexedPart,
  type IndexedSite,
  type ScopeIndex,
  type SearchIndex,
} from './search-index.ts'
import { changesOf, partsInPlace, wantedParts, type Changes, type WantedPart } from './search-parts.ts'
import { changeFiles, isOvergrown, WordFiles, type Changed } from './word-files.ts'

interface SearchInput extends IndexedSite {
  /** Source paths of the pages whose record is another one than in the build before; undefined where it is not known. */
  readonly changed: readonly string[] | undefined
  /** The index of the build before. */
  readonly before: SearchIndex | undefined
  /** Where that is not known: the routes of the release before. */
  readonly earlierRoutes: Readonly<Record<string, Route>> | null
  readonly sink: BlobSink
  readonly signal: AbortSignal | undefined
}

/** Of so many parts, when as many of them have changed, an index is made anew. */
const changedShare = 0.25
const fewChanged = 40

/** Makes the search index of a site. Where little has changed, only the files with the words that did are written. */
export async function makeSearchIndex(input: SearchInput): Promise<SearchIndex> {
  const { plan, records, site, sink, signal, earlierRoutes } = input
  const { scopes, tabs } = site.searched
  const shape = JSON.stringify([scopes, tabs])
  const known =
    input.before ?? (earlierRoutes === null ? undefined : await readIndex(earlierRoutes, { shape, sink, signal }))
  const before = known?.shape === shape && isThere(known, sink) ? known : undefined
  const swaps = before === undefined ? undefined : partsInPlace(before, input, input.changed)
  const named = new Map<string, { scope: number; number: number }>()
  const wanted = swaps === undefined ? await inSlices(wantedParts(input, named), signal) : []
  const numbers = swaps === undefined ? named : (before?.made?.numbers ?? named)
  const made: ScopeIndex[] = []
  const routes = new Map(before?.routes)
  for (const scope of scopes.keys()) {
    const then = before?.scopes[scope]
    const build = new ScopeBuild(input)
    const index =
      then !== undefined && swaps !== undefined
        ? await build.change(then, swaps[scope] ?? { gone: [], come: [] })
        : await build.make(then, wanted[scope] ?? new Map())
    made.push(index)
    const listed = before?.made === undefined ? undefined : then
    if (index === listed) continue
    const numbered = swaps?.[scope]?.come.map(({ number }) => number)
    await inSlices(changeRoutes(routes, listed, { after: index, numbered }), signal)
    const root = await inSlices(rootOf(index, { scopes, tabs: tabs[scope] ?? [] }), signal)
    routes.set(rootPath(scope), { kind: 'file', ...(await inSlices(sink.addSteps(root), signal)), type: jsonType })
    await sink.flushIfFull()
  }
  return { shape, scopes: made, routes, made: { plan, records, site, numbers } }
}

function isThere({ scopes }: SearchIndex, sink: BlobSink): boolean {
  return scopes.every((scope) => filesOf(scope).every(({ blob }) => sink.has(blob)))
}

/** Makes the index of one scope. */
class ScopeBuild {
  readonly #input: SearchInput

  constructor(input: SearchInput) {
    this.#input = input
  }

  /** Makes it of all parts, with what can be taken over of the one before. */
  async make(before: ScopeIndex | undefined, wanted: ReadonlyMap<number, WantedPart>): Promise<ScopeIndex> {
    if (before === undefined) return this.#anew([...wanted.values()])
    const changes = await this.#do(changesOf(before, wanted))
    const most = Math.max(fewChanged, wanted.size * changedShare)
    const made = changes.gone.length + changes.come.length > most ? undefined : await this.#changed(before, changes)
    return made ?? this.#anew([...wanted.values()])
  }

  /** Makes it of the one before and what has changed. */
  async change(before: ScopeIndex, changes: Changes): Promise<ScopeIndex> {
    const made = await this.#changed(before, changes)
    if (made !== undefined) return made
    const wanted = new Map<number, WantedPart>()
    for (const { number, tab, blob, route } of before.parts.values())
      wanted.set(number, { number, tab, blob, size: route.size })
    for (const part of changes.come) wanted.set(part.number, part)
    return this.#anew([...wanted.values()])
  }

  #do<T>(steps: Steps<T>): Promise<T> {
    return inSlices(steps, this.#input.signal)
  }

  /** Undefined where the index must be made anew. */
  async #changed(before: ScopeIndex, { gone, come }: Changes): Promise<ScopeIndex | undefined> {
    const { sink } = this.#input
    if (gone.length + come.length === 0) return before
    if (!gone.every(({ blob }) => sink.has(blob))) return undefined
    const parts = new Map(before.parts)
    const changes: Changed[] = []
    const again = new Set(come.map(({ number }) => number))
    for (const { number, blob } of gone) {
      if (!again.has(number)) parts.delete(number)
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

  async #anew(wanted: readonly WantedPart[]): Promise<ScopeIndex> {
    const { sink, signal } = this.#input
    const files = new WordFiles()
    const parts = new Map<number, IndexedPart>()
    for (const part of await this.#do(sorted(wanted, (one, other) => one.number - other.number))) {
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

function indexed({ number, tab, blob, size }: WantedPart, words: number): IndexedPart {
  const route: FileRoute = { kind: 'file', blob, size, type: jsonType }
  return { number, tab, length: lengthStep(words), blob, route }
}
