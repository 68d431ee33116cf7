import type { LRUCache } from 'lru-cache'
import type { Git } from './git.ts'
import { sweep } from './layout.ts'
import { ObjectReader } from './object-reader.ts'
import { writeObjects } from './object-writer.ts'
import { blobOid, parseCommit } from './objects.ts'
import { Refs } from './refs.ts'
import {
  ObjectNotFound,
  type Author,
  type Commit,
  type NewFile,
  type Oid,
  type RefUpdate,
  type Repository,
  type Tree,
  type TreeChange,
} from './repository.ts'
import { Staging } from './staging.ts'
import { TreeReader, type TreeCache } from './tree-reader.ts'
import { replaceTree } from './tree-replacement.ts'

export interface GitRepositoryOptions {
  readonly slug: string
  /** Absolute path of the bare repository. */
  readonly directory: string
  readonly git: Git
  readonly trees: TreeCache
  readonly commits: LRUCache<string, Commit>
  readonly onReaderStart?: (reader: ObjectReader) => void
}

const longRun = 30 * 60_000
let instances = 0

/** A bare repository on a local disk. */
export class GitRepository implements Repository {
  readonly slug: string
  readonly directory: string
  readonly #git: Git
  readonly #objects: ObjectReader
  readonly #trees: TreeReader
  readonly #commits: LRUCache<string, Commit>
  readonly #refs: Refs
  /** Part of cache keys: a project may be removed and made anew under the same slug. */
  readonly #scope = String(instances++)
  readonly #writing = new Set<Promise<unknown>>()
  #maintenance: Promise<void> | null = null

  constructor(options: GitRepositoryOptions) {
    this.slug = options.slug
    this.directory = options.directory
    this.#git = options.git
    this.#objects = new ObjectReader(options.git, options.directory, options.onReaderStart)
    this.#trees = new TreeReader(this.#objects, options.trees, this.#scope)
    this.#commits = options.commits
    this.#refs = new Refs(options.git, options.directory)
  }

  resolveRef(ref: string): Promise<Oid | null> {
    return this.#refs.resolve(ref)
  }

  listRefs(prefix: string): Promise<ReadonlyMap<string, Oid>> {
    return this.#refs.list(prefix)
  }

  updateRefs(updates: readonly RefUpdate[]): Promise<void> {
    return this.#refs.update(updates)
  }

  async readTree(treeish: Oid): Promise<Tree> {
    return this.#trees.files(await this.#treeOf(treeish))
  }

  async diffTrees(before: Oid | null, after: Oid): Promise<readonly TreeChange[]> {
    return this.#trees.diff(before === null ? null : await this.#treeOf(before), await this.#treeOf(after))
  }

  async readCommit(oid: Oid): Promise<Commit> {
    const commit = await this.#findCommit(oid)
    if (!commit) throw new ObjectNotFound(`commit ${oid} in ${this.directory}`)
    return commit
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
    const stores = { git: this.#git, directory: this.directory, objects: this.#objects, trees: this.#trees }
    return this.#write(() => replaceTree(stores, { ...request, parent, trustUnreachable: this.#maintenance === null }))
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

  maintain(): Promise<void> {
    // From here on writers trust no unreachable object; gc waits for those who still did.
    this.#maintenance ??= this.#collect().finally(() => (this.#maintenance = null))
    return this.#maintenance
  }

  async close(): Promise<void> {
    await Promise.all([this.#objects.close(), this.#refs.close()])
  }

  async #collect(): Promise<void> {
    await Promise.allSettled(this.#writing)
    await this.#git.check(['gc', '--cruft', '--prune=2.weeks.ago', '--quiet'], {
      directory: this.directory,
      timeout: longRun,
    })
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

  async #treeOf(treeish: Oid): Promise<Oid> {
    return (await this.#findCommit(treeish))?.tree ?? treeish
  }

  async #findCommit(oid: Oid): Promise<Commit | null> {
    const key = `${this.#scope} ${oid}`
    const known = this.#commits.get(key)
    if (known) return known
    const object = await this.#objects.read(oid)
    if (object?.type !== 'commit') return null
    const commit = parseCommit(oid, object.body)
    this.#commits.set(key, commit)
    return commit
  }
}
