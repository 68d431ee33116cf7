import { LRUCache } from 'lru-cache'
import { limits } from '../contract/limits.ts'
import { takesNoMoreChanges } from '../lib/disk.ts'
import { eachInTurns, isTurnOver, nextTurn } from '../lib/slices.ts'
import { commitChanges, commitTree, replaceTree, writeBlobs } from './changes/new-commits.ts'
import type { Git } from './git/git.ts'
import { diff, log } from './history.ts'
import { lastChanges } from './last-changes.ts'
import { merge, mergeBase } from './merge/git-merge.ts'
import { resolveMerge, withoutResolutions } from './merge/resolve-merge.ts'
import {
  CommitReader,
  type CommitCache,
  TreeReader,
  type TreeCache,
  type GitObjectStore,
} from './objects/object-store.ts'
import { GarbageCollection } from './objects/garbage-collection.ts'
import { GitObjectDatabase } from './objects/git-object-database.ts'
import { throughLinks } from './objects/links.ts'
import { taggedBy } from './objects/objects.ts'
import { Refs } from './refs/refs.ts'
import {
  ObjectNotFound,
  type Author,
  type BareRepository,
  type Commit,
  type FileChange,
  type FileDiff,
  type Links,
  type LogEntry,
  type MergeResult,
  type NewFile,
  type Oid,
  type RefUpdate,
  type Resolution,
  type Tree,
  type TreeChange,
} from './repository.ts'

/** A process of git that stays until it is idle, or is closed. */
export interface LastingProcess {
  close(): Promise<void>
}

export interface GitRepositoryOptions {
  readonly projectId: string
  /** Absolute path of the bare repository. */
  readonly directory: string
  readonly git: Git
  readonly trees: TreeCache
  readonly commits: CommitCache
  /** Told each time that a process was started which reads objects, so that an owner can bound their number. */
  readonly onProcessStart?: (process: LastingProcess) => void
  /** Told after each ref transaction: a save, a push, a deploy. */
  readonly onUpdate?: ((repository: BareRepository) => void) | undefined
}

/** Milliseconds of a check of all objects. */
const longestCheck = 30 * 60_000
let instances = 0

/** A bare repository on a local disk. */
export class GitRepository implements BareRepository {
  readonly projectId: string
  readonly directory: string
  readonly #git: Git
  readonly #objects: GitObjectDatabase
  readonly #trees: TreeReader
  readonly #commits: CommitReader
  readonly #refs: Refs
  readonly #store: GitObjectStore
  readonly #garbage: GarbageCollection
  readonly #onUpdate: (repository: BareRepository) => void
  #isWriting = true
  /** Bounded by size: a bound of their number has its room from the start, half a megabyte for each repository. */
  readonly #sizes = new LRUCache<Oid, number>({ maxSize: limits.files, sizeCalculation: () => 1 })

