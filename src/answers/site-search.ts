import { LRUCache } from 'lru-cache'
import { Failure } from '../contract/failure.ts'
import type { FileRoute, Route, Sha256 } from '../contract/release.ts'
import type { Hosting, ProjectReleases } from '../hosting/hosting.ts'
import { FairLimit } from '../lib/fair-limit.ts'
import { parseOwnJson } from '../lib/own-json.ts'
import { forOwner, inSlices, isTurnOver, nextTurn } from '../lib/slices.ts'
import { SearchIndex, type Hit } from '../site/search/engine.ts'
import type { IndexFiles } from '../site/search/files.ts'
import {
  partPath,
  readWords,
  rootPath,
  searchFolder,
  searchPath,
  wordsPath,
  type IndexRoot,
  type PartText,
  type Scope,
} from '../site/search/format.ts'

export interface SiteSearchOptions {
  readonly hosting: Pick<Hosting, 'open'>
  readonly ownerOf: (projectId: string) => string
}

/** A release of a site, live or a preview’s. */
export interface SearchedRelease {
  readonly project: string
  readonly release: string
}

/** Where is searched, and how much is wanted. */
export interface SearchChoice {
  /** Labels of the site’s switches; absent: the first version, and the first language. */
  readonly version?: string | undefined
  readonly language?: string | undefined
  readonly tab?: string | undefined
  /** Pages, 1 to 20; 8 where it is absent. */
  readonly limit?: number | undefined
}

/** Bytes of what is parsed of all indexes, about. */
const wordBytes = 24 << 20
const partBytes = 8 << 20
const releaseBytes = 16 << 20
const indexBytes = 16 << 20
/** Queries that are looked up at a time. */
const lookups = { slots: 16, share: 2, reserve: 16, firsts: 32, queue: 16 }
const mostPages = 20

/** The index of a release: which blobs its files are, and what was read of them. */
interface KnownRelease {
  readonly blobs: ReadonlyMap<string, Sha256>
  /** The project has a file of its own where searches are asked. */
  readonly isTaken: boolean
}

/**
 * Searches sites with the index that each release has among its files, as browsers do: what `GET /search.json` and
 * whoever else looks something up for a machine ask.
 */
export class SiteSearch {
  readonly #options: SiteSearchOptions
  readonly #releases: LRUCache<string, KnownRelease, SearchedRelease>
  readonly #indexes: LRUCache<string, SearchIndex, AskedIndex>
  /** By the hash of what was read: releases share most of it. */
  readonly #words = new LRUCache<Sha256, ReadonlyMap<string, string>>({ maxSize: wordBytes })
  readonly #parts = new LRUCache<Sha256, PartText>({ maxSize: partBytes })
  readonly #lookups = new FairLimit(lookups)

  constructor(options: SiteSearchOptions) {
    this.#options = options
    this.#releases = new LRUCache({
      maxSize: releaseBytes,
      sizeCalculation: ({ blobs }) => 1000 + blobs.size * 150,
      ignoreFetchAbort: true,
      fetchMethod: (_key, _before, { context }) => this.#open(context),
    })
    this.#indexes = new LRUCache({
      maxSize: indexBytes,
      sizeCalculation: sizeOf,
      ignoreFetchAbort: true,
      fetchMethod: (_key, _before, { context }) => this.#openIndex(context),
    })
  }

  /**
   * Whether searches of a release are answered at `searchPath`: it has an index, which one that was built before there
   * were any has not, nor one without a page to find, and no file of its own there.
   */
  async answers(searched: SearchedRelease): Promise<boolean> {
    const known = await this.#release(searched)
    return known !== undefined && known.blobs.has(rootPath(0)) && !known.isTaken
  }

  /**
   * The sections of a release that say most about a query, best first, those of one page in a row; of a long query, the
   * beginning is looked at. Failures: `not_found` where the release has no index, or the choice names what it has not;
   * `rate_limited`.
   */
  async search(
    searched: SearchedRelease,
    query: string,
    { version, language, tab, limit = 8 }: SearchChoice,
    signal: AbortSignal,
  ): Promise<readonly Hit[]> {
    const owner = this.#options.ownerOf(searched.project)
    if (this.#lookups.isFull(owner))
      throw new Failure('rate_limited', 'This site is searched by many right now.', { retryAfter: 2 })
    const look = async (): Promise<readonly Hit[]> => {
      const known = await this.#release(searched)
      if (known?.blobs.has(rootPath(0)) !== true)
        throw new Failure('not_found', 'This site has no search index.', { hint: 'It has one with its next deploy.' })
      const first = await this.#index(searched, known, 0)
      const scope = scopeOf(first.root.scopes, { version, language })
      const index = scope === 0 ? first : await this.#index(searched, known, scope)
      if (tab !== undefined && !index.root.tabs.includes(tab)) throw unknown('tab', tab, index.root.tabs)
      return index.search(query, { tab, pages: Math.max(1, Math.min(mostPages, limit)) })
    }
    return this.#lookups.run(owner, () => forOwner(owner, look), signal)
  }

  #release(searched: SearchedRelease): Promise<KnownRelease | undefined> {
    return this.#releases.fetch(`${searched.project}/${searched.release}`, { context: searched })
  }

  async #open({ project, release }: SearchedRelease): Promise<KnownRelease | undefined> {
    const kept = await (await this.#options.hosting.open(project)).read(release)
    if (kept === null) return undefined
    const blobs = await forOwner(this.#options.ownerOf(project), () => inSlices(indexFiles(kept.routes)))
    return { blobs, isTaken: Object.hasOwn(kept.routes, searchPath) }
  }

  #index(searched: SearchedRelease, { blobs }: KnownRelease, scope: number): Promise<SearchIndex> {
    const { project, release } = searched
    return this.#indexes.forceFetch(`${project}/${release}/${scope}`, { context: { project, blobs, scope } })
  }

  #openIndex({ project, blobs, scope }: AskedIndex): Promise<SearchIndex> {
    const open = (): Promise<Pick<ProjectReleases, 'blob'>> => this.#options.hosting.open(project)
    const files = new StoredFiles({ open, blobs, scope, words: this.#words, parts: this.#parts })
    return SearchIndex.open(files, () => (isTurnOver() ? nextTurn() : undefined))
  }
}

