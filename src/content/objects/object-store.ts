import type { LRUCache } from 'lru-cache'
import { eachInTurns, inSlices, sorted, type Steps } from '../../lib/slices.ts'
import { isGitName } from '../paths.ts'
import {
  ObjectNotFound,
  type FileMode,
  type Links,
  type Oid,
  type Tree,
  type TreeChange,
  type TreeFile,
  type Commit,
} from '../repository.ts'
import { followLinks, linkBytes, noLinks } from './links.ts'
import { directoryMode, linkMode, parseTree, type ObjectDatabase, type TreeEntry, parseCommit } from './objects.ts'
import type { Git } from '../git/git.ts'

/** More than any deploy may have; what a crafted repository claims beyond is not worth the memory. */
const maxFiles = 200_000
const maxDirectories = 100_000
const maxDepth = 256

/** Shared by all repositories. */
export type CommitCache = LRUCache<string, Commit>

/** Reads commits, each once for as long as the cache keeps it. */
export class CommitReader {
  readonly #objects: ObjectDatabase
  readonly #cache: CommitCache
  readonly #scope: string

  /** @param scope unique for the repository; part of every cache key. */
  constructor(objects: ObjectDatabase, cache: CommitCache, scope: string) {
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

type Listed<T> = readonly (readonly [path: string, what: T])[]

/** All files and symbolic links below a tree; `plain` when nothing else is there and no directory is empty. */
interface Files {
  readonly list: Listed<TreeFile>
  readonly links: Listed<Oid>
  readonly plain: boolean
}

/** The files of a tree with those that its links lead to. */
interface Followed {
  readonly files: Tree
  readonly links: Links
}
interface Loaded {
  readonly entries: Map<Oid, readonly TreeEntry[]>
  readonly files: Map<string, Files>
}
export type TreeCacheValue = readonly TreeEntry[] | Files | Followed | Tree | ReadonlyMap<string, string>
/** Shared by all repositories and bounded by the number of entries. */
export type TreeCache = LRUCache<string, TreeCacheValue>

/** Reads trees, each tree object once for as long as the cache keeps it: trees never change under their id. */
export class TreeReader {
  readonly #objects: ObjectDatabase
  readonly #cache: TreeCache
  readonly #scope: string

  /** @param scope unique for the repository; part of every cache key. */
  constructor(objects: ObjectDatabase, cache: TreeCache, scope: string) {
    this.#objects = objects
    this.#cache = cache
    this.#scope = scope
  }

  /** The entries of one tree object, all modes. */
  async entries(oid: Oid): Promise<readonly TreeEntry[]> {
    const key = `${this.#scope} entries ${oid}`
    const known = this.#cache.get(key)
    if (known) return known as readonly TreeEntry[]
    const object = await this.#objects.read(oid)
    if (object?.type !== 'tree') throw new ObjectNotFound(`tree ${oid}`)
    const entries = parseTree(object.body)
    this.#cache.set(key, entries, { size: entries.length + 1 })
    return entries
  }

  /** Puts a tree that was just written into the cache. */
  remember(oid: Oid, entries: readonly TreeEntry[]): void {
    this.#cache.set(`${this.#scope} entries ${oid}`, entries, { size: entries.length + 1 })
  }

  /** All regular files below a tree, by path. */
  async files(root: Oid): Promise<Tree> {
    const key = `${this.#scope} tree ${root}`
    const known = this.#cache.get(key)
    if (known) return known as Tree
    const files = await inSlices(byPath((await this.#flat('', root)).list))
    this.#cache.set(key, files, { size: files.size + 1 })
    return files
  }

  /** Where the symbolic links of a tree lead, as they say it, by path. One that says more than a path is empty. */
  async links(root: Oid): Promise<ReadonlyMap<string, string>> {
    const { links } = await this.#flat('', root)
    if (links.length === 0) return noLinks.followed
    const key = `${this.#scope} links ${root}`
    const known = this.#cache.get(key)
    if (known) return known as ReadonlyMap<string, string>
    const texts = new Map<Oid, string>()
    await eachInTurns(new Set(links.map(([, oid]) => oid)), async (oid) => {
      if (((await this.#objects.blobSize(oid)) ?? Infinity) > linkBytes) return
      const text = (await this.#objects.read(oid))?.body.toString()
      if (text !== undefined) texts.set(oid, text)
    })
    const found = await inSlices(byPath(links.map(([path, oid]) => [path, texts.get(oid) ?? ''] as const)))
    this.#cache.set(key, found, { size: found.size + 1 })
    return found
  }

  /** All files of a tree with those that its symbolic links lead to, and what is known of the links. */
  async followed(root: Oid): Promise<Followed> {
    const links = await this.links(root)
    if (links.size === 0) return { files: await this.files(root), links: noLinks }
    const key = `${this.#scope} followed ${root}`
    const known = this.#cache.get(key)
    if (known) return known as Followed
    const followed = await inSlices(followLinks(await this.files(root), links))
    this.#cache.set(key, followed, { size: followed.files.size + links.size + 1 })
    return followed
  }

  /** Whether a tree holds nothing but files and symbolic links. */
  async isPlain(root: Oid): Promise<boolean> {
    return (await this.#flat('', root)).plain
  }

  /** Files that differ, by path; equal subtrees are not looked into. */
  async diff(before: Oid | null, after: Oid): Promise<readonly TreeChange[]> {
    const changes: TreeChange[] = []
    await this.#diff('', before, after, changes)
    return inSlices(sorted(changes, (a, b) => (a.path < b.path ? -1 : 1)))
  }

  async #diff(prefix: string, before: Oid | null, after: Oid | null, changes: TreeChange[]): Promise<void> {
    if (before === after) return
    if (before === null || after === null) {
      for (const [path, file] of (await this.#flat(prefix, (before ?? after) as Oid)).list) {
        changes.push({ path, before: before === null ? null : file, after: after === null ? null : file })
      }
      return
    }
    const [old, now] = await Promise.all([this.entries(before), this.entries(after)])
    const oldByName = byName(old)
    const nowByName = byName(now)
    await eachInTurns(new Set([...oldByName.keys(), ...nowByName.keys()]), async (name) => {
      const a = oldByName.get(name)
      const b = nowByName.get(name)
      if (a?.oid === b?.oid && a?.mode === b?.mode) return
      const path = prefix + name
      const [fileBefore, fileAfter] = [asFile(a), asFile(b)]
      if (fileBefore || fileAfter) changes.push({ path, before: fileBefore, after: fileAfter })
      const [directoryBefore, directoryAfter] = [asDirectory(a), asDirectory(b)]
      if (directoryBefore !== directoryAfter) await this.#diff(path + '/', directoryBefore, directoryAfter, changes)
    })
  }

  /** Loads level by level, so that a deep or repeating tree is noticed before it is spread out in memory. */
  async #flat(prefix: string, root: Oid): Promise<Files> {
    // What was found in the cache is held here: it may be evicted while the rest is loading.
    const loaded: Loaded = { entries: new Map(), files: new Map() }
    let level = [{ prefix, oid: root }]
    let directories = 0
    for (let depth = 0; level.length > 0; depth++) {
      directories += level.length
      if (depth > maxDepth || directories > maxDirectories) throw new Error(`tree ${root} has too many directories`)
      const next: typeof level = []
      await eachInTurns(level, async (tree) => {
        const key = this.#flatKey(tree.prefix, tree.oid)
        const known = this.#cache.get(key) as Files | undefined
        if (known) {
          loaded.files.set(key, known)
          return
        }
        const entries = await this.entries(tree.oid)
        for (const entry of entries)
          if (isDirectory(entry)) next.push({ prefix: `${tree.prefix}${entry.name}/`, oid: entry.oid })
        loaded.entries.set(tree.oid, entries)
      })
      level = next
    }
    return inSlices(this.#spread(prefix, root, loaded))
  }

  *#spread(prefix: string, oid: Oid, loaded: Loaded): Steps<Files> {
    const key = this.#flatKey(prefix, oid)
    const known = loaded.files.get(key)
    if (known) return known
    const entries = loaded.entries.get(oid)
    if (!entries) throw new Error(`tree ${oid} was not loaded`)
    const list: (readonly [string, TreeFile])[] = []
    const links: (readonly [string, Oid])[] = []
    let plain = entries.length > 0 || prefix === ''
    for (const entry of entries) {
      yield
      const file = asFile(entry)
      if (file) list.push([prefix + entry.name, file])
      else if (isDirectory(entry)) {
        const below = yield* this.#spread(`${prefix}${entry.name}/`, entry.oid, loaded)
        for (const item of below.list) list.push(item)
        for (const item of below.links) links.push(item)
        plain &&= below.plain
      } else if (isLink(entry)) links.push([prefix + entry.name, entry.oid])
      else plain = false
      if (list.length + links.length > maxFiles) throw new Error(`tree ${oid} has more than ${maxFiles} files`)
    }
    const files: Files = { list, links, plain }
    this.#cache.set(key, files, { size: list.length + links.length + 1 })
    return files
  }

  #flatKey(prefix: string, oid: Oid): string {
    return `${this.#scope} files ${oid} ${prefix}`
  }
}

function* byPath<T>(list: Listed<T>): Steps<ReadonlyMap<string, T>> {
  const found = new Map<string, T>()
  for (const [path, what] of list) {
    yield
    found.set(path, what)
  }
  return found
}

function byName(entries: readonly TreeEntry[]): Map<string, TreeEntry> {
  return new Map(entries.filter((entry) => safe(entry.name)).map((entry) => [entry.name, entry]))
}

function asFile(entry: TreeEntry | undefined): TreeFile | null {
  if (!entry || !entry.mode.startsWith('100') || !safe(entry.name)) return null
  const mode: FileMode = entry.mode === '100755' ? '100755' : '100644'
  return { oid: entry.oid, mode }
}

function asDirectory(entry: TreeEntry | undefined): Oid | null {
  return entry && isDirectory(entry) ? entry.oid : null
}

function isDirectory(entry: TreeEntry): boolean {
  return entry.mode === directoryMode && safe(entry.name)
}

function isLink(entry: TreeEntry): boolean {
  return entry.mode === linkMode && safe(entry.name)
}

/** Names that no honest tree has; they would lead out of it or into a `.git`. */
function safe(name: string): boolean {
  return name !== '' && !/^\.{1,2}$|[/\\]/.test(name) && !isGitName(name)
}

/** The objects of one repository, wherever they are, with what is read of them again and again. */
export interface ObjectStore {
  readonly objects: ObjectDatabase
  readonly trees: TreeReader
  readonly commits: CommitReader
}

/** Those of a bare repository on disk, for operations that native git does. */
export interface GitObjectStore extends ObjectStore {
  readonly git: Git
  /** Absolute path of the bare repository. */
  readonly directory: string
}
