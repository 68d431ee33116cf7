import type { ErrorDetail } from '../../contract/common.ts'
import type { FileRoute } from '../../contract/release.ts'
import { pointerTo } from '../../lib/json-reader.ts'
import { LayeredMap } from '../../lib/layered-map.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import { isAddress, isPartPath, sourcesOfPart } from '../api/names.ts'
import type { BuildRequest, Source } from '../builder.ts'
import type { SiteConfig } from '../config/config.ts'
import { type GeneratedPage, type Room, wholeRoom } from '../config/operations.ts'
import type { RenderPool } from '../page.ts'
import { ApiReader } from './api-source.ts'
import type { AssetRecords, BlobSink } from './blobs.ts'
import { describeApis, type Described, type Expanded } from './descriptions.ts'
import type { PageRecords } from './records.ts'
import { type DescriptionFetcher, RemoteDescriptions } from './remote-descriptions.ts'
import { type Mount, pathIn } from './tags.ts'

/** Descriptions of one site, each of which is taken apart and kept in memory. */
const mostDescriptions = 200

/** What a page names: descriptions, as it calls them. */
interface Asking {
  /** Of the page. */
  readonly oid: string
  /** Of the version that the page is in, where that comes from a tag; '' for the project itself. */
  readonly folder: string
  readonly sources: readonly string[]
}

/** What a build leaves for the next one. */
export interface KeptApis {
  readonly own: Expanded
  /** Of tags, by the folder of their version. */
  readonly tags: ReadonlyMap<string, Expanded>
  /** By path of the page. */
  readonly asking: ReadonlyMap<string, Asking>
  /** Descriptions that were copied from other addresses. */
  readonly copies: AssetRecords
}

interface SiteApisOptions {
  readonly request: BuildRequest
  readonly pool: RenderPool
  readonly builder: string
  readonly sink: BlobSink
  readonly fetcher: DescriptionFetcher
  readonly before: KeptApis | undefined
  /** Those that `before` is of, or those of earlier releases. */
  readonly records: PageRecords | null
}

/** Where descriptions are looked for. */
interface Place {
  readonly config: SiteConfig
  readonly files: ReadonlyMap<string, string>
  readonly pointer: string
  readonly tag?: string
}

/** Descriptions of APIs in one build: those of the project, and those of the tags that its versions come from. */
export class SiteApis {
  readonly #options: SiteApisOptions
  readonly #remote: RemoteDescriptions
  readonly #places = new Map<string, Place>()
  readonly #described = new Map<string, Described>()
  #asking: ReadonlyMap<string, Asking> = new Map()
  #made: ReadonlyMap<string, GeneratedPage> | undefined

  constructor(options: SiteApisOptions) {
    const { request, sink, fetcher, before } = options
    this.#options = options
    this.#remote = new RemoteDescriptions({ fetcher, request, before: [before?.copies, request.earlierAssets], sink })
  }

