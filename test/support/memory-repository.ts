import { dirname } from 'node:path'
import { Errors, findMergeBase, readObject } from 'isomorphic-git'
import { LRUCache } from 'lru-cache'
import { createFsFromVolume, Volume } from 'memfs'
import pLimit from 'p-limit'
import { commitChanges, commitTree, replaceTree, writeBlobs } from '#content/changes/new-commits.ts'
import { markHunks } from '#content/history.ts'
import { resolveMerge, withoutResolutions, type Merge } from '#content/merge/resolve-merge.ts'
import { CommitReader, TreeReader, type ObjectStore } from '#content/objects/object-store.ts'
import { looseName } from '#content/objects/object-writer.ts'
import {
  taggedBy,
  type GitObject,
  type ObjectDatabase,
  type ObjectSource,
  type ObjectType,
} from '#content/objects/objects.ts'
import { checkRefName, nameConflict, staleRef } from '#content/refs/ref-names.ts'
import {
  isOid,
  ObjectNotFound,
  type Commit,
  type FileDiff,
  type Links,
  type LogEntry,
  type MergeResult,
  type Oid,
  type RefUpdate,
  type Repository,
  type Tree,
  type TreeChange,
  type TreeFile,
} from '#content/repository.ts'
import { Failure } from '#contract/failure.ts'
import { hunksOf, withRenames } from './memory-diff.ts'
import { mergeTrees } from './memory-merge.ts'

const gitdir = '/repository'

/** Loose objects on a memfs volume, read by isomorphic-git. */
class MemoryObjects implements ObjectDatabase {
  readonly fs = createFsFromVolume(Volume.fromJSON({}, gitdir))

  async read(oid: Oid): Promise<GitObject | null> {
    if (!isOid(oid)) return null
    try {
      const found = await readObject({ fs: this.fs, gitdir, oid, format: 'content' })
      if (found.format !== 'content') throw new Error(`isomorphic-git read ${oid} as ${found.format}`)
      return { type: found.type, body: Buffer.from(found.object), size: found.object.length }
    } catch (error) {
      if (error instanceof Errors.NotFoundError) return null
      throw error
    }
  }

  async type(oid: Oid): Promise<ObjectType | null> {
    return (await this.read(oid))?.type ?? null
  }

  async blobSize(oid: Oid): Promise<number | null> {
    const object = await this.read(oid)
    return object?.type === 'blob' ? object.size : null
  }

  async write(source: ObjectSource, oids: readonly Oid[]): Promise<void> {
    for (const oid of oids) {
      const path = `${gitdir}/objects/${looseName(oid)}`
      this.fs.mkdirSync(dirname(path), { recursive: true })
      this.fs.writeFileSync(path, await source.looseFile(oid))
    }
  }
}

/**
 * A repository in memory, for tests of what is built on repositories: the service’s own code for trees and commits over
 * objects that isomorphic-git keeps on a memfs volume. It holds to the contract of the port, and no process of git is
 * ever started. Unlike git it follows a renamed file only when its content is the same, and not in a merge.
 */
export class MemoryRepository implements Repository {
  readonly projectId: string
  readonly #objects = new MemoryObjects()
  readonly #store: ObjectStore
  readonly #refs = new Map<string, Oid>()
  /** One ref transaction at a time. */
  readonly #turn = pLimit(1)

