import pLimit from 'p-limit'
import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import type { PageRecord } from '../../contract/release.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import { encodeArtifact, keptSummary, markdownSource, type PageRecords } from './records.ts'
import type { BlobSink } from './blobs.ts'
import type { BuildRequest } from '../builder.ts'
import { isPointer, whatToDo } from './lfs.ts'
import type { Classified } from './plan.ts'
import type { Json } from '../../lib/json-reader.ts'
import { descriptionFiles, findOperation, renderOperation, readDescription, readReference } from './openapi.tsx'
import type { LoadFile, RenderedPage, RenderPool, RenderSession } from '../page.ts'

export interface BuiltPages {
  /** By source path; pages with errors are absent. */
  readonly records: PageRecords
  readonly built: number
  readonly reused: number
  readonly errors: readonly ErrorDetail[]
}

export interface PageContext {
  readonly pool: RenderPool
  /** Fingerprint for the records of this build. */
  readonly builder: string
  readonly sink: BlobSink
  /** Records of this process’s last build of the project. */
  readonly before: PageRecords | undefined
}

/** Pages under way at once: enough for the pool to send pages to the child that knows their languages; a bound on what is held. */
const underWay = 256

/** Records of all pages: kept where nothing that the HTML depends on has changed, rendered where it has. */
export async function buildPages(
  pages: Classified['pages'],
  request: BuildRequest,
  context: PageContext,
): Promise<BuiltPages> {
  const records = Object.create(null) as Record<string, PageRecord>
  const stale = await inSlices(keepRecords(pages, request, { ...context, records }), request.signal)
  const errors: ErrorDetail[] = []
  if (stale.length > 0) await new PageRun(request, context, { records, errors }).render(stale, pages.length)
  for (const path of stale) if (records[path] === unbuilt) delete records[path]
  return { records, built: stale.length, reused: pages.length - stale.length, errors }
}

/** Takes over the records of pages that need not be rendered; returns the paths of the others. */
function* keepRecords(
  pages: Classified['pages'],
  { source, earlier }: BuildRequest,
  { records, ...context }: PageContext & Pick<PageResults, 'records'>,
): Steps<string[]> {
  const stale: string[] = []
  for (const { path } of pages) {
    yield
    const record =
      keepable(path, context.before?.[path], source.files, context) ??
      keepable(path, earlier?.[path], source.files, context)
    records[path] = record ?? unbuilt
    if (record === undefined) stale.push(path)
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
  path: string,
  record: PageRecord | undefined,
  files: ReadonlyMap<string, string>,
  { builder, sink }: PageContext,
): PageRecord | undefined {
  if (record === undefined || record.oid !== files.get(path) || record.builder !== builder) return undefined
  for (const [dependency, oid] of record.dependencies) if ((files.get(dependency) ?? null) !== oid) return undefined
  return sink.has(record.artifact) && sink.has(record.markdown) ? record : undefined
}

interface PageResults {
  readonly records: Record<string, PageRecord>
  readonly errors: ErrorDetail[]
}

class PageRun {
  readonly #request: BuildRequest
  readonly #context: PageContext
  readonly #out: PageResults
  readonly #descriptions = new Map<string, Promise<Json | undefined>>()

  constructor(request: BuildRequest, context: PageContext, out: PageResults) {
    this.#request = request
    this.#context = context
    this.#out = out
  }

  async render(stale: readonly string[], total: number): Promise<void> {
    const request = this.#request
    const load: LoadFile = async (path) => {
      const oid = request.source.files.get(path)
      return oid === undefined ? null : { oid, source: await request.source.read(oid) }
    }
    const session = this.#context.pool.open(request.project, load, request.signal)
    const limit = pLimit(underWay)
    try {
      let done = total - stale.length
      await Promise.all(
        stale.map((path) =>
          limit(async () => {
            request.signal?.throwIfAborted()
            await this.#page(path, session)
            done++
            request.onProgress?.({ done, total })
          }),
        ),
      )
    } finally {
      limit.clearQueue()
      session.close()
    }
  }

  async #page(path: string, session: RenderSession): Promise<void> {
    const oid = this.#request.source.files.get(path) ?? ''
    const source = await this.#request.source.read(oid)
    if (source.length > limits.pageBytes) {
      const message = `The page has ${source.length} bytes; at most ${limits.pageBytes} are allowed. Split it.`
      this.#out.errors.push({ path, message })
      return
    }
    const outcome = await session.render({ path, oid, source })
    if (!outcome.ok) {
      for (const error of outcome.errors) this.#out.errors.push(error)
      return
    }
    const { openapi } = outcome.page.summary
    let page = openapi === undefined ? outcome.page : await this.#withOperation(path, outcome.page, openapi)
    if (isPointer(source)) page = withWarning(page, { path, message: `The page is a Git LFS pointer. ${whatToDo}` })
    const { sink, builder } = this.#context
    const markdown = sink.add(markdownSource(page))
    this.#out.records[path] = {
      oid,
      builder,
      dependencies: page.dependencies,
      artifact: sink.add(encodeArtifact(page.artifact)).blob,
      markdown: markdown.blob,
      markdownSize: markdown.size,
      summary: await inSlices(keptSummary(page.summary), this.#request.signal),
    }
    await sink.flushIfFull()
  }

  /** Puts the operation that the front matter names before the text. */
  async #withOperation(path: string, page: RenderedPage, openapi: string): Promise<RenderedPage> {
    const reference = readReference(openapi)
    if (reference === undefined) {
      const message = `openapi: ${JSON.stringify(openapi.slice(0, 200))} is not understood; write METHOD /path, with a file of the project before it if there are several.`
      return withWarning(page, { path, line: 1, message })
    }
    const dependencies = [...page.dependencies]
    let operation
    for (const file of descriptionFiles(reference)) {
      dependencies.push([file, this.#request.source.files.get(file) ?? null])
      operation ??= findOperation(await this.#description(file), reference)
    }
    const html = renderOperation(reference, operation).html + page.artifact.html
    return { ...page, artifact: { ...page.artifact, html }, dependencies }
  }

  #description(file: string): Promise<Json | undefined> {
    const known = this.#descriptions.get(file)
    if (known !== undefined) return known
    const oid = this.#request.source.files.get(file)
    const read = async () =>
      oid === undefined
        ? undefined
        : inSlices(readDescription((await this.#request.source.read(oid)).toString('utf8')), this.#request.signal)
    const description = read()
    this.#descriptions.set(file, description)
    return description
  }
}

function withWarning(page: RenderedPage, warning: ErrorDetail): RenderedPage {
  return { ...page, summary: { ...page.summary, warnings: [...page.summary.warnings, warning] } }
}
