import type { FileRoute, Redirect, Sha256 } from '../../contract/release.ts'
import type { BuildRequest, BuildResult, FetchFile, SiteBuilder } from '../builder.ts'
import type { IconLookup } from '../config/values.ts'
import { sha256 } from '../../lib/digest.ts'
import { type KeptApis, SiteApis } from './apis.ts'
import { BlobSink, publishAssets, type AssetRecords } from './blobs.ts'
import type { IslandBundler } from '../islands/bundler.ts'
import type { RenderPool } from '../page.ts'
import type { ThemeAssets } from '../shell.ts'
import type { ErrorDetail } from '../../contract/common.ts'
import { findFramework, frameworkWarning } from '../../contract/frameworks.ts'
import { withHint, withoutOffer } from '../../contract/rules.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import { Findings } from '../config/problems.ts'
import { compareRecords, type Changes, summaryOf, type PageRecords } from './records.ts'
import { basePathOf, composeSite, publicUrl, type ComposedSite, type Composition } from './compose.ts'
import { isCurrent, readConfig, type SiteConfig } from '../config/config.ts'
import { Copies } from './copies.ts'
import { bringFonts, type SiteFonts } from './fonts.ts'
import type { Expanded } from './descriptions.ts'
import { DescriptionFetcher } from './remote-descriptions.ts'
import { pointerWarning } from './lfs.ts'
import { type OrphanReview, orphansOf, reviewOrphans } from './orphans.ts'
import { reviewLinks, type LinkReview } from './links.ts'
import { pageOptions } from './page-options.ts'
import { buildPages, type BuiltPages } from './pages.ts'
import { makePlan, samePlan, type Plan } from './plan.ts'
import { type LiveSite, reviewRenames } from './renames.ts'
import { Memories } from './memories.ts'
import { makeSearchIndex } from './search.ts'
import type { SearchIndex } from './search-index.ts'
import { type Mount, type Mounted, mountTags, pathIn } from './tags.ts'
import { type OwnFiles, ownRoutes, publishOwnFiles } from './own-files.ts'
import { makeRoutes, makeTexts, type Texts } from './routes.ts'

export interface SiteBuilderOptions {
  readonly pool: RenderPool
  /** Closed with the builder. */
  readonly bundler?: IslandBundler
  /** What `loadTheme` gives. */
  readonly theme: {
    readonly assets: ThemeAssets
    readonly files: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly type: string; readonly csp?: string }>
  }
  readonly icon: IconLookup
  /** Reads fonts and descriptions of APIs that a site names by their address; absent: they are left out. */
  readonly fetch?: FetchFile
  /** Bytes that all sites whose last build is remembered take together, about. */
  readonly rememberedBytes?: number
  /** Whose a project is: what is remembered of one owner’s makes room for their others. Absent: each is one’s own. */
  readonly ownerOf?: (project: string) => string
}

/** Changes whenever this code makes something else of a rendered page: its artifact, its Markdown or its summary. */
const format = '5'
/** Sites whose last build is remembered, and their bytes. What is forgotten costs time, nothing else. */
const maxRemembered = 32
const maxRememberedBytes = 256 << 20
/** Bytes that are remembered of a page and of any file: estimates. */
const weights = { page: 8000, file: 400 } as const

/** Builds sites with the children of a pool. The pool is closed with the builder. */
export function createSiteBuilder(options: SiteBuilderOptions): SiteBuilder {
  const resources = prepareResources(options)
  const { rememberedBytes = maxRememberedBytes, ownerOf = (project: string) => project } = options
  const memories = new Memories<BuildMemory>({
    count: maxRemembered,
    bytes: rememberedBytes,
    bytesOf: ({ plan, files }) => plan.pages.length * weights.page + files.size * weights.file,
    ownerOf,
  })
  return {
    close: () => {
      options.bundler?.close()
      return options.pool.close()
    },
    build: async (request: BuildRequest): Promise<BuildResult> => {
      const { project, branch } = request
      const { result, memory } = await new BuildRun(request, resources, memories.get(project, branch)).build()
      if (memory !== undefined && request.trial !== true) memories.set(project, branch, memory)
      return result
    },
  }
}

