import { posix } from 'node:path'
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ErrorDetail } from '../../contract/common.ts'
import { keptFolder, type FileRoute } from '../../contract/release.ts'
import { sha256 } from '../../lib/digest.ts'
import { inSlices } from '../../lib/slices.ts'
import { isAddress } from '../api/names.ts'
import { readIndex } from '../api/stored-index.ts'
import type { BuildRequest } from '../builder.ts'
import type { SiteConfig } from '../config/config.ts'
import { apiSettings, namedSources, usualSources } from '../config/descriptions.ts'
import { type Room, withOperations, type GeneratedPage } from '../config/operations.ts'
import { withoutEnding } from '../config/pages.ts'
import type { Frozen, RenderPool } from '../page.ts'
import { apiFiles, noApiFiles, type ApiFiles, type Description } from './api-source.ts'
import type { BlobSink } from './blobs.ts'
import type { RemoteDescriptions } from './remote-descriptions.ts'

const endings = /\.(?:json|ya?ml)$/i
/** What the first line of a kept description says of it. */
const Head = Type.Object({
  /** Of the program that took it apart. */
  builder: Type.String(),
  /** It, and all files that it refers to, with their blob ids; null for one that is not there. */
  files: Type.Array(Type.Tuple([Type.String(), Type.Union([Type.String(), Type.Null()])])),
})
const isHead = Compile(Head)
const rule = 'api-description'

/** The navigation with pages for operations: kept while docs.json and the descriptions are the same. */
export interface Expanded {
  /** As docs.json has it. */
  readonly own: SiteConfig
  readonly known: KnownDescriptions
  /** With the pages that navigation asks for. */
  readonly config: SiteConfig
  /** Those pages. */
  readonly pages: readonly GeneratedPage[]
  /** Paths of pages that would have been made, and that authors have written. */
  readonly taken: ReadonlySet<string>
  /** Those pages, and what pages ask for as `api:…`. */
  readonly added: ApiFiles
  readonly warnings: readonly ErrorDetail[]
}

/** What descriptions of APIs add to a site. */
export interface Described {
  readonly expanded: Expanded
  /** What was looked for, as docs.json and pages call it. */
  readonly tried: ReadonlySet<string>
  /** How many of these may be there. */
  readonly count: number
  readonly routes: ReadonlyMap<string, FileRoute>
  readonly warnings: readonly ErrorDetail[]
}

/** What is kept of a description from one build to the next. */
export interface KnownDescription extends Description, Frozen<Static<typeof Head>> {}

export type KnownDescriptions = ReadonlyMap<string, KnownDescription>

interface DescribeOptions {
  readonly pool: RenderPool
  readonly builder: string
  readonly sink: BlobSink
  /** Of the last build of this process. */
  readonly before: Expanded | undefined
  /** What is at other addresses. */
  readonly remote: RemoteDescriptions
  /** Descriptions that pages name, as they call them. */
  readonly asked: ReadonlySet<string>
  /** Descriptions and pages that there is room for. */
  readonly most: number
  readonly room: Room
  /** Where the files stand, of a tag: of what its descriptions say of themselves nobody is told, as nobody mends them. */
  readonly folder?: string
}

/** Reads the descriptions that a site names, and makes sources of the pages that its navigation asks for. */
export async function describeApis(
  request: BuildRequest,
  config: SiteConfig,
  options: DescribeOptions,
): Promise<Described> {
  return new Reader(request, config, options).read()
}

class Reader {
  readonly #request: BuildRequest
  readonly #config: SiteConfig
  readonly #options: DescribeOptions
  readonly #warnings: ErrorDetail[] = []
  #byName: ReadonlyMap<string, string> | undefined

  constructor(request: BuildRequest, config: SiteConfig, options: DescribeOptions) {
    this.#request = request
    this.#config = config
    this.#options = options
  }