  constructor(projectId: string) {
    this.projectId = projectId
    this.#store = {
      objects: this.#objects,
      trees: new TreeReader(this.#objects, new LRUCache({ maxSize: 100_000 }), projectId),
      commits: new CommitReader(this.#objects, new LRUCache({ max: 1_000 }), projectId),
    }
  }

  peel(oid: Oid): Promise<Oid> {
    return taggedBy(this.#objects, oid)
  }

  async resolveRef(ref: string): Promise<Oid | null> {
    checkRefName(ref)
    return this.#refs.get(ref) ?? null
  }

  async listRefs(prefix: string): Promise<ReadonlyMap<string, Oid>> {
    checkRefName(`${prefix}x`)
    return new Map([...this.#refs].filter(([ref]) => ref.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  updateRefs(updates: readonly RefUpdate[]): Promise<void> {
    return this.#turn(async () => {
      for (const { ref, new: oid } of updates) {
        checkRefName(ref)
        if (oid !== null && (await this.#objects.type(oid)) === null) throw new Error(`${ref}: no object ${oid}`)
      }
      const after = new Map(this.#refs)
      for (const { ref, old, new: oid } of updates) {
        const actual = this.#refs.get(ref) ?? null
        if (old !== undefined && old !== actual) throw staleRef(ref, old, actual)
        if (oid === null) after.delete(ref)
        else after.set(ref, oid)
      }
      for (const { ref, new: oid } of updates) {
        if (oid !== null && [...after.keys()].some((other) => isFolderOf(ref, other) || isFolderOf(other, ref)))
          throw nameConflict(ref)
      }
      this.#refs.clear()
      for (const [ref, oid] of after) this.#refs.set(ref, oid)
    })
  }

  async readTree(treeish: Oid): Promise<Tree> {
    return (await this.#store.trees.followed(await this.#store.commits.treeOf(treeish))).files
  }

  async readLinks(treeish: Oid): Promise<Links> {
    return (await this.#store.trees.followed(await this.#store.commits.treeOf(treeish))).links
  }

  async diffTrees(before: Oid | null, after: Oid): Promise<readonly TreeChange[]> {
    const { commits, trees } = this.#store
    return trees.diff(before === null ? null : await commits.treeOf(before), await commits.treeOf(after))
  }

  readCommit(oid: Oid): Promise<Commit> {
    return this.#store.commits.read(oid)
  }

  async readBlob(oid: Oid): Promise<Buffer> {
    const object = await this.#objects.read(oid)
    if (object?.type !== 'blob') throw new ObjectNotFound(`blob ${oid}`)
    return object.body
  }

  async blobSizes(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, number>> {
    const sizes = new Map<Oid, number>()
    for (const oid of oids) {
      const size = await this.#objects.blobSize(oid)
      if (size !== null) sizes.set(oid, size)
    }
    return sizes
  }

  writeBlobs(contents: readonly Uint8Array[]): Promise<readonly Oid[]> {
    return writeBlobs(this.#store, contents)
  }

  async replaceTree(request: Parameters<Repository['replaceTree']>[0]): ReturnType<Repository['replaceTree']> {
    const parent = request.parent === null ? null : await this.readCommit(request.parent)
    return replaceTree(this.#store, { ...request, parent, trustUnreachable: true })
  }

  commitChanges(request: Parameters<Repository['commitChanges']>[0]): ReturnType<Repository['commitChanges']> {
    return commitChanges(this.#store, request)
  }

  commitTree(request: Parameters<Repository['commitTree']>[0]): Promise<Oid> {
    return commitTree(this.#store, request)
  }

  async mergeBase(a: Oid, b: Oid): Promise<Oid | null> {
    const bases: Oid[] = await findMergeBase({ fs: this.#objects.fs, gitdir, oids: [a, b] })
    return bases[0] ?? null
  }

  async mergeTree(main: Oid, branch: Oid): Promise<MergeResult> {
    return withoutResolutions(this.#store, main, await this.#merge(main, branch))
  }

  async resolveMerge(request: Parameters<Repository['resolveMerge']>[0]): Promise<MergeResult> {
    const { main, branch, resolutions } = request
    return resolveMerge(this.#store, main, { ...(await this.#merge(main, branch)), resolutions })
  }

  async #merge(main: Oid, branch: Oid): Promise<Merge> {
    for (const commit of [main, branch]) await this.readCommit(commit)
    const base = await this.mergeBase(main, branch)
    return mergeTrees(
      this.#store,
      base === null ? new Map() : await this.#stored(base),
      await this.#stored(main),
      await this.#stored(branch),
    )
  }

  /** Without what links lead to. */
  async #stored(commit: Oid): Promise<Tree> {
    return this.#store.trees.files(await this.#store.commits.treeOf(commit))
  }

  async diff(before: Oid, after: Oid, path?: string): Promise<readonly FileDiff[]> {
    const changes = withRenames(await this.diffTrees(before, after))
    const wanted = changes.filter((change) => path === undefined || change.path === path || change.oldPath === path)
    return Promise.all(
      wanted.map(async (change) => {
        const read = (file: TreeFile | null) => (file ? this.readBlob(file.oid) : Promise.resolve(Buffer.alloc(0)))
        const [old, now] = await Promise.all([read(change.before), read(change.after)])
        const binary = old.includes(0) || now.includes(0)
        return { ...change, binary, truncated: false, hunks: binary ? [] : await markHunks(hunksOf(old, now)) }
      }),
    )
  }

  async log(request: Parameters<Repository['log']>[0]): Promise<readonly LogEntry[]> {
    const { from, path, limit, after } = request
    const history = await this.#history(from)
    const entries = path === undefined ? history : await this.#touching(history, path)
    const start = after === undefined ? 0 : entries.findIndex(({ oid }) => oid === after) + 1
    return after !== undefined && start === 0 ? [] : entries.slice(start, start + limit)
  }

  async lastChanges(from: Oid, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const times = new Map<string, number>()
    for (const { oid, parents, committedAt } of await this.#history(from)) {
      if (parents.length > 1) continue
      const changes = await this.diffTrees(parents[0] ?? null, oid)
      for (const { path } of changes)
        if (paths.includes(path) && !times.has(path)) times.set(path, Math.floor(Date.parse(committedAt) / 1000))
    }
    return times
  }

  async fsck(): Promise<readonly string[]> {
    const missing: string[] = []
    for (const tip of new Set(this.#refs.values()))
      for (const { tree } of await this.#history(tip))
        for (const { oid } of (await this.readTree(tree)).values())
          if ((await this.#objects.type(oid)) !== 'blob') missing.push(`missing blob ${oid}`)
    return missing
  }

  /** Nothing is ever collected. */
  withoutMaintenance<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  withRefsLocked<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn(work)
  }

  holdMaintenance(): Promise<() => void> {
    return Promise.resolve(() => undefined)
  }

  /** Newest first, and no commit before one that was built on it. */
  async #history(from: Oid): Promise<Commit[]> {
    const commits = new Map<Oid, Commit>()
    const children = new Map<Oid, number>()
    const open = [from]
    for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
      if (commits.has(oid)) continue
      const commit = await this.readCommit(oid)
      commits.set(oid, commit)
      for (const parent of commit.parents) children.set(parent, (children.get(parent) ?? 0) + 1)
      open.push(...commit.parents)
    }
    const sorted: Commit[] = []
    const ready = [commits.get(from)!]
    while (ready.length > 0) {
      const newest = ready.reduce((a, b) => (b.committedAt > a.committedAt ? b : a))
      ready.splice(ready.indexOf(newest), 1)
      sorted.push(newest)
      for (const parent of newest.parents) {
        const left = (children.get(parent) ?? 0) - 1
        children.set(parent, left)
        if (left === 0) ready.push(commits.get(parent)!)
      }
    }
    return sorted
  }

  /** Those of a history that changed a file, merges apart, whatever it was called then. */
  async #touching(history: readonly Commit[], path: string): Promise<LogEntry[]> {
    const entries: LogEntry[] = []
    let current = path
    for (const commit of history) {
      if (commit.parents.length > 1) continue
      const changes = withRenames(await this.diffTrees(commit.parents[0] ?? null, commit.oid))
      const change = changes.find((one) => one.path === current)
      if (!change) continue
      entries.push({ ...commit, path: current })
      current = change.oldPath ?? current
    }
    return entries
  }
}

/** The repositories of all projects, in memory. */
export class MemoryRepositories {
  readonly #bySlug = new Map<string, MemoryRepository>()

  /** @throws Failure `project_exists` */
  async create(projectId: string): Promise<MemoryRepository> {
    if (this.#bySlug.has(projectId))
      throw new Failure('project_exists', `There is a repository of the name ${projectId} already.`)
    const repository = new MemoryRepository(projectId)
    this.#bySlug.set(projectId, repository)
    return repository
  }

  /** @throws Failure `not_found` */
  async open(projectId: string): Promise<MemoryRepository> {
    const repository = this.#bySlug.get(projectId)
    if (!repository) throw new Failure('not_found', `There is no repository of the name ${projectId}.`)
    return repository
  }

  async list(): Promise<string[]> {
    return [...this.#bySlug.keys()].sort()
  }

  async remove(projectId: string): Promise<void> {
    this.#bySlug.delete(projectId)
  }
}

function isFolderOf(name: string, other: string): boolean {
  return other.startsWith(`${name}/`)
}
