import { directoryMode, type TreeEntry } from './objects.ts'
import type { Oid, Tree, TreeFile } from '../repository.ts'
import type { Staging } from './staging.ts'
import type { TreeReader } from './tree-reader.ts'

interface Base {
  readonly oid: Oid
  readonly files: Tree
}

/** Changes below one directory: files by name (null: gone), and directories that have changes below. */
interface Changes {
  readonly files: Map<string, TreeFile | null>
  readonly directories: Map<string, Changes>
}

/**
 * Stages the tree of exactly `files`. Its cost follows the difference to `base`: only directories in which something
 * differs are encoded.
 *
 * @param files blob ids by checked path.
 */
export async function buildTree(
  files: ReadonlyMap<string, Oid>,
  base: Oid | null,
  trees: TreeReader,
  staging: Staging,
): Promise<Oid> {
  // What `files()` leaves out (links, odd names) would survive in an edited tree: such a base is not edited but replaced.
  const edited: Base | null =
    base !== null && (await trees.isPlain(base)) ? { oid: base, files: await trees.files(base) } : null
  const changes = difference(files, edited?.files ?? new Map())
  if (edited && changes.files.size === 0 && changes.directories.size === 0) return edited.oid
  return (await apply(changes, edited?.oid ?? null, trees, staging)) ?? stage([], trees, staging)
}

/**
 * Stages a tree that differs from `base` in the given files only: what else is there stays, links included.
 *
 * @param edits files by checked path, null for those to be deleted. A file takes the place of a directory of its name.
 */
export async function editTree(
  base: Oid,
  edits: ReadonlyMap<string, TreeFile | null>,
  trees: TreeReader,
  staging: Staging,
): Promise<Oid> {
  const nested = new NestedChanges()
  for (const [path, file] of edits) nested.set(path, file)
  return (await apply(nested.root, base, trees, staging)) ?? stage([], trees, staging)
}

function difference(files: ReadonlyMap<string, Oid>, before: Tree): Changes {
  const nested = new NestedChanges()
  for (const [path, oid] of files) {
    const old = before.get(path)
    if (old?.oid !== oid || old.mode !== '100644') nested.set(path, { oid, mode: '100644' })
  }
  for (const path of before.keys()) if (!files.has(path)) nested.set(path, null)
  return nested.root
}

class NestedChanges {
  readonly root: Changes = { files: new Map(), directories: new Map() }
  readonly #byPath = new Map<string, Changes>([['', this.root]])

  set(path: string, file: TreeFile | null): void {
    this.#directoryOf(path).files.set(nameOf(path), file)
  }

  #directoryOf(path: string): Changes {
    const directory = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
    const known = this.#byPath.get(directory)
    if (known) return known
    const made: Changes = { files: new Map(), directories: new Map() }
    this.#directoryOf(directory).directories.set(nameOf(directory), made)
    this.#byPath.set(directory, made)
    return made
  }
}

/** Returns null for a directory in which nothing is left: Git has no empty ones. */
async function apply(changes: Changes, base: Oid | null, trees: TreeReader, staging: Staging): Promise<Oid | null> {
  const before = base === null ? [] : await trees.entries(base)
  const entries = new Map(before.map((entry) => [entry.name, entry]))
  // In this order a file may take the place of a directory of its name, and the other way round.
  for (const [name, file] of changes.files) if (file === null) entries.delete(name)
  for (const [name, below] of changes.directories) {
    const old = entries.get(name)
    const oid = await apply(below, old?.mode === directoryMode ? old.oid : null, trees, staging)
    if (oid === null) entries.delete(name)
    else entries.set(name, { name, mode: directoryMode, oid })
  }
  for (const [name, file] of changes.files) if (file !== null) entries.set(name, { name, ...file })
  return entries.size === 0 ? null : stage([...entries.values()], trees, staging)
}

function stage(entries: readonly TreeEntry[], trees: TreeReader, staging: Staging): Oid {
  const keyed = entries.map((entry) => ({
    entry,
    key: Buffer.from(entry.mode === directoryMode ? entry.name + '/' : entry.name),
  }))
  // Git sorts by bytes, a directory as if its name ended in a slash.
  const sorted = keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ entry }) => entry)
  const oid = staging.addTree(sorted)
  trees.remember(oid, sorted)
  return oid
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