  async read(): Promise<Described> {
    const { source, signal } = this.#request
    const { document } = this.#config
    const named = document === null ? new Set<string>() : await inSlices(namedSources(document), signal)
    const { remote, asked, most, folder } = this.#options
    // What pages mean that name no file.
    const usual = usualSources.filter((path) => source.files.has(path))
    const found = [...asked].filter((name) => isAddress(name) || source.files.has(this.#find(name)))
    const all = new Set([...named, ...usual, ...found])
    const tried = new Set([...all].slice(0, most))
    if (all.size > tried.size)
      this.#warn(
        'docs.json',
        `names ${all.size} descriptions of APIs; those after the first ${tried.size} are left out.`,
      )
    await remote.bring(tried)
    const known = new Map<string, KnownDescription>()
    const byPath = new Map<string, KnownDescription>()
    for (const name of tried) {
      const path = this.#find(name)
      const same = byPath.get(path)
      const description = same ?? (await this.#description(name, path, named.has(name)))
      if (description === undefined) continue
      // Also of one that is as it was: a finding ends when it is mended.
      if (same === undefined && folder === undefined)
        for (const warning of description.index.warnings) this.#warn(path, `${warning}.`)
      known.set(name, description)
      byPath.set(path, description)
    }
    const expanded = await this.#expand(known)
    return {
      expanded,
      tried: new Set([...tried, ...asked]),
      count: tried.size,
      routes: new Map([...byPath].map(([path, description]) => [this.#routeOf(path), routeTo(description)])),
      warnings: [...this.#warnings, ...(folder === undefined ? expanded.warnings : [])],
    }
  }

  /** The file that a name means: its path, or its name without folders and ending. */
  #find(name: string): string {
    const { files } = this.#request.source
    if (files.has(name) || name.includes('/') || endings.test(name)) return name
    this.#byName ??= new Map(
      [...files.keys()]
        .filter((path) => endings.test(path))
        .toReversed()
        .map((path) => [posix.basename(path).replace(endings, ''), path]),
    )
    return this.#byName.get(name) ?? name
  }

  async #expand(known: KnownDescriptions): Promise<Expanded> {
    const { source, signal } = this.#request
    const own = this.#config
    const { before } = this.#options
    const isTaken = (path: string): boolean => source.files.has(`${path}.mdx`) || source.files.has(`${path}.md`)
    if (before?.own === own && isSame(before.known, known) && [...before.taken].every(isTaken))
      if (!before.pages.some(({ path }) => isTaken(withoutEnding(path)))) return before
    const { document } = own
    const settings = JSON.stringify(apiSettings(document))
    const isUsed = known.size > 0 || document?.['api'] !== undefined
    const add = async (pages: readonly GeneratedPage[]): Promise<ApiFiles> =>
      isUsed ? inSlices(apiFiles({ known, pages, settings }), signal) : noApiFiles
    const kept = async () => ({
      own,
      known,
      config: own,
      pages: [],
      taken: new Set<string>(),
      added: await add([]),
      warnings: [],
    })
    if (known.size === 0 || document === null) return kept()
    const problems = own.problems()
    const taken = new Set<string>()
    const descriptions = new Map([...known].map(([path, { index }]) => [path, index]))
    const claim = (path: string): boolean => {
      if (isTaken(path)) taken.add(path)
      return taken.has(path)
    }
    const { navigation, pages } = await inSlices(
      withOperations(document, { descriptions, isTaken: claim, problems, room: this.#options.room }),
      signal,
    )
    if (navigation === undefined) return kept()
    const named = new Set([...own.navigated, ...pages.map(({ path }) => withoutEnding(path))])
    const config = { ...own, navigated: named, document: { ...document, navigation } }
    return { own, known, config, pages, taken, added: await add(pages), warnings: problems.warnings }
  }

  /** @param isNamed by docs.json; of others the pages tell that name them. */
  async #description(name: string, path: string, isNamed: boolean): Promise<KnownDescription | undefined> {
    const { before, builder, sink, remote } = this.#options
    const isCurrent = (known: KnownDescription | undefined): known is KnownDescription =>
      known?.builder === builder &&
      known.files.every(([file, oid]) => this.#oidOf(file) === oid) &&
      sink.has(known.blob)
    const last = before?.known.get(name)
    if (isAddress(path)) await remote.bringReferred(path, namesIn(last))
    if (isCurrent(last)) return last
    if (this.#oidOf(path) === null) {
      if (isNamed && !isAddress(path)) this.#warn(path, 'is not there. Add the file, or correct its path in docs.json.')
      return undefined
    }
    const earlier = last === undefined ? await this.#earlier(path) : undefined
    if (isAddress(path)) await remote.bringReferred(path, namesIn(earlier))
    const description = isCurrent(earlier) ? earlier : await this.#describe(path)
    if (description !== undefined || !isAddress(path) || !remote.putBack(path)) return description
    return this.#description(name, path, isNamed)
  }

  /** Null for what is not there. */
  #oidOf(file: string): string | null {
    const { source } = this.#request
    return (isAddress(file) ? this.#options.remote.oid(file) : source.files.get(file)) ?? null
  }

  #read(file: string, oid: string): Promise<Buffer> {
    return isAddress(file) ? this.#options.remote.read(file) : this.#request.source.read(oid)
  }

  /** What the release before knew of it. */
  async #earlier(path: string): Promise<KnownDescription | undefined> {
    const route = this.#request.earlierRoutes?.[this.#routeOf(path)]
    if (route?.kind !== 'file') return undefined
    const bytes = await this.#options.sink.read(route.blob)
    const end = bytes.indexOf('\n') + 1
    const head: unknown = JSON.parse(bytes.toString('utf8', 0, end))
    if (!isHead.Check(head) || head.builder !== this.#options.builder) return undefined
    const read = await inSlices(readIndex(bytes, end), this.#request.signal)
    if (read === undefined) return undefined
    return { ...head, index: read.index, start: read.end, blob: route.blob, size: route.size }
  }

  async #describe(path: string): Promise<KnownDescription | undefined> {
    const { builder, sink, remote } = this.#options
    const { signal } = this.#request
    let { outcome, files } = await this.#takeApart(path)
    // No child waits for another host: what was missing is brought, and all is taken apart once more.
    while (isAddress(path) && (await remote.bringReferred(path, files.keys())))
      ({ outcome, files } = await this.#takeApart(path))
    if (!outcome.ok) {
      // Nobody opens an address as a file of the project; the message names it.
      if (isAddress(path)) for (const { message } of outcome.errors) this.#warnings.push({ rule, message })
      else this.#warnings.push(...outcome.errors)
      return undefined
    }
    const head = { builder, files: [...files] }
    const line = `${JSON.stringify(head)}\n`
    const bytes = Buffer.from(line + outcome.index + outcome.text)
    const read = await inSlices(readIndex(bytes, Buffer.byteLength(line)), signal)
    if (read === undefined) {
      this.#warn(path, 'made the renderer answer nonsense.')
      return undefined
    }
    const { blob, size } = await inSlices(sink.addReadable(bytes), signal)
    return { ...head, index: read.index, start: read.end, blob, size }
  }

  async #takeApart(path: string) {
    const { pool } = this.#options
    const { project, signal } = this.#request
    const files = new Map<string, string | null>()
    const load = async (file: string) => {
      const oid = this.#oidOf(file)
      files.set(file, oid)
      return oid === null ? null : { oid, source: await this.#read(file, oid) }
    }
    const session = pool.open(project, load, signal)
    try {
      const oid = this.#oidOf(path) ?? ''
      files.set(path, oid)
      const outcome = await session.describe({ path, oid, source: await this.#read(path, oid) })
      return { outcome, files }
    } finally {
      session.close()
    }
  }

  /** Where what was found out of a description is kept with a release, for the next build of any process. */
  #routeOf(path: string): string {
    const { folder } = this.#options
    const place = folder === undefined || isAddress(path) ? path : `${folder}/${path}`
    return `${keptFolder}${sha256(place).slice(0, 16)}.json`
  }

  #warn(path: string, message: string): void {
    const place = isAddress(path) ? {} : { path }
    this.#warnings.push({ ...place, rule, message: `${path}: ${message}` })
  }
}

/** Paths and addresses of the files that it is made of. */
function namesIn(known: KnownDescription | undefined): readonly string[] {
  return known?.files.map(([file]) => file) ?? []
}

function isSame(one: KnownDescriptions, other: KnownDescriptions): boolean {
  return one.size === other.size && [...one].every(([path, known]) => other.get(path) === known)
}

function routeTo({ blob, size }: Description): FileRoute {
  return { kind: 'file', blob, size, type: 'application/json' }
}
