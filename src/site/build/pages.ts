import pLimit from 'p-limit'
import type { ErrorDetail } from '../../contract/common.ts'
import type { PageRecord } from '../../contract/release.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import { readParts } from '../search/parts.ts'
import { encodeArtifact, keptSummary, encodeMarkdown, type PageRecords } from './records.ts'
import type { BlobSink } from './blobs.ts'
import type { BuildRequest } from '../builder.ts'
import type { IslandBundler } from '../islands/bundler.ts'
import { IslandFiles, islandsOf } from './islands.ts'
import type { Plan, PlannedPage } from './plan.ts'
import { PageRendering } from './page-rendering.ts'
import type { PageOptions } from './page-options.ts'
import type { Mount } from './tags.ts'
import type { RenderedPage, RenderPool } from '../page.ts'

export interface BuiltPages {
  /** By source path; pages with errors are absent. */
  readonly records: PageRecords
  readonly built: number
  readonly reused: number
  readonly errors: readonly ErrorDetail[]
  /** Of pages that cannot be compiled and do not end the build. */
  readonly broken: BrokenPages
}

/** Pages that cannot be compiled where the project lets them stay as they were. */
export interface BrokenPages {
  readonly errors: readonly ErrorDetail[]
  /** Source paths of those that are as they were. */
  readonly kept: ReadonlySet<string>
  /** Source paths of those that there were never. */
  readonly leftOut: ReadonlySet<string>
}

export interface PageContext {
  readonly pool: RenderPool
  /** Absent: components with JavaScript show what they show first. */
  readonly bundler?: IslandBundler | undefined
  /** Fingerprint for the records of this build. */
  readonly builder: string
  readonly sink: BlobSink
  /** Records of this process’s last build of the project. */
  readonly before: PageRecords | undefined
  readonly options: PageOptions
}

/** Pages under way at once: enough for the pool to send pages to the child that knows their languages; a bound on what is held. */
const underWay = 256

/** Records of all pages: kept where nothing that the HTML depends on has changed, rendered where it has. */
export async function buildPages(
  { pages, mounts }: Pick<Plan, 'pages' | 'mounts'>,
  request: BuildRequest,
  context: PageContext,
): Promise<BuiltPages> {
  const records = Object.create(null) as Record<string, PageRecord>
  const stale = await inSlices(keepRecords(pages, request, { ...context, records }), request.signal)
  const failed = new Map<PlannedPage, readonly ErrorDetail[]>()
  if (stale.length > 0) {
    const times = lastChanges(stale, request, context)
    // Awaited with each page, but not when the first of them fails: a rejection must not go unhandled.
    times.catch(() => undefined)
    await new PageRun(request, context, { records, failed, times, mounts }).render(stale, pages.length)
  }
  const broken = await fallBack(failed, request, { ...context, records })
  for (const { path } of stale) if (records[path] === unbuilt) delete records[path]
  const counts = { built: stale.length, reused: pages.length - stale.length }
  // A site of no page at all is none.
  if (request.fallback === undefined || broken.leftOut.size === pages.length)
    return { records, ...counts, errors: [...failed.values()].flat(), broken: nothingBroken }
  return { records, ...counts, errors: [], broken }
}

const nothingBroken: BrokenPages = { errors: [], kept: new Set(), leftOut: new Set() }

/** Takes pages that cannot be compiled as they were in the first release that has them. */
async function fallBack(
  failed: ReadonlyMap<PlannedPage, readonly ErrorDetail[]>,
  request: BuildRequest,
  { records, sink }: PageContext & Pick<PageResults, 'records'>,
): Promise<BrokenPages> {
  if (failed.size === 0 || request.fallback === undefined) return nothingBroken
  const releases = await request.fallback()
  const errors: ErrorDetail[] = []
  const kept = new Set<string>()
  const leftOut = new Set<string>()
  for (const [{ path, url }, found] of failed) {
    const before = releases
      .map((release) => release?.pages[path])
      .find((record) => record !== undefined && isWhole(record, url, sink))
    if (before === undefined) {
      leftOut.add(path)
      errors.push(...found, {
        path,
        rule: 'page-left-out',
        message: 'This page cannot be compiled and was never live: it is left out of the site.',
      })
    } else {
      records[path] = before
      kept.add(path)
      errors.push(...found, {
        path,
        rule: 'page-kept',
        message: 'This page cannot be compiled: readers get it as it was when it last could.',
      })
    }
  }
  return { errors, kept, leftOut }
}

/** When the sources of these pages were last changed: as their records say, if those are of the same source. */
async function lastChanges(
  stale: readonly PlannedPage[],
  request: BuildRequest,
  { before }: PageContext,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  const asked: string[] = []
  for (const { path, mount } of stale) {
    // The history that is asked is not that of a tag.
    if (mount !== undefined) continue
    const oid = request.source.files.get(path)
    const known = [before?.[path], request.earlier?.[path]].find((record) => record?.oid === oid)?.updated
    if (known === undefined) asked.push(path)
    else times.set(path, known)
  }
  if (asked.length === 0 || request.lastChanges === undefined) return times
  return new Map([...times, ...(await request.lastChanges(asked))])
}

