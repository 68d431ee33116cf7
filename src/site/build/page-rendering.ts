import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import type { Json } from '../../lib/json-reader.ts'
import { inSlices } from '../../lib/slices.ts'
import type { BuildRequest } from '../builder.ts'
import type { LoadFile, RenderedPage, RenderOutcome, RenderPool, RenderSession } from '../page.ts'
import { markdownOf } from '../markdown/markdown.ts'
import { isPointer, whatToDo } from './lfs.ts'
import { descriptionFiles, findOperation, readDescription, readReference, renderOperation } from './openapi.tsx'

/** Pages of one source, as a site has them: rendered by children, with the operations of API descriptions put in. */
export class PageRendering {
  readonly #source: BuildRequest['source']
  readonly #signal: AbortSignal | undefined
  readonly #session: RenderSession
  readonly #descriptions = new Map<string, Promise<Json | undefined>>()

  constructor(pool: RenderPool, { project, source, signal }: Pick<BuildRequest, 'project' | 'source' | 'signal'>) {
    const load: LoadFile = async (path) => {
      const oid = source.files.get(path)
      return oid === undefined ? null : { oid, source: await source.read(oid) }
    }
    this.#source = source
    this.#signal = signal
    this.#session = pool.open(project, load, signal)
  }

  /** Rejects with the signal’s reason, never for what a page holds. */
  async page(path: string): Promise<RenderOutcome> {
    const oid = this.#source.files.get(path) ?? ''
    const source = await this.#source.read(oid)
    if (source.length > limits.pageBytes) {
      const message = `The page has ${source.length} bytes; at most ${limits.pageBytes} are allowed. Split it.`
      return { ok: false, errors: [{ path, message }] }
    }
    const outcome = await this.#session.render({ path, oid, source })
    if (!outcome.ok) return outcome
    const { openapi } = outcome.page.summary
    const page = openapi === undefined ? outcome.page : await this.#withOperation(path, outcome.page, openapi)
    const isWhole = !isPointer(source)
    return {
      ok: true,
      page: isWhole ? page : withWarning(page, { path, message: `The page is a Git LFS pointer. ${whatToDo}` }),
    }
  }

  /** Gives the children back. */
  close(): void {
    this.#session.close()
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
      dependencies.push([file, this.#source.files.get(file) ?? null])
      operation ??= findOperation(await this.#description(file), reference)
    }
    const { html } = renderOperation(reference, operation)
    const markdown = await inSlices(markdownOf(html), this.#signal)
    return {
      ...page,
      artifact: { ...page.artifact, html: html + page.artifact.html },
      markdown: `${markdown}\n${page.markdown}`,
      dependencies,
    }
  }

  #description(file: string): Promise<Json | undefined> {
    const known = this.#descriptions.get(file)
    if (known !== undefined) return known
    const oid = this.#source.files.get(file)
    const read = async () =>
      oid === undefined
        ? undefined
        : inSlices(readDescription((await this.#source.read(oid)).toString('utf8')), this.#signal)
    const description = read()
    this.#descriptions.set(file, description)
    return description
  }
}

function withWarning(page: RenderedPage, warning: ErrorDetail): RenderedPage {
  return { ...page, summary: { ...page.summary, warnings: [...page.summary.warnings, warning] } }
}
