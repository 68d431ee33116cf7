import { pageOf } from '../lib/pages.ts'
import { emptyTree, isOid } from '../content/objects/objects.ts'
import { branchRef, mainRef } from '../content/refs/ref-names.ts'
import type { Author, Oid, Repository, Tree } from '../content/repository.ts'
import { encodeContent } from '../content/changes/sent-content.ts'
import { normaliseBranchName } from '../content/refs/branch-names.ts'
import type { Branch, BranchFile, BranchFileContent, FileDiff, HistoryCommit } from '../contract/branches.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { pageItems } from '../contract/common.ts'
import { unknownCursor } from '../contract/cursor.ts'
import { Failure } from '../contract/failure.ts'
import type { FileContent } from '../contract/files.ts'
import { Comparisons } from './comparison.ts'
import { Creation } from './creation.ts'
import { Heads } from './heads.ts'
import { previewLabel } from './label.ts'
import { Merges, type MergeRequest } from './merges.ts'
import type { BranchingPorts, LandOrder, LandedDeploy } from './ports.ts'
import { Presenter, presentCommit, presentDiff, presentFiles } from './present.ts'
import { Previews, type PreviewListener } from './previews.ts'
import { Pushes } from './push.ts'
import { Registry, type Entry } from './registry.ts'
import { Saves, oidAt } from './saves.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'

/** Git knows it without having it. */

/** Everything about branches: their refs and records, saves, merges, previews. */
export class Branches {
  readonly #ports: BranchingPorts
  readonly #registry: Registry
  readonly #heads: Heads
  readonly #previews: Previews
  readonly #creation: Creation
  readonly #comparisons = new Comparisons()
  readonly #presenter: Presenter
  readonly #merges: Merges
  #recovering: Promise<void> = Promise.resolve()
  #closed = false
  readonly saves: Saves
  /** Where pushes arrive. */
  readonly pushes: Pushes

