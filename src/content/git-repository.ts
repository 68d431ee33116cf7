import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { syncDirectory } from '../lib/disk.ts'
import { commitChanges } from './changes/commit-changes.ts'
import { CommitReader, type CommitCache } from './objects/commit-reader.ts'
import { commitTree } from './objects/commit-tree.ts'
import { diff } from './history/diff.ts'
import type { Git } from './git/git.ts'
import { sweep } from './layout.ts'
import { Holds } from './holds.ts'
import { log } from './history/log.ts'
import { mergeBase, mergeTree } from './merge/merge.ts'
import { ObjectReader } from './objects/object-reader.ts'
import { writeObjects } from './objects/object-writer.ts'
import { blobOid } from './objects/objects.ts'
import { Refs } from './refs/refs.ts'
import {
  ObjectNotFound,
  type Author,
  type Commit,
  type FileChange,
  type FileDiff,
  type LogEntry,
  type MergeResult,
  type NewFile,
  type Oid,
  type RefUpdate,
  type Repository,
  type Resolution,
  type Tree,
  type TreeChange,
} from './repository.ts'
import { resolveMerge } from './merge/resolve-merge.ts'
import { Staging } from './objects/staging.ts'
import type { Stores } from './objects/stores.ts'
import { TreeReader, type TreeCache } from './objects/tree-reader.ts'
import { replaceTree } from './changes/tree-replacement.ts'

export interface GitRepositoryOptions {
  readonly slug: string
  /** Absolute path of the bare repository. */
  readonly directory: string
  readonly git: Git
  readonly trees: TreeCache
  readonly commits: CommitCache
  readonly onReaderStart?: (reader: ObjectReader) => void
  /** Told after each ref transaction: a save, a push, a deploy. */
  readonly onUpdate?: ((repository: Repository) => void) | undefined
}

/** The files of a large site. */
const rememberedSizes = 20_000
const longRun = 30 * 60_000
let instances = 0

/** A bare repository on a local disk. */
export class GitRepository implements Repository {
  readonly slug: string
  readonly directory: string
  readonly #git: Git
  readonly #objects: ObjectReader
  readonly #trees: TreeReader
  readonly #commits: CommitReader
  readonly #refs: Refs
  readonly #stores: Stores
  readonly #onUpdate: (repository: Repository) => void
  readonly #sizes = new LRUCache<Oid, number>({ max: rememberedSizes })
  readonly #writing = new Set<Promise<unknown>>()
  #maintenance: Promise<void> | null = null
  /** A collection that waits until nobody holds it back, or runs. */
  #wanted: Promise<void> | null = null
  readonly #holds = new Holds()

