import type { LRUCache } from 'lru-cache'
import type { ObjectReader } from './object-reader.ts'
import { parseCommit } from './objects.ts'
import { ObjectNotFound, type Commit, type Oid } from '../repository.ts'

/** Shared by all repositories. */
export type CommitCache = LRUCache<string, Commit>

/** Reads commits, each once for as long as the cache keeps it. */
export class CommitReader {
  readonly #objects: ObjectReader
  readonly #cache: CommitCache
  readonly #scope: string

  /** @param scope unique for the repository; part of every cache key. */
  constructor(objects: ObjectReader, cache: CommitCache, scope: string) {
    this.#objects = objects
    this.#cache = cache
    this.#scope = scope
  }

  /** @throws ObjectNotFound */
  async read(oid: Oid): Promise<Commit> {
    const commit = await this.find(oid)
    if (!commit) throw new ObjectNotFound(`commit ${oid}`)
    return commit
  }

  /** Null when there is no such object, or it is not a commit. */
  async find(oid: Oid): Promise<Commit | null> {
    const key = `${this.#scope} ${oid}`
    const known = this.#cache.get(key)
    if (known) return known
    const object = await this.#objects.read(oid)
    if (object?.type !== 'commit') return null
    const commit = parseCommit(oid, object.body)
    this.#cache.set(key, commit)
    return commit
  }

  /** The tree of a commit; a tree is its own. */
  async treeOf(treeish: Oid): Promise<Oid> {
    return (await this.find(treeish))?.tree ?? treeish
  }
}