function prepareResources({ pool, bundler, theme, icon, fetch }: SiteBuilderOptions): BuilderResources {
  const routes = new Map<string, FileRoute>()
  const blobs = new Map<Sha256, Uint8Array>()
  for (const [url, { bytes, type, csp }] of theme.files) {
    const blob = sha256(bytes)
    const policy = csp === undefined ? {} : { csp }
    routes.set(url, { kind: 'file', blob, size: bytes.length, type, ...policy, immutable: true })
    blobs.set(blob, bytes)
  }
  const builder = sha256(JSON.stringify([format, pool.fingerprint ?? '', bundler?.version ?? ''])).slice(0, 16)
  return {
    pool,
    bundler,
    icon,
    fetch,
    descriptions: new DescriptionFetcher(fetch),
    builder,
    theme: { assets: theme.assets, routes, blobs },
  }
}

/** What every build of this process uses. */
export interface BuilderResources {
  readonly pool: RenderPool
  readonly bundler: IslandBundler | undefined
  readonly icon: IconLookup
  readonly fetch: FetchFile | undefined
  readonly descriptions: DescriptionFetcher
  /** Fingerprint that page records carry. */
  readonly builder: string
  readonly theme: {
    readonly assets: ThemeAssets
    readonly routes: ReadonlyMap<string, FileRoute>
    readonly blobs: ReadonlyMap<Sha256, Uint8Array>
  }
}

/** What a build leaves for the next one of its project: each part holds while its inputs are the same. */
export interface BuildMemory {
  /** `url` and `title` of the request. */
  readonly identity: string
  /** Of the project itself. */
  readonly files: ReadonlyMap<string, string>
  readonly config: SiteConfig
  readonly apis: KeptApis
  readonly mounts: readonly Mount[]
  readonly plan: Plan
  readonly records: PageRecords
  readonly assets: AssetRecords
  readonly fonts: SiteFonts
  readonly own: OwnFiles
  /** What was copied from other addresses, by URL. */
  readonly copies: AssetRecords
  readonly site: ComposedSite
  readonly texts: Texts
  readonly review: LinkReview
  readonly orphans: OrphanReview
  readonly search: SearchIndex
}

/** A site without errors, before its routes are known. */
type Whole = Pick<
  BuildMemory,
  'plan' | 'records' | 'assets' | 'fonts' | 'own' | 'site' | 'texts' | 'review' | 'orphans'
>

/** The last build, when it had the same pages and files at the same places, and how the pages differ from it. */
interface Last {
  readonly memory: BuildMemory
  readonly changes: Changes
}

/** What a build has before it looks at the site as a whole. */
interface Made {
  readonly config: SiteConfig
  readonly apis: SiteApis
  readonly mounted: Mounted
  readonly plan: Plan
  readonly assets: AssetRecords
  readonly fonts: SiteFonts
  readonly own: OwnFiles
  readonly pages: BuiltPages
  readonly live: LiveSite | null
}

/** One build. Every step takes over what the last build left where its inputs are the same. */
class BuildRun {
  readonly #request: BuildRequest
  readonly #resources: BuilderResources
  readonly #memory: BuildMemory | undefined
  readonly #sink: BlobSink

  constructor(request: BuildRequest, resources: BuilderResources, memory: BuildMemory | undefined) {
    this.#request = request
    this.#resources = resources
    this.#memory = memory
    this.#sink = new BlobSink(request)
  }