  constructor(options: GitRepositoryOptions) {
    this.slug = options.slug
    this.directory = options.directory
    this.#git = options.git
    this.#objects = new ObjectReader(options.git, options.directory, options.onReaderStart)
    // Part of cache keys: a project may be removed and made anew under the same slug.
    const scope = String(instances++)
    this.#trees = new TreeReader(this.#objects, options.trees, scope)
    this.#commits = new CommitReader(this.#objects, options.commits, scope)
    this.#refs = new Refs(options.git, options.directory)
    this.#onUpdate = options.onUpdate ?? (() => undefined)
    this.#stores = {
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

  async updateRefs(updates: readonly RefUpdate[]): Promise<void> {
    await this.#refs.update(updates)
    this.#onUpdate(this)
  }

  async readTree(treeish: Oid): Promise<Tree> {
    return this.#trees.files(await this.#commits.treeOf(treeish))
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

  async readBlob(oid: Oid): Promise<Buffer> {
    const object = await this.#objects.read(oid)
    if (object?.type !== 'blob') throw new ObjectNotFound(`blob ${oid} in ${this.directory}`)
    return object.body
  }

  async hasBlobs(oids: readonly Oid[]): Promise<ReadonlySet<Oid>> {
    const unique = [...new Set(oids)]
    const types = await Promise.all(unique.map((oid) => this.#objects.type(oid)))
    return new Set(unique.filter((_, index) => types[index] === 'blob'))
  }

  async blobSizes(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, number>> {
    const sizes = new Map<Oid, number>()
    await Promise.all(
      [...new Set(oids)].map(async (oid) => {
        const size = this.#sizes.get(oid) ?? (await this.#objects.blobSize(oid))
        if (size === null) return
        this.#sizes.set(oid, size)
        sizes.set(oid, size)
      }),
    )
    return sizes
  }

  /** Also what is there already is written: an older copy that no ref keeps may be near its end. */
  async writeBlobs(contents: readonly Uint8Array[]): Promise<readonly Oid[]> {
    const staging = new Staging()
    const oids = contents.map((content) => {
      const oid = blobOid(content)
      staging.addBlob(oid, content)
      return oid
    })
    await this.#write(() => writeObjects(this.#git, this.directory, staging, staging.oids))
    return oids
  }

  async replaceTree(request: {
    readonly files: readonly NewFile[]
    readonly parent: Oid | null
    readonly author: Author
    readonly message: string
  }): Promise<{ readonly commit: Oid; readonly tree: Oid }> {
    // The commit will soon be some ref’s: by then the process that moves it is there.
    this.#refs.warm()
    const parent = request.parent === null ? null : await this.readCommit(request.parent)
    return this.#write(() =>
      replaceTree(this.#stores, { ...request, parent, trustUnreachable: this.#maintenance === null }),
    )
  }

  commitChanges(request: {
    readonly parent: Oid
    readonly changes: readonly FileChange[]
    readonly author: Author
    readonly message: string
  }): Promise<{ readonly commit: Oid; readonly tree: Oid; readonly oids: ReadonlyMap<string, Oid | null> }> {
    this.#refs.warm()
    return this.#write(() => commitChanges(this.#stores, request))
  }

  commitTree(request: {
    readonly tree: Oid
    readonly parents: readonly Oid[]
    readonly author: Author
    readonly message: string
  }): Promise<Oid> {
    this.#refs.warm()
    return this.#write(() => commitTree(this.#stores, request))
  }

  mergeBase(a: Oid, b: Oid): Promise<Oid | null> {
    return mergeBase(this.#stores, a, b)
  }

  mergeTree(main: Oid, branch: Oid): Promise<MergeResult> {
    return this.#write(() => mergeTree(this.#stores, main, branch))
  }

  resolveMerge(request: {
    readonly main: Oid
    readonly branch: Oid
    readonly resolutions: readonly Resolution[]
  }): Promise<MergeResult> {
    return this.#write(() => resolveMerge(this.#stores, request))
  }

  diff(before: Oid, after: Oid, path?: string): Promise<readonly FileDiff[]> {
    return diff(this.#stores, { before, after, path })
  }

  log(request: {
    readonly from: Oid
    readonly path?: string | undefined
    readonly limit: number
    readonly after?: Oid | undefined
  }): Promise<readonly LogEntry[]> {
    return log(this.#stores, request)
  }

  async fsck(): Promise<readonly string[]> {
    const args = ['fsck', '--full', '--strict', '--no-dangling', '--no-progress']
    const { code, stdout, stderr } = await this.#git.run(args, { directory: this.directory, timeout: longRun })
    const lines = `${stdout.toString()}\n${stderr}`
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('notice: '))
    return code !== 0 && lines.length === 0 ? [`git fsck ended with code ${code}`] : lines
  }

  sweepLocks(): Promise<readonly string[]> {
    return sweep(this.directory)
  }

  maintain(signal?: AbortSignal): Promise<void> {
    this.#wanted ??= this.#maintain(signal).finally(() => (this.#wanted = null))
    return this.#wanted
  }

  whileStill<T>(work: () => Promise<T>): Promise<T> {
    return this.#refs.whileStill(work)
  }

  async holdMaintenance(): Promise<() => void> {
    const release = this.#holds.take()
    while (this.#maintenance) await Promise.allSettled([this.#maintenance])
    return release
  }

  async #maintain(signal: AbortSignal | undefined): Promise<void> {
    // Asked again: somebody may have come before this went on.
    while (this.#holds.any) await this.#holds.released(signal)
    // From here on writers trust no unreachable object; gc waits for those who still did.
    this.#maintenance = this.#collect(signal).finally(() => (this.#maintenance = null))
    await this.#maintenance
  }

  async withoutMaintenance<T>(work: () => Promise<T>): Promise<T> {
    while (this.#maintenance) await Promise.allSettled([this.#maintenance])
    return this.#write(work)
  }

  async close(): Promise<void> {
    await Promise.all([this.#objects.close(), this.#refs.close()])
  }

  async #collect(signal: AbortSignal | undefined): Promise<void> {
    await Promise.allSettled(this.#writing)
    // One thread and a bounded window: a large repository must not starve those who read and write meanwhile.
    const config = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m']
    await this.#git.check([...config, 'gc', '--cruft', '--prune=2.weeks.ago', '--quiet'], {
      directory: this.directory,
      timeout: longRun,
      background: true,
      ...(signal ? { signal } : {}),
    })
    await syncDirectory(join(this.directory, 'objects', 'pack'))
    await syncDirectory(this.directory)
  }

  async #write<T>(work: () => Promise<T>): Promise<T> {
    const running = work()
    this.#writing.add(running)
    try {
      return await running
    } finally {
      this.#writing.delete(running)
    }
  }
}
