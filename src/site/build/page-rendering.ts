import pLimit from 'p-limit'
import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import type { BuildRequest } from '../builder.ts'
import type { LoadFile, RenderedPage, RenderOutcome, RenderPool, RenderSession } from '../page.ts'
import { isPartPath } from '../api/names.ts'
import { isPointer, whatToDo } from './lfs.ts'
import { fillVariables, type PageOptions, pageOptions } from './page-options.ts'
import { type Mount, pathIn, pathInTag } from './tags.ts'

/** Pages with pictures in their text that are under way at once: hundreds of others are, and each of these may have megabytes. */
const largeAtOnce = 4

/** Pages of one source, as a site has them: rendered by children, with what descriptions of APIs say of them. */
export class PageRendering {
  readonly #source: BuildRequest['source']
  /** By where they stand in the site. */
  readonly #mounts: ReadonlyMap<string, Mount>
  readonly #session: RenderSession
  readonly #options: PageOptions | undefined
  readonly #large = pLimit(largeAtOnce)
  /** Those of the tags that were asked for, by where these stand. */
  readonly #optionsOfMounts = new Map<string, PageOptions>()

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
      const oid = this.#oidOf(path, base)
      if (oid === undefined) return null
      const file = await source.read(oid)
      // What descriptions of APIs say stands in quotes.
      return { oid, source: isPartPath(path) ? file : this.#filled(file, base) }
    }
    this.#source = source
    this.#session = pool.open(project, load, signal)
  }

  /** Rejects with the signal’s reason, never for what a page holds. */
  async page(path: string, mount?: Mount): Promise<RenderOutcome> {
    if (mount === undefined) return this.#page(path)
    return inSite(await this.#page(pathInTag(mount, path), baseOf(mount)), mount)
  }

  async #page(path: string, base?: string): Promise<RenderOutcome> {
    const oid = this.#oidOf(path, base) ?? ''
    const read = async () => this.#filled(await this.#source.read(oid), base)
    const source = await read()
    if (source.length <= limits.pageBytes) return this.#render(path, { oid, source, base })
    // One that waits for its turn holds nothing: it is read again.
    return this.#large(async () => this.#render(path, { oid, source: await read(), base }))
  }

  async #render(
    path: string,
    { oid, source, base }: { readonly oid: string; readonly source: Buffer; readonly base: string | undefined },
  ): Promise<RenderOutcome> {
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
    const { page } = outcome
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

  /** A tag has what its own docs.json says. */
  #optionsOf(base: string | undefined): PageOptions | undefined {
    if (base === undefined) return this.#options
    const mount = this.#mounts.get(base)
    const options = this.#optionsOfMounts.get(base) ?? (mount && pageOptions(mount.config))
    if (options !== undefined) this.#optionsOfMounts.set(base, options)
    return options
  }

  #filled(source: Buffer, base: string | undefined): Buffer {
    const options = this.#optionsOf(base)
    return options === undefined ? source : fillVariables(source, options)
  }

  #oidOf(path: string, base: string | undefined): string | undefined {
    if (base === undefined) return this.#source.files.get(path)
    const mount = this.#mounts.get(base)
    return mount === undefined ? undefined : this.#source.files.get(pathIn(mount, path))
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
