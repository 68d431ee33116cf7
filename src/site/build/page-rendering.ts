import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import type { Json } from '../../lib/json-reader.ts'
import { inSlices } from '../../lib/slices.ts'
import type { BuildRequest } from '../builder.ts'
import type { LoadFile, RenderedPage, RenderOutcome, RenderPool, RenderSession } from '../page.ts'
import { markdownOf } from '../markdown/markdown.ts'
import { isPointer, whatToDo } from './lfs.ts'
import { fillVariables, type PageOptions, pageOptions } from './page-options.ts'
import { type Mount, pathIn, pathInTag } from './tags.ts'
import { descriptionFiles, findOperation, readDescription, readReference, renderOperation } from './openapi.tsx'

/** Pages of one source, as a site has them: rendered by children, with the operations of API descriptions put in. */
export class PageRendering {
  readonly #source: BuildRequest['source']
  /** By where they stand in the site. */
  readonly #mounts: ReadonlyMap<string, Mount>
  readonly #signal: AbortSignal | undefined
  readonly #session: RenderSession
  readonly #options: PageOptions | undefined
  readonly #descriptions = new Map<string, Promise<Json | undefined>>()

  /** @param source with the files of the mounts. */
  constructor(
    pool: RenderPool,
    { project, source, signal }: Pick<BuildRequest, 'project' | 'source' | 'signal'>,
    mounts: readonly Mount[] = [],
    options?: PageOptions,
  ) {
    this.#options = options
    this.#mounts = new Map(mounts.map((mount) => [baseOf(mount), mount]))
    const load: LoadFile = async (path, base) => {
      const oid = this.#filesOf(base).get(path)
      return oid === undefined ? null : { oid, source: this.#filled(await source.read(oid), base) }
    }
    this.#source = source
    this.#signal = signal
    this.#session = pool.open(project, load, signal)
  }

  /** Rejects with the signal’s reason, never for what a page holds. */
  async page(path: string, mount?: Mount): Promise<RenderOutcome> {
    if (mount === undefined) return this.#page(path)
    return inSite(await this.#page(pathInTag(mount, path), baseOf(mount)), mount)
  }

  async #page(path: string, base?: string): Promise<RenderOutcome> {
    const oid = this.#filesOf(base).get(path) ?? ''
    const source = this.#filled(await this.#source.read(oid), base)
    if (source.length > limits.pageBytes) {
      const message = `The page has ${source.length} bytes; at most ${limits.pageBytes} are allowed. Split it.`
      return { ok: false, errors: [{ path, rule: 'page-limit', message }] }
    }
    const { icons } = this.#optionsOf(base) ?? {}
    const job = {
      path,
      oid,
      source,
      ...(base === undefined ? {} : { base }),
      ...(icons === undefined ? {} : { icons }),
    }
    const outcome = await this.#session.render(job)
    if (!outcome.ok) return outcome
    const { openapi } = outcome.page.summary
    const page = openapi === undefined ? outcome.page : await this.#withOperation({ path, openapi, base }, outcome.page)
    const isWhole = !isPointer(source)
    return {
      ok: true,
      page: isWhole
        ? page
        : withWarning(page, { path, rule: 'file-pointer', message: `The page is a Git LFS pointer. ${whatToDo}` }),
    }
  }

  /** Gives the children back. */
  close(): void {
    this.#session.close()
  }

  /** Puts the operation that the front matter names before the text. */
  async #withOperation(
    { path, openapi, base }: { path: string; openapi: string; base: string | undefined },
    page: RenderedPage,
  ): Promise<RenderedPage> {
    const reference = readReference(openapi)
    if (reference === undefined) {
      const message = `openapi: ${JSON.stringify(openapi.slice(0, 200))} is not understood; write METHOD /path, with a file of the project before it if there are several.`
      return withWarning(page, { path, line: 1, rule: 'api-unknown', message })
    }
    const dependencies = [...page.dependencies]
    let operation
    for (const file of descriptionFiles(reference)) {
      const oid = this.#filesOf(base).get(file)
      dependencies.push([file, oid ?? null])
      if (oid !== undefined) operation ??= findOperation(await this.#description(oid), reference)
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

  /** @param oid of the file. */
  #description(oid: string): Promise<Json | undefined> {
    const known = this.#descriptions.get(oid)
    if (known !== undefined) return known
    const read = async () => inSlices(readDescription((await this.#source.read(oid)).toString('utf8')), this.#signal)
    const description = read()
    this.#descriptions.set(oid, description)
    return description
  }

  /** A tag has what its own docs.json says. */
  #optionsOf(base: string | undefined): PageOptions | undefined {
    if (base === undefined) return this.#options
    const mount = this.#mounts.get(base)
    return mount === undefined ? undefined : pageOptions(mount.config)
  }

  #filled(source: Buffer, base: string | undefined): Buffer {
    const options = this.#optionsOf(base)
    return options === undefined ? source : fillVariables(source, options)
  }

  #filesOf(base: string | undefined): ReadonlyMap<string, string> {
    if (base === undefined) return this.#source.files
    return this.#mounts.get(base)?.files ?? new Map<string, string>()
  }
}

const baseOf = ({ folder }: Mount): string => `/${folder}`

/** What was rendered by paths of a tag, by those of the site. Of its warnings none is left: nobody mends a tag. */
function inSite(outcome: RenderOutcome, mount: Mount): RenderOutcome {
  if (outcome.ok) {
    const { page } = outcome
    const dependencies = page.dependencies.map(([path, oid]) => [pathIn(mount, path), oid] as [string, string | null])
    return { ok: true, page: { ...page, dependencies, summary: { ...page.summary, warnings: [] } } }
  }
  const errors = outcome.errors.map((error) => ({
    ...error,
    ...(error.path === undefined ? {} : { path: pathIn(mount, error.path) }),
    message: `In the tag ${mount.tag}: ${error.message}`,
  }))
  return { ok: false, errors }
}

function withWarning(page: RenderedPage, warning: ErrorDetail): RenderedPage {
  return { ...page, summary: { ...page.summary, warnings: [...page.summary.warnings, warning] } }
}