  constructor(ports: BranchingPorts) {
    const mutex = new KeyedMutex()
    this.#ports = ports
    const registry = new Registry(ports)
    const previews = new Previews(ports, registry)
    const heads = new Heads({
      ports,
      registry,
      mutex,
      moved: (entry) => previews.request(entry),
      removed: (entry) => previews.drop(entry),
    })
    const creation = new Creation({ ports, registry, mutex, previews })
    const comparisons = this.#comparisons
    this.#registry = registry
    this.#previews = previews
    this.#heads = heads
    this.#creation = creation
    this.#presenter = new Presenter({ slugOf: ports.slugOf, urlOf: ports.urlOf, previews, comparisons })
    this.#merges = new Merges({
      heads,
      mutex,
      comparisons,
      onError: (error, slug) => ports.log.warn({ err: error, slug }, 'the record of a published branch could not go'),
    })
    this.saves = new Saves(heads)
    this.pushes = new Pushes({ ports, heads, registry, mutex, previews, creation })
  }

  /** See `Creation.copy`. */
  async create(
    slug: string,
    request: { readonly name: string; readonly from?: string; readonly author: Author },
  ): Promise<Branch> {
    const { id } = await this.#creation.copy(slug, request)
    return this.read(slug, id)
  }

  /** Whether there is a branch of that name. Throws `not_found` for the project. */
  async exists(slug: string, name: string): Promise<boolean> {
    const repository = await this.#ports.repositories.open(slug)
    return (await repository.resolveRef(branchRef(name))) !== null
  }

  /** Newest first. */
  async list(slug: string, query: ListQuery & { readonly name?: string }): Promise<List<Branch>> {
    const wanted = query.name === undefined ? undefined : normaliseBranchName(query.name)
    const found = (await this.#heads.all(slug)).filter(({ entry }) => wanted === undefined || entry.name === wanted)
    const page = pageOf(found, query, ({ entry }) => `${entry.createdAt} ${entry.id}`)
    const items: Branch[] = []
    for (const branch of page.items) items.push(await this.#presenter.branch(branch))
    return { ...page, items }
  }

  /** Throws `not_found`, as all that take an id. */
  async read(slug: string, id: string): Promise<Branch> {
    return this.#presenter.branch(await this.#heads.find(slug, id))
  }

  /** Deletes a branch with its record and preview. */
  remove(slug: string, id: string): Promise<void> {
    return this.#heads.remove(slug, id)
  }

  /** All files, with what the branch changed since it left main. */
  async files(slug: string, id: string): Promise<{ head: Oid; items: BranchFile[] }> {
    const { repository, head } = await this.#heads.find(slug, id)
    const changes = await this.#changesOf(repository, head)
    const tree = await repository.readTree(head)
    const deleted = [...changes.values()].flatMap(({ before, after }) => (after === null && before ? [before.oid] : []))
    const sizes = await repository.blobSizes([...[...tree.values()].map(({ oid }) => oid), ...deleted])
    return { head, items: presentFiles(tree, changes, sizes) }
  }

  async readFile(slug: string, id: string, path: string): Promise<BranchFileContent> {
    const { repository, head, entry } = await this.#heads.find(slug, id)
    const file = await contentOf(repository, await repository.readTree(head), { path, where: entry.name })
    const change = (await this.#changesOf(repository, head)).get(file.path)
    const status = change === undefined ? 'unchanged' : change.before === null ? 'added' : 'modified'
    return { ...file, status, commit: head }
  }

  /** A file of main. Throws `not_found`. */
  async readMainFile(slug: string, path: string): Promise<FileContent> {
    const repository = await this.#ports.repositories.open(slug)
    const main = await repository.resolveRef(mainRef)
    const tree: Tree = main === null ? new Map() : await repository.readTree(main)
    return contentOf(repository, tree, { path, where: 'main' })
  }

  /** Changes since the branch left main, as lines and words. */
  async diff(slug: string, id: string, path?: string): Promise<{ base?: Oid; head: Oid; files: FileDiff[] }> {
    const { repository, head } = await this.#heads.find(slug, id)
    const base = await this.#comparisons.base(repository, await repository.resolveRef(mainRef), head)
    const files = await repository.diff(base ?? emptyTree, head, path)
    return { ...(base === null ? {} : { base }), head, files: files.map(presentDiff) }
  }

  /** Commits of a branch, newest first; with a path only those that touched the file. */
  async history(slug: string, id: string, query: ListQuery & { readonly path?: string }): Promise<List<HistoryCommit>> {
    const { repository, head } = await this.#heads.find(slug, id)
    const { path, limit = pageItems, cursor } = query
    if (cursor !== undefined && !isOid(cursor)) throw unknownCursor()
    const commits = await repository.log({ from: head, path, limit: limit + 1, after: cursor })
    const page = commits.slice(0, limit)
    const last = page.at(-1)
    return {
      items: page.map(presentCommit),
      ...(commits.length > limit && last !== undefined ? { nextCursor: last.oid } : {}),
    }
  }

  /** Merges main into a branch. Failures: `merge_conflict`. */
  async update(request: MergeRequest): Promise<Branch> {
    return this.#presenter.branch(await this.#merges.update(request))
  }

  /** Publishes a branch, or without an id main again. Failures: `merge_conflict` and those of the pipeline. */
  async publish(
    order: LandOrder,
    what: Pick<MergeRequest, 'resolutions'> & { readonly id?: string },
  ): Promise<LandedDeploy> {
    const { slug, author, message } = order
    const { id, resolutions } = what
    if (id === undefined && resolutions !== undefined && resolutions.length > 0) {
      throw new Failure('invalid_request', 'Main alone has no conflicts that `resolutions` could settle.', {
        hint: 'Send `branchId`, too, to publish a branch.',
      })
    }
    const request = { slug, author, message, resolutions }
    return this.#ports.deploys.land(order, async () =>
      id === undefined ? this.#merges.publishMain() : this.#merges.publish({ ...request, id }),
    )
  }

  /** The branch whose preview has this label. Only memory is looked at. */
  atLabel(label: string): Entry | undefined {
    return this.#registry.byLabel(label)
  }

  /** The label of the preview that had another one while its project had the slug `former`; undefined for none. */
  labelSince(slug: string, former: string, label: string): string | undefined {
    return this.#registry.entries(slug).find(({ name }) => previewLabel(former, name) === label)?.label
  }

  /** The project has another slug, and its previews other hosts. */
  renamed(slug: string): void {
    this.#registry.renamed(slug)
  }

  /** Tells what happens to a preview. Returns how to stop. */
  watch(entry: Entry, listener: PreviewListener): () => void {
    return this.#previews.watch(entry, listener)
  }

  /** Releases that previews of a project show. */
  releases(slug: string): readonly string[] {
    return this.#registry.entries(slug).flatMap(({ served }) => (served === undefined ? [] : [served.release]))
  }

  /** The project is being removed: ends what is built of it. */
  async leave(slug: string): Promise<void> {
    const entries = this.#registry.leave(slug)
    for (const entry of entries) this.#previews.drop(entry)
    await this.#previews.idle(entries)
  }

  /** At start, after the deploys’ recovery: learns what is on record. */
  load(): Promise<void> {
    return this.#registry.load()
  }

  /**
   * After the start: records follow the refs again, and previews that a crash kept from being built or that hosting does
   * not have are built.
   */
  recoverInBackground(): void {
    this.#recovering = this.#recoverAll()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#recovering, this.#previews.close()])
  }

  async #recoverAll(): Promise<void> {
    for (const slug of this.#registry.slugs()) {
      if (this.#closed) return
      try {
        await this.#recover(slug)
      } catch (error) {
        // One damaged project must not keep the others from their previews.
        this.#ports.log.error({ err: error, slug }, 'the branches of a project could not be recovered')
      }
    }
  }

  async #recover(slug: string): Promise<void> {
    const releases = await this.#ports.hosting.open(slug)
    for (const { entry, head } of await this.#heads.all(slug)) {
      const kept = entry.served !== undefined && releases.keeps(entry.served.release)
      if (entry.build?.commit !== head || (entry.build.status === 'live' && !kept)) this.#previews.request(entry)
    }
  }

  async #changesOf(repository: Repository, head: Oid) {
    const base = await this.#comparisons.base(repository, await repository.resolveRef(mainRef), head)
    return new Map((await this.#comparisons.changes(repository, base, head)).map((change) => [change.path, change]))
  }
}

async function contentOf(
  repository: Repository,
  tree: Tree,
  { path, where }: { readonly path: string; readonly where: string },
): Promise<FileContent> {
  const oid = oidAt(tree, path)
  if (oid === null) throw new Failure('not_found', `There is no file ${path} on ${where}.`)
  const bytes = await repository.readBlob(oid)
  return { path: tree.has(path) ? path : path.normalize('NFC'), oid, size: bytes.length, ...encodeContent(bytes) }
}
