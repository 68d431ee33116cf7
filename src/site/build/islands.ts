import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import type { ErrorDetail } from '../../contract/common.ts'
import type { FileRoute, PageRecord } from '../../contract/release.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import type { BuildRequest } from '../builder.ts'
import type { IslandBundler } from '../islands/bundler.ts'
import type { Island, IslandSource, RenderedPage } from '../page.ts'
import type { BlobSink } from './blobs.ts'
import type { PageRecords } from './records.ts'

type IslandFile = NonNullable<PageRecord['islands']>[number]

/** Different islands of one site: each is a file, and costs time of the bundler. */
const most = 500
/** Children of the bundler that one build may cost: others wait for each. */
const mostCostly = 3

const typeOfScripts = 'text/javascript; charset=utf-8'

interface IslandFilesOptions {
  readonly request: BuildRequest
  readonly bundler: IslandBundler
  readonly sink: BlobSink
  /** Records that may have files of islands already: they are of this builder. */
  readonly before: readonly (PageRecords | null | undefined)[]
  readonly builder: string
}

/** The scripts of the components of one build’s pages: those that an earlier build has are not bundled again. */
export class IslandFiles {
  readonly #options: IslandFilesOptions
  #earlier: Promise<ReadonlyMap<string, IslandFile>> | undefined
  /** By id of the source. */
  readonly #made = new Map<string, Promise<IslandFile | ErrorDetail>>()
  /** One is bundled while the next one waits. */
  readonly #turns = pLimit(2)
  #costly = 0
  /** Aborted with the build; many pages wait for it at once. */
  readonly #ending = new AbortController()

  constructor(options: IslandFilesOptions) {
    this.#options = options
    setMaxListeners(most, this.#ending.signal)
    const { signal } = options.request
    signal?.addEventListener('abort', () => this.#ending.abort(signal.reason), { once: true })
  }

  /** The files of a page, or what is wrong with its components. Rejects with the signal’s reason. */
  async of(path: string, { islands = [] }: RenderedPage): Promise<readonly IslandFile[] | ErrorDetail> {
    const files: IslandFile[] = []
    for (const source of islands) {
      let making = this.#made.get(source.id)
      if (making === undefined && this.#made.size >= most) {
        const message = `The site has more than ${most} different files with components that need JavaScript.`
        return { path, rule: 'script-failed', message }
      }
      making ??= this.#turns(() => this.#file(path, source))
      this.#made.set(source.id, making)
      const file = await making
      if ('message' in file) return file
      files.push(file)
    }
    return files
  }

  async #file(path: string, source: IslandSource): Promise<IslandFile | ErrorDetail> {
    const { request, bundler, sink } = this.#options
    this.#earlier ??= inSlices(this.#files(), request.signal)
    const known = (await this.#earlier).get(source.id)
    if (known !== undefined) return known
    const name = source.modules[0]?.path ?? path
    const refused = (message: string): ErrorDetail => ({ path: name, rule: 'script-failed', message })
    if (this.#costly >= mostCostly)
      return refused(`Its components were not bundled: ${mostCostly} other files take too long, or too much memory.`)
    const reply = await bundler.bundle(request.project, source, this.#ending.signal)
    if ('code' in reply) {
      const { blob, size } = sink.add(Buffer.from(reply.code))
      return [source.id, blob, size]
    }
    if (reply.isCostly === true) this.#costly += 1
    const { message, ...place } = reply.error
    return { ...refused(`The components of ${name} cannot be bundled: ${message}.`), ...place }
  }

  *#files(): Steps<ReadonlyMap<string, IslandFile>> {
    const { before, builder, sink } = this.#options
    const files = new Map<string, IslandFile>()
    for (const records of before)
      for (const path in records ?? {}) {
        yield
        const record = records?.[path]
        // What docs.json and tags choose beside it is in the code that a source is made of.
        if (record?.builder.split(' ', 1)[0] !== builder) continue
        for (const file of record.islands ?? []) if (sink.has(file[1])) files.set(file[0], file)
      }
    return files
  }
}

/** Where readers get the file of an island. */
function pathOf([, blob]: IslandFile): string {
  return `/_quire/islands/${blob.slice(0, 20)}.js`
}

export function islandsOf(files: readonly IslandFile[]): readonly Island[] {
  return files.map((file) => ({ id: file[0], src: pathOf(file) }))
}

/** The routes of the files of a page. */
export function islandRoutes({ islands = [] }: PageRecord): readonly (readonly [string, FileRoute])[] {
  return islands.map((file) => [
    pathOf(file),
    { kind: 'file', blob: file[1], size: file[2], type: typeOfScripts, immutable: true },
  ])
}