  constructor(options: GitRepositoryOptions) {
    this.projectId = options.projectId
    this.directory = options.directory
    this.#git = options.git
    this.#objects = new GitObjectDatabase(options.git, options.directory, options.onProcessStart)
    // Part of cache keys: a project may be removed and made anew under the same id.
    const scope = String(instances++)
    this.#trees = new TreeReader(this.#objects, options.trees, scope)
    this.#commits = new CommitReader(this.#objects, options.commits, scope)
    this.#refs = new Refs(options.git, options.directory)
    this.#onUpdate = options.onUpdate ?? (() => undefined)
    this.#garbage = new GarbageCollection({
      git: options.git,
      directory: options.directory,
      packRefs: () => this.#refs.pack(),
    })
    this.#store = {
      git: this.#git,
      directory: this.directory,
      objects: this.#objects,
      trees: this.#trees,
      commits: this.#commits,
    }
  }

  resolveRef(ref: string): Promise<Oid | null> {
    return this.#refs.resolve(ref)
  }

  listRefs(prefix: string): Promise<ReadonlyMap<string, Oid>> {
    return this.#refs.list(prefix)
  }

  async updateRefs(updates: readonly RefUpdate[], { journal = false } = {}): Promise<void> {
    if (!this.#isWriting) throw takesNoMoreChanges()
    await this.#refs.update(updates, journal)
    this.#onUpdate(this)
  }

  async readTree(treeish: Oid): Promise<Tree> {
    return (await this.#trees.followed(await this.#commits.treeOf(treeish))).files
  }

  async readLinks(treeish: Oid): Promise<Links> {
    return (await this.#trees.followed(await this.#commits.treeOf(treeish))).links
  }

  async diffTrees(before: Oid | null, after: Oid): Promise<readonly TreeChange[]> {
    const [old, now] = await Promise.all([
      before === null ? null : this.#commits.treeOf(before),
      this.#commits.treeOf(after),
    ])
    return this.#trees.diff(old, now)
  }

  readCommit(oid: Oid): Promise<Commit> {
    return this.#commits.read(oid)
  }

  async peel(oid: Oid): Promise<Oid> {
    return (await this.#commits.find(oid)) === null ? taggedBy(this.#objects, oid) : oid
  }

  async readBlob(oid: Oid): Promise<Buffer> {
    const object = await this.#objects.read(oid)
    if (object?.type !== 'blob') throw new ObjectNotFound(`blob ${oid} in ${this.directory}`)
    return object.body
  }

  async blobSizes(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, number>> {
    const sizes = new Map<Oid, number>()
    await eachInTurns(new Set(oids), async (oid) => {
      const size = this.#sizes.get(oid) ?? (await this.#objects.blobSize(oid))
      if (size === null) return
      this.#sizes.set(oid, size)
      sizes.set(oid, size)
    })
    return sizes
  }

  writeBlobs(contents: readonly Uint8Array[]): Promise<readonly Oid[]> {
    return this.#garbage.write(() => writeBlobs(this.#store, contents))
  }

  async replaceTree(request: {
    readonly files: readonly NewFile[]
    readonly parent: Oid | null
    readonly author: Author
    readonly message: string
  }): Promise<{ readonly commit: Oid; readonly tree: Oid }> {
    // A ref will soon be moved to the commit: starting the process for that takes a while.
    this.#refs.warm()
    const parent = request.parent === null ? null : await this.readCommit(request.parent)
    return this.#garbage.write(() =>
      replaceTree(this.#store, { ...request, parent, trustUnreachable: !this.#garbage.running }),
    )
  }

  commitChanges(request: {
    readonly parent: Oid
    readonly changes: readonly FileChange[]
    readonly author: Author
    readonly message: string
  }): Promise<{ readonly commit: Oid; readonly tree: Oid; readonly oids: ReadonlyMap<string, Oid | null> }> {
    this.#refs.warm()
    return this.#garbage.write(() => commitChanges(this.#store, request))
  }

  commitTree(request: {
    readonly tree: Oid
    readonly parents: readonly Oid[]
    readonly author: Author
    readonly message: string
  }): Promise<Oid> {
    this.#refs.warm()
    return this.#garbage.write(() => commitTree(this.#store, request))
  }

  mergeBase(a: Oid, b: Oid): Promise<Oid | null> {
    return mergeBase(this.#store, a, b)
  }

  mergeTree(main: Oid, branch: Oid): Promise<MergeResult> {
    return this.#garbage.write(async () =>
      withoutResolutions(this.#store, main, await merge(this.#store, main, branch)),
    )
  }

  resolveMerge(request: {
    readonly main: Oid
    readonly branch: Oid
    readonly resolutions: readonly Resolution[]
  }): Promise<MergeResult> {
    const { main, branch, resolutions } = request
    return this.#garbage.write(async () =>
      resolveMerge(this.#store, main, { ...(await merge(this.#store, main, branch)), resolutions }),
    )
  }

  diff(before: Oid, after: Oid, path?: string): Promise<readonly FileDiff[]> {
    return diff(this.#store, { before, after, path })
  }

  async log(request: {
    readonly from: Oid
    readonly path?: string | undefined
    readonly limit: number
    readonly after?: Oid | undefined
  }): Promise<readonly LogEntry[]> {
    const { path } = request
    if (path === undefined) return log(this.#store, request)
    return log(this.#store, { ...request, path: throughLinks(path, await this.readLinks(request.from)) })
  }

  async lastChanges(from: Oid, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const links = await this.readLinks(from)
    if (links.followed.size === 0) return lastChanges(this.#store, from, paths)
    const places = new Map<string, string>()
    for (const path of paths) {
      if (isTurnOver()) await nextTurn()
      places.set(path, throughLinks(path, links))
    }
    const times = await lastChanges(this.#store, from, [...new Set(places.values())])
    const found = new Map<string, number>()
    for (const [path, place] of places) {
      const time = times.get(place)
      if (time !== undefined) found.set(path, time)
    }
    return found
  }

  async fsck(signal?: AbortSignal): Promise<readonly string[]> {
    const args = ['fsck', '--full', '--strict', '--no-dangling', '--no-progress']
    const { code, stdout, stderr } = await this.#git.run(args, {
      directory: this.directory,
      timeout: longestCheck,
      background: true,
      ...(signal ? { signal } : {}),
    })
    const lines = `${stdout.toString()}\n${stderr}`
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('notice: '))
    return code !== 0 && lines.length === 0 ? [`git fsck ended with code ${code}`] : lines
  }

  maintain(signal?: AbortSignal): Promise<void> {
    return this.#garbage.run(signal)
  }

  holdMaintenance(): Promise<() => void> {
    return this.#garbage.hold()
  }

  withoutMaintenance<T>(work: () => Promise<T>): Promise<T> {
    return this.#garbage.without(work)
  }

  withRefsLocked<T>(work: () => Promise<T>): Promise<T> {
    return this.#refs.withRefsLocked(work)
  }

  /** Refs stay as they are from now on; resolves when transactions under way have ended. */
  async stopWriting(): Promise<void> {
    this.#isWriting = false
    await this.#refs.withRefsLocked(() => this.#refs.close())
  }

  async close(): Promise<void> {
    await Promise.all([this.#objects.close(), this.#refs.close()])
  }
}
