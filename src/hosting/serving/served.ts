import { LRUCache } from 'lru-cache'
import type { Composer, FileRoute, OpenShell, Route, Sha256 } from '../../contract/release.ts'
import type { Project, RoutingTable } from '../project.ts'
import type { OpenProjects } from '../open-projects.ts'
import { RedirectTable } from '../../lib/redirect-table.ts'
import { inSlices } from '../../lib/slices.ts'
import type { Routing } from './resolve.ts'

/** Bytes of memory that an opened shell takes for each that is stored, with the entries that pages have shown of it. */
const openedSize = 8

/** What a served release needs of where it is kept. */
type Kept = Pick<Project, 'asset' | 'blob'>

/** A release in memory, ready to answer. */
export class ServedRelease implements Routing {
  readonly project: Kept
  readonly routes: Readonly<Record<string, Route>>
  readonly redirects: RedirectTable
  readonly shell: Sha256
  /** The path that the site stands below; empty: the root of its host. */
  readonly base: string
  readonly #onOpened: () => void
  #opened: Promise<OpenShell> | undefined
  #shellWeight = 0

  private constructor(
    project: Kept,
    table: RoutingTable,
    { redirects, onOpened }: { readonly redirects: RedirectTable; readonly onOpened: () => void },
  ) {
    this.project = project
    this.#onOpened = onOpened
    this.routes = table.routes
    this.redirects = redirects
    this.shell = table.shell
    this.base = table.base ?? ''
  }

  /** @param onOpened told when its shell takes memory from now on */
  static async of(project: Kept, table: RoutingTable, onOpened: () => void = () => undefined): Promise<ServedRelease> {
    return new ServedRelease(project, table, {
      redirects: await inSlices(RedirectTable.from(table.redirects)),
      onOpened,
    })
  }

  /** Memory of its shell in bytes, about; 0 as long as no page was asked for. */
  get shellWeight(): number {
    return this.#shellWeight
  }

  asset(path: string): FileRoute | undefined {
    return this.project.asset(path)
  }

  /** The shell, read and parsed at the first page. */
  openShell(composer: Composer): Promise<OpenShell> {
    this.#opened ??= this.#readShell(composer)
    return this.#opened
  }

  async #readShell(composer: Composer): Promise<OpenShell> {
    try {
      const bytes = await this.project.blob(this.shell)
      const opened = await inSlices(composer.open(bytes))
      this.#shellWeight = bytes.length * openedSize
      this.#onOpened()
      return opened
    } catch (error) {
      // The next request tries again.
      this.#opened = undefined
      throw error
    }
  }

  /** Takes over the parsed shell of a release that has the same one. */
  adoptShell(other: ServedRelease): void {
    if (other.shell !== this.shell || this.#opened !== undefined) return
    this.#opened = other.#opened
    this.#shellWeight = other.#shellWeight
  }
}

/** Releases that are being served, the recently used ones, up to a number of bytes. */
export class ServedReleases {
  readonly #projects: OpenProjects
  readonly #maxBytes: number
  readonly #kept: LRUCache<string, ServedRelease>
  readonly #loading = new Map<string, Promise<ServedRelease | null>>()

  constructor(projects: OpenProjects, maxBytes: number) {
    this.#projects = projects
    this.#maxBytes = maxBytes
    this.#kept = new LRUCache({ maxSize: maxBytes })
  }

  peek(project: string, release: string): ServedRelease | undefined {
    return this.#kept.get(project + '/' + release)
  }

  /** Null when the release is not kept. */
  load(project: string, release: string): Promise<ServedRelease | null> {
    const key = project + '/' + release
    const kept = this.#kept.get(key)
    if (kept !== undefined) return Promise.resolve(kept)
    let loading = this.#loading.get(key)
    if (loading === undefined) {
      loading = this.#load(project, release).finally(() => this.#loading.delete(key))
      this.#loading.set(key, loading)
    }
    return loading
  }

  async #load(projectId: string, release: string): Promise<ServedRelease | null> {
    const project = await this.#projects.open(projectId)
    const routing = await project.routing(release)
    if (routing === null) return null
    const key = projectId + '/' + release
    const served = await ServedRelease.of(project, routing.table, () => {
      if (this.#kept.peek(key) === served) keep()
    })
    const keep = (): void => {
      const size = routing.weight + project.weight + served.shellWeight
      // The cache does not count what it has anew.
      this.#kept.delete(key)
      this.#kept.set(key, served, { size: Math.min(size, Math.ceil(this.#maxBytes / 2)) })
    }
    for (const [name, other] of this.#kept.entries()) if (name.startsWith(projectId + '/')) served.adoptShell(other)
    keep()
    return served
  }

  /** Lets go of a project's releases: all, or those that are not kept any more. */
  forget(projectId: string, isKept: (release: string) => boolean): void {
    for (const key of this.#kept.keys()) {
      if (key.startsWith(projectId + '/') && !isKept(key.slice(projectId.length + 1))) this.#kept.delete(key)
    }
  }
}