  /** The result, and what to remember of it when the site came out. */
  async build(): Promise<{ readonly result: BuildResult; readonly memory?: BuildMemory }> {
    const request = this.#request
    const sink = this.#sink
    const memory = this.#memory
    const { files } = request.source
    request.signal?.throwIfAborted()
    const written =
      memory !== undefined && isCurrent(memory.apis.own.own, files)
        ? memory.apis.own.own
        : await readConfig(request.source, request.signal)
    const { pool, builder, descriptions } = this.#resources
    const records = memory?.records ?? request.earlier
    const apis = new SiteApis({ request, pool, builder, sink, fetcher: descriptions, before: memory?.apis, records })
    const own = await apis.describe(written)
    const { config } = own
    const mounted = await mountTags(
      {
        source: request.source,
        config,
        before: memory?.mounts ?? [],
        made: own.pages.map(({ path }) => path),
        describe: (mount) => apis.describeTag(mount),
      },
      request.signal,
    )
    const { mounts } = mounted
    const plan = await this.#do(this.#plan(own, mounts))
    let whole = { ...request, source: await apis.source(mounted.source) }
    const assets = await publishAssets(plan.assets, whole, { sink, before: memory?.assets })
    const base = basePathOf(config)
    const { fetch } = this.#resources
    const copies = new Copies({ before: [memory?.copies, request.earlierAssets], sink, fetch, signal: request.signal })
    const read = (oid: string) => request.source.read(oid)
    const fonts = await bringFonts({ config, assets, copies, sink, read, signal: request.signal })
    const styles = await publishOwnFiles({ paths: plan.own, request, sink, copies, base, before: memory?.own })
    const context = { ...this.#resources, sink, options: pageOptions(config) }
    let pages = await buildPages(plan, whole, { ...context, before: memory?.records })
    if (await apis.describeAsked(pages.records)) {
      whole = { ...request, source: await apis.source(mounted.source) }
      const { built, reused } = pages
      pages = { ...(await buildPages(plan, whole, { ...context, before: pages.records })), built, reused }
    }
    request.signal?.throwIfAborted()
    // The same files as in the last build: nothing was renamed.
    const live = memory?.plan === plan ? null : ((await request.live?.()) ?? null)
    const { leftOut } = pages.broken
    const shown = leftOut.size === 0 ? plan : await this.#do(this.#planWithout(leftOut, own, mounts))
    const assembled = this.#assemble({ config, apis, mounted, plan: shown, assets, fonts, own: styles, pages, live })
    const { result, made, changed } = await this.#do(assembled)
    if (made === undefined) return { result }
    const search = await this.#search(made, changed)
    const built = await this.#do(this.#finish({ ...made, search, apis, copies: copies.records }))
    const site = base === '' ? built : { ...built, base }
    // The next build has pages that this one has no place for.
    if (shown !== plan) return { result: { ...result, site } }
    const left = {
      identity: this.#identity(),
      files,
      config,
      apis: apis.kept,
      mounts,
      ...made,
      copies: copies.records,
      search,
    }
    return { result: { ...result, site }, memory: left }
  }

  async #search({ plan, records, site }: Whole, changed: readonly string[] | undefined): Promise<SearchIndex> {
    const { earlierRoutes = null, trial, signal } = this.#request
    // Nobody will search it, and what pages say is not kept.
    if (trial === true) return { shape: '', scopes: [], routes: new Map() }
    const before = this.#memory?.search
    return makeSearchIndex({ plan, records, site, changed, before, earlierRoutes, sink: this.#sink, signal })
  }

  #do<T>(steps: Steps<T>): Promise<T> {
    return inSlices(steps, this.#request.signal)
  }

  *#plan(apis: Expanded, mounts: readonly Mount[]): Steps<Plan> {
    const { files } = this.#request.source
    const memory = this.#memory
    const hasSamePages = memory !== undefined && samePaths(memory.apis.own.pages, apis.pages)
    const { config } = apis
    if (hasSamePages && (yield* samePlan(memory, { files, config, mounts }))) return memory.plan
    return yield* makePlan(this.#paths(apis), config, mounts)
  }

  /** Files, and the pages that navigation asks for. */
  #paths(apis: Expanded): readonly string[] {
    return [...this.#request.source.files.keys(), ...apis.pages.map(({ path }) => path)]
  }

  *#planWithout(paths: ReadonlySet<string>, apis: Expanded, mounts: readonly Mount[]): Steps<Plan> {
    const rest = this.#paths(apis).filter((path) => !paths.has(path))
    const shown = mounts.map((mount) => ({
      ...mount,
      files: new Map([...mount.files].filter(([path]) => !paths.has(pathIn(mount, path)))),
    }))
    return yield* makePlan(rest, apis.config, shown)
  }

  /** What all pages make together. */
  *#assemble({ config, apis, mounted, plan, assets, fonts, own, pages, live }: Made): Steps<{
    result: BuildResult
    made?: Whole
    changed?: readonly string[] | undefined
  }> {
    const last = yield* this.#last(plan, pages)
    const composed = yield* this.#compose({ config, plan, pages, fonts, own, last })
    const { site } = composed
    const { omitted, ...composing } = site ?? composed
    const errors = new Findings()
    errors.addAll(config.errors, config.omitted.errors)
    errors.addAll(mounted.errors)
    errors.addAll(plan.errors)
    if (site === undefined) errors.addAll(composed.errors, omitted.errors)
    errors.addAll(pages.errors)
    const warnings = new Findings()
    warnings.addAll(config.warnings, config.omitted.warnings)
    const framework = config.document === null ? yield* findFramework(this.#request.source.files.keys()) : undefined
    if (framework !== undefined) warnings.addAll([frameworkWarning(framework)])
    warnings.addAll(apis.warnings)
    warnings.addAll(mounted.warnings)
    warnings.addAll(fonts.warnings)
    warnings.addAll(own.warnings)
    warnings.addAll(plan.warnings)
    warnings.addAll(yield* pointerWarning(assets, this.#request.source.files))
    for (const [path, why] of this.#request.source.leftLinks ?? []) {
      yield
      warnings.addAll([{ path, rule: 'file-link', message: `It is a symbolic link ${why}: it is left out.` }])
    }
    warnings.addAll(composing.warnings, omitted.warnings)
    const urgent = new Findings()
    yield* addPageWarnings({ warnings, urgent }, pages)
    const kept = new Findings()
    kept.addAll(pages.broken.errors)
    const counts = { total: plan.pages.length, built: pages.built, reused: pages.reused }
    if (errors.kept.length > 0 || site === undefined)
      return {
        result: { errors: arrange(apis, errors, kept), warnings: arrange(apis, urgent, warnings), pages: counts },
      }
    const { records } = pages
    const reviewed = last === undefined ? undefined : { review: last.memory.review, changes: last.changes }
    const review = yield* reviewLinks({ plan, records, redirects: site.redirects }, reviewed)
    for (const found of review.findings.values()) {
      yield
      warnings.addAll(found)
    }
    const orphans = yield* this.#orphans({ config, plan, records, site, last })
    warnings.addAll(orphansOf(orphans))
    if (live !== null)
      warnings.addAll(
        yield* reviewRenames({
          live,
          plan,
          records,
          redirects: site.redirects,
          configured: config.document !== null,
        }),
      )
    const texts = yield* this.#texts({ config, site, plan, records, last })
    return {
      result: {
        errors: [],
        ...(kept.kept.length === 0 ? {} : { kept: arrange(apis, kept).map(withoutOffer) }),
        warnings: arrange(apis, urgent, warnings),
        pages: counts,
      },
      made: { plan, records, assets, fonts, own, site, texts, review, orphans },
      changed: last?.changes.pages,
    }
  }

  *#orphans({
    last,
    ...input
  }: Pick<BuildMemory, 'config' | 'plan' | 'records' | 'site'> & {
    readonly last: Last | undefined
  }): Steps<OrphanReview> {
    const isKept = last !== undefined && last.memory.config === input.config && last.memory.site === input.site
    return yield* reviewOrphans(
      input,
      isKept ? { ...last, review: last.memory.orphans, before: last.memory.records } : undefined,
    )
  }

  *#last(plan: Plan, pages: BuiltPages): Steps<Last | undefined> {
    const memory = this.#memory
    if (memory?.plan !== plan || pages.errors.length > 0) return undefined
    return { memory, changes: yield* compareRecords(memory.records, pages.records) }
  }