  /** Reads what the project itself names. */
  async describe(config: SiteConfig): Promise<Expanded> {
    const { before, records, request } = this.#options
    this.#asking = before?.asking ?? (await inSlices(askingIn(records), request.signal))
    this.#places.set('', { config, files: request.source.files, pointer: '' })
    return (await this.#describe('', before?.own)).expanded
  }

  /** Reads what a tag names. @returns its version with the pages of that: the same object where nothing has changed */
  async describeTag(mount: Mount): Promise<Mount> {
    const { own, folder } = mount
    this.#places.set(folder, { ...own, pointer: pointerTo(mount.pointer, 'gitTag'), tag: mount.tag })
    const { expanded } = await this.#describe(folder, this.#options.before?.tags.get(folder))
    const { config, pages, added } = expanded
    if (config === mount.config) return mount
    const made = pages.map(({ path }) => [path, added.files.get(path) ?? ''] as const)
    return { ...mount, config, files: made.length === 0 ? own.files : new Map([...own.files, ...made]) }
  }

  /**
   * Reads descriptions that only pages name, of which nobody knows before these are rendered. Says whether there are any:
   * their pages are to be rendered once more.
   */
  async describeAsked(records: PageRecords): Promise<boolean> {
    const { records: before, request } = this.#options
    this.#asking = await inSlices(askingIn(records, { before, asking: this.#asking }), request.signal)
    let isMore = false
    for (const [folder, { expanded, tried, warnings }] of this.#described) {
      const asked = this.#asked(folder)
      if (![...asked].some((source) => !tried.has(source))) continue
      isMore = true
      const more = await this.#describe(folder, expanded)
      // The pages that navigation asks for are the same ones.
      const { config } = expanded
      this.#described.set(folder, {
        ...more,
        expanded: { ...more.expanded, config },
        warnings: [...warnings, ...more.warnings],
      })
    }
    return isMore
  }

  /** @param source of the project and its tags @returns with what descriptions add */
  async source(source: Source): Promise<Source> {
    let { files } = source
    for (const [folder, { expanded }] of this.#described) {
      const { added } = expanded
      if (added.files.size === 0) continue
      const placed =
        folder === '' ? added.files : await inSlices(below(folder, added.files), this.#options.request.signal)
      files = new LayeredMap(placed, files)
    }
    const all = [...this.#described.values()].map(({ expanded }) => expanded.added)
    const reader = new ApiReader(this.#options.sink, all)
    return { ...source, files, read: (oid) => reader.read(oid) ?? source.read(oid) }
  }

  /** What was found out of descriptions, to be kept with the release. */
  get routes(): ReadonlyMap<string, FileRoute> {
    return new Map([...this.#described.values()].flatMap(({ routes }) => [...routes]))
  }

  get warnings(): readonly ErrorDetail[] {
    const own = this.#described.get('')?.warnings ?? []
    const problems = this.#places.get('')?.config.problems()
    for (const [folder, { warnings }] of this.#described) {
      const { tag, pointer = '' } = this.#places.get(folder) ?? {}
      if (tag === undefined) continue
      for (const { message } of warnings) problems?.warning('api-description', pointer, `In the tag ${tag}: ${message}`)
    }
    return [...this.#remote.warnings, ...own, ...(problems?.warnings ?? [])]
  }

  /** A finding as it is told: of a page that nobody wrote, by its operation and the file that describes it. */
  placed(found: ErrorDetail): ErrorDetail {
    const { path } = found
    const expanded = this.#described.get('')?.expanded
    if (path === undefined || expanded === undefined || this.#options.request.source.files.has(path)) return found
    this.#made ??= new Map(expanded.pages.map((page) => [page.path, page]))
    const page = this.#made.get(path)
    if (page === undefined) return found
    const { path: _path, line: _line, column: _column, ...rest } = found
    const [file = page.source] = expanded.known.get(page.source)?.files[0] ?? []
    // Nobody opens an address as a file of the project.
    const about = isAddress(file) ? `${page.name} of ${file}` : page.name
    return { ...rest, ...(isAddress(file) ? {} : { path: file }), message: `${about}: ${found.message}` }
  }

  get kept(): KeptApis {
    const tags = new Map([...this.#described].map(([folder, { expanded }]) => [folder, expanded]))
    const own = tags.get('')
    tags.delete('')
    if (own === undefined) throw new Error('descriptions are kept before they are read')
    return { own, tags, asking: this.#asking, copies: this.#remote.copies }
  }

  async #describe(folder: string, before: Expanded | undefined): Promise<Described> {
    const { request, pool, builder, sink } = this.#options
    const place = this.#places.get(folder)
    if (place === undefined) throw new Error('nobody knows where to look')
    // What was there when it was first read: it has the same pages when it is read once more.
    const all = [...this.#described.keys()]
    const earlier = all.includes(folder) ? all.slice(0, all.indexOf(folder)) : all
    const others = earlier.flatMap((each) => this.#described.get(each) ?? [])
    const room = mostDescriptions - others.reduce((sum, { count }) => sum + count, 0)
    const described = await describeApis(
      { ...request, source: { ...request.source, files: place.files } },
      place.config,
      {
        pool,
        builder,
        sink,
        before,
        remote: this.#remote,
        asked: this.#asked(folder),
        most: Math.max(room, this.#described.get(folder)?.count ?? 0),
        room: roomBeside(others.flatMap(({ expanded }) => expanded.pages)),
        ...(folder === '' ? {} : { folder }),
      },
    )
    this.#described.set(folder, described)
    return described
  }

  /** What pages name. One that is no longer there names nothing; of one that is another now, no address is asked. */
  #asked(folder: string): ReadonlySet<string> {
    const files = this.#places.get(folder)?.files
    const asked = new Set<string>()
    for (const [path, { oid, folder: within, sources }] of this.#asking) {
      const now = within === folder ? files?.get(folder === '' ? path : path.slice(folder.length + 1)) : undefined
      if (now === undefined) continue
      for (const source of sources) if (oid === now || !isAddress(source)) asked.add(source)
    }
    return asked
  }
}

/**
 * Descriptions that pages name in their front matter, by what they depended on when they were last rendered.
 * @param known What they asked for when the records were others: of those that are the same objects it is taken over.
 */
function* askingIn(
  records: PageRecords | null,
  known?: { readonly before: PageRecords | null; readonly asking: ReadonlyMap<string, Asking> },
): Steps<Map<string, Asking>> {
  const found = new Map<string, Asking>()
  for (const path in records) {
    yield
    const record = records[path]
    if (record === undefined) continue
    const asking = record === known?.before?.[path] ? known.asking.get(path) : askingOf(record)
    if (asking !== undefined) found.set(path, asking)
  }
  return found
}

function askingOf({ oid, dependencies }: PageRecords[string]): Asking | undefined {
  const sources = new Set<string>()
  let folder = ''
  for (const [dependency] of dependencies) {
    // A page of a tag depends on `v1/api:GET /users`.
    const start = isPartPath(dependency) ? 0 : dependency.indexOf('/') + 1
    const named = isPartPath(dependency.slice(start)) ? sourcesOfPart(dependency.slice(start)) : []
    if (named.length === 0) continue
    folder = dependency.slice(0, Math.max(0, start - 1))
    for (const source of named) sources.add(source)
  }
  return sources.size === 0 ? undefined : { oid, folder, sources: [...sources] }
}

function roomBeside(pages: readonly GeneratedPage[]): Room {
  const text = pages.reduce((sum, page) => sum + page.text.length, 0)
  return { pages: wholeRoom.pages - pages.length, text: wholeRoom.text - text }
}

/** Files of a tag by the paths that they have in the site. */
function* below(folder: string, files: ReadonlyMap<string, string>): Steps<ReadonlyMap<string, string>> {
  const placed = new Map<string, string>()
  for (const [path, oid] of files) {
    yield
    placed.set(pathIn({ folder }, path), oid)
  }
  return placed
}