/** The index of one version and language of a release. */
interface AskedIndex extends Pick<KnownRelease, 'blobs'> {
  readonly project: string
  readonly scope: number
}

/** Bytes, about: what was read of its parts, of the names of its files, and of all scopes, which each of them names. */
function sizeOf({ root: { parts, words, scopes, tabs } }: SearchIndex): number {
  return 1000 + 40 * parts.length + 150 * Object.keys(words).length + 800 * (scopes.length + tabs.length)
}

function* indexFiles(routes: Readonly<Record<string, Route>>): Generator<void, Map<string, Sha256>, void> {
  const blobs = new Map<string, Sha256>()
  for (const path in routes) {
    yield
    if (path.startsWith(searchFolder)) blobs.set(path, (routes[path] as FileRoute).blob)
  }
  return blobs
}

/** The number of a version and language. Failure `not_found` for one that the site has not. */
function scopeOf(scopes: readonly Scope[], { version, language }: Pick<SearchChoice, 'version' | 'language'>): number {
  const isWanted = (scope: Scope): boolean =>
    (version === undefined || scope.version === version) &&
    (language === undefined || scope.language === language || scope.lang === language)
  const found = scopes.findIndex(isWanted)
  if (found !== -1) return found
  const versions = scopes.flatMap((scope) => scope.version ?? [])
  if (version !== undefined && !versions.includes(version)) throw unknown('version', version, versions)
  throw unknown(
    'language',
    language ?? '',
    scopes.flatMap((scope) => scope.language ?? []),
  )
}

function unknown(what: string, name: string, names: readonly string[]): Failure {
  const known = [...new Set(names)].slice(0, 20)
  return new Failure('not_found', `This site has no ${what} ${JSON.stringify(name.slice(0, 100))}.`, {
    hint: known.length === 0 ? `Leave ${what} out.` : `It has ${known.map((one) => JSON.stringify(one)).join(', ')}.`,
  })
}

interface StoredFilesOptions {
  readonly open: () => Promise<Pick<ProjectReleases, 'blob'>>
  readonly blobs: ReadonlyMap<string, Sha256>
  readonly scope: number
  readonly words: LRUCache<Sha256, ReadonlyMap<string, string>>
  readonly parts: LRUCache<Sha256, PartText>
}

/** Files of an index as the store has them. */
class StoredFiles implements IndexFiles {
  readonly #options: StoredFilesOptions

  constructor(options: StoredFilesOptions) {
    this.#options = options
  }

  async root(): Promise<IndexRoot> {
    return (await inSlices(parseOwnJson(await this.#read(this.#blob(rootPath(this.#options.scope)))))) as IndexRoot
  }

  async words(name: string): Promise<ReadonlyMap<string, string>> {
    const blob = this.#blob(wordsPath(name))
    const known = this.#options.words.get(blob)
    if (known !== undefined) return known
    const text = (await this.#read(blob)).toString()
    const words = readWords(text)
    this.#options.words.set(blob, words, { size: 1 + text.length * 4 })
    return words
  }

  async part(number: number): Promise<PartText> {
    const blob = this.#blob(partPath(number))
    const known = this.#options.parts.get(blob)
    if (known !== undefined) return known
    const bytes = await this.#read(blob)
    const part = JSON.parse(bytes.toString()) as PartText
    this.#options.parts.set(blob, part, { size: 1 + bytes.length * 2 })
    return part
  }

  #blob(path: string): Sha256 {
    const blob = this.#options.blobs.get(path)
    if (blob === undefined) throw new Error(`the search index has no ${path}`)
    return blob
  }

  async #read(blob: Sha256): Promise<Buffer> {
    return (await this.#options.open()).blob(blob)
  }
}