  *#compose({
    config,
    plan,
    pages,
    fonts,
    own,
    last,
  }: Pick<Made, 'config' | 'plan' | 'pages' | 'fonts' | 'own'> & {
    readonly last: Last | undefined
  }): Steps<Composition> {
    const same =
      last?.memory.config === config &&
      last.memory.identity === this.#identity() &&
      JSON.stringify([last.memory.fonts.look, last.memory.own.named]) === JSON.stringify([fonts.look, own.named])
    // Warnings of redirects to parts of pages are among what it found.
    const isStale = last?.changes.anchors === true && last.memory.site.redirects.some(leadsToPart)
    const site = same && !last.changes.navigation && !isStale ? last.memory.site : undefined
    if (site !== undefined && this.#sink.has(site.shell.blob)) return { site }
    const { theme, icon } = this.#resources
    return yield* composeSite({
      request: this.#request,
      config,
      plan,
      records: pages.records,
      fonts: fonts.look,
      own: own.named,
      leftOut: pages.broken.leftOut,
      theme: theme.assets,
      icon,
      sink: this.#sink,
    })
  }

  *#texts({
    last,
    config,
    ...input
  }: Pick<BuildMemory, 'config' | 'site' | 'plan' | 'records'> & { readonly last: Last | undefined }): Steps<Texts> {
    const texts = last?.changes.listing === false && last.memory.site === input.site ? last.memory.texts : undefined
    if (texts !== undefined && [...texts.values()].every(({ blob }) => this.#sink.has(blob))) return texts
    return yield* makeTexts({ ...input, origin: publicUrl(config, this.#request.url), sink: this.#sink })
  }

  *#finish({
    plan,
    records,
    assets,
    fonts,
    own,
    copies,
    texts,
    site,
    search,
    apis,
  }: Pick<BuildMemory, 'plan' | 'records' | 'assets' | 'fonts' | 'own' | 'copies' | 'texts' | 'site' | 'search'> &
    Pick<Made, 'apis'>): Steps<NonNullable<BuildResult['site']>> {
    const { theme } = this.#resources
    for (const [blob, bytes] of theme.blobs) this.#sink.addKnown(blob, bytes)
    const routes = yield* makeRoutes({
      plan,
      pages: records,
      assets,
      texts,
      search: new Map([...search.routes, ...apis.routes]),
      fonts: fonts.routes,
      own: ownRoutes(own),
      theme: theme.routes,
    })
    return {
      shell: site.shell.blob,
      routes,
      redirects: site.redirects,
      pages: records,
      assets: { ...assets, ...copies, ...apis.kept.copies },
      ...(plan.mounts.length === 0 ? {} : { tags: Object.fromEntries(plan.mounts.map((m) => [m.tag, m.commit])) }),
      blobs: this.#sink.fresh,
    }
  }

  #identity(): string {
    return `${this.#request.url} ${this.#request.title}`
  }
}

const leadsToPart = ({ to }: Redirect): boolean => to.startsWith('/') && to.includes('#')

function samePaths(one: readonly { readonly path: string }[], other: readonly { readonly path: string }[]): boolean {
  return one === other || (one.length === other.length && one.every(({ path }, index) => path === other[index]?.path))
}

/** Of a page that is as it was, nobody wants to know. */
function* addPageWarnings(
  { warnings, urgent }: { readonly warnings: Findings; readonly urgent: Findings },
  { records, broken }: BuiltPages,
): Steps<void> {
  for (const path in records) {
    yield
    if (broken.kept.has(path)) continue
    const record = records[path]
    for (const found of record === undefined ? [] : summaryOf(record).warnings)
      (isUrgent(found) ? urgent : warnings).add(() => found, found.rule)
  }
}

/** A page shows to more people than its author meant: that is told before all else, and never left out for other things. */
const isUrgent = ({ rule }: ErrorDetail): boolean => rule === 'page-unrestricted'

/** Sorted by place, without repetitions, with the number of those left out. */
function arrange(apis: SiteApis, ...findings: readonly Findings[]): readonly ErrorDetail[] {
  const omitted = findings.reduce((sum, one) => sum + one.omitted, 0)
  const sorted = findings.flatMap(({ kept }) => kept.map((found) => apis.placed(found))).toSorted(byPlace)
  const distinct = sorted.filter(
    (finding, index) => index === 0 || byPlace(sorted[index - 1] ?? finding, finding) !== 0,
  )
  const told = distinct.map(withHint)
  return omitted === 0 ? told : [...told, { message: `… and ${omitted} more.`, more: omitted }]
}

function byPlace(one: ErrorDetail, other: ErrorDetail): number {
  return (
    Number(isUrgent(other)) - Number(isUrgent(one)) ||
    compare(one.path ?? '', other.path ?? '') ||
    (one.line ?? 0) - (other.line ?? 0) ||
    (one.column ?? 0) - (other.column ?? 0) ||
    compare(one.pointer ?? '', other.pointer ?? '') ||
    compare(one.message, other.message)
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