/** Takes over the records of pages that need not be rendered; returns the others. */
function* keepRecords(
  pages: readonly PlannedPage[],
  { source, earlier }: BuildRequest,
  { records, ...context }: PageContext & Pick<PageResults, 'records'>,
): Steps<PlannedPage[]> {
  const stale: PlannedPage[] = []
  for (const page of pages) {
    yield
    const { path } = page
    const record =
      keepable(page, context.before?.[path], source.files, context) ??
      keepable(page, earlier?.[path], source.files, context)
    records[path] = record ?? unbuilt
    if (record === undefined) stale.push(page)
  }
  return stale
}

/** Keeps a page’s place in the order of records until it is rendered. */
const unbuilt: PageRecord = {
  oid: '',
  builder: '',
  dependencies: [],
  artifact: '',
  markdown: '',
  markdownSize: 0,
  summary: null,
}

function keepable(
  { path, url, mount }: PlannedPage,
  record: PageRecord | undefined,
  files: ReadonlyMap<string, string>,
  { builder, sink, options }: PageContext,
): PageRecord | undefined {
  if (record === undefined || record.oid !== files.get(path)) return undefined
  if (record.builder !== builderOf(builder, mount, options)) return undefined
  for (const [dependency, oid] of record.dependencies) if ((files.get(dependency) ?? null) !== oid) return undefined
  return isWhole(record, url, sink) ? record : undefined
}

/** Whether all that a record names is there, and of this address. */
function isWhole({ parts, islands, artifact, markdown }: PageRecord, url: string, sink: BlobSink): boolean {
  // Whoever finds a page is led to where it was when its texts were made.
  if (parts?.path !== url || !parts.texts.every(([, blob]) => sink.has(blob))) return false
  if (islands?.every(([, blob]) => sink.has(blob)) === false) return false
  return sink.has(artifact) && sink.has(markdown)
}

/** In a tag the same source has other links than in a folder. */
function builderOf(builder: string, mount: Mount | undefined, options: PageOptions): string {
  if (mount !== undefined) return `${builder} ${mount.folder}`
  return options.mark === '' ? builder : `${builder} ${options.mark}`
}

interface PageResults {
  readonly mounts: readonly Mount[]
  readonly records: Record<string, PageRecord>
  readonly failed: Map<PlannedPage, readonly ErrorDetail[]>
  readonly times: Promise<ReadonlyMap<string, number>>
}

class PageRun {
  readonly #request: BuildRequest
  readonly #context: PageContext
  readonly #out: PageResults
  readonly #islands: IslandFiles | undefined

  constructor(request: BuildRequest, context: PageContext, out: PageResults) {
    this.#request = request
    this.#context = context
    this.#out = out
    const { bundler, sink, before, builder } = context
    if (bundler !== undefined)
      this.#islands = new IslandFiles({ request, bundler, sink, builder, before: [request.earlier, before] })
  }

  async render(stale: readonly PlannedPage[], total: number): Promise<void> {
    const request = this.#request
    const rendering = new PageRendering(this.#context.pool, request, this.#out.mounts, this.#context.options)
    const limit = pLimit(underWay)
    try {
      let done = total - stale.length
      await Promise.all(
        stale.map((page) =>
          limit(async () => {
            request.signal?.throwIfAborted()
            await this.#page(page, rendering)
            done++
            request.onProgress?.({ done, total })
          }),
        ),
      )
    } finally {
      limit.clearQueue()
      rendering.close()
    }
  }

  async #page(planned: PlannedPage, rendering: PageRendering): Promise<void> {
    const { path, url, mount } = planned
    const outcome = await rendering.page(path, mount)
    if (!outcome.ok) {
      this.#out.failed.set(planned, outcome.errors)
      return
    }
    const { page } = outcome
    const { sink, builder, options } = this.#context
    const markdown = sink.add(encodeMarkdown(page))
    const islands = (await this.#islands?.of(path, page)) ?? []
    if ('message' in islands) {
      this.#out.failed.set(planned, [islands])
      return
    }
    const artifact = encodeArtifact(
      islands.length === 0 ? page.artifact : { ...page.artifact, islands: islandsOf(islands) },
    )
    const updated = page.summary.written ?? (await this.#out.times).get(path)
    this.#out.records[path] = {
      oid: this.#request.source.files.get(path) ?? '',
      builder: builderOf(builder, mount, options),
      dependencies: page.dependencies,
      artifact: sink.add(artifact).blob,
      markdown: markdown.blob,
      markdownSize: markdown.size,
      parts: { path: url, texts: isOffered(page) ? await this.#texts(artifact, url) : [] },
      ...(islands.length === 0 ? {} : { islands }),
      summary: await inSlices(keptSummary(page.summary), this.#request.signal),
      ...(updated === undefined ? {} : { updated }),
    }
    await sink.flushIfFull()
  }

  /** Keeps the texts that a page is found by. */
  async #texts(artifact: Buffer, url: string): Promise<NonNullable<PageRecord['parts']>['texts']> {
    const parts = await inSlices(readParts(artifact, url), this.#request.signal)
    return parts.map(({ key, text }) => {
      const { blob, size } = this.#context.sink.add(Buffer.from(JSON.stringify(text)))
      return [key, blob, size] as const
    })
  }
}

/** Whether readers may find a page. */
function isOffered({ summary: { hidden, noindex, unsearched } }: RenderedPage): boolean {
  return hidden !== true && noindex !== true && unsearched !== true
}
