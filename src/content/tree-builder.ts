import { directoryMode, type TreeEntry } from './objects.ts'
import type { Oid } from './repository.ts'
import type { Staging } from './staging.ts'
import type { TreeReader } from './tree-reader.ts'

interface Directory {
  readonly files: Map<string, Oid>
  readonly directories: Map<string, Directory>
}

/**
 * The tree of `files`. Only directories that differ from `base` at the same place are encoded and staged.
 *
 * @param files blob ids by checked path.
 * @param base the tree to compare with, or null.
 */
export async function buildTree(
  files: Iterable<readonly [path: string, oid: Oid]>,
  base: Oid | null,
  trees: TreeReader,
  staging: Staging,
): Promise<Oid> {
  return write(arrange(files), base, trees, staging)
}

function arrange(files: Iterable<readonly [path: string, oid: Oid]>): Directory {
  const root: Directory = { files: new Map(), directories: new Map() }
  const byPath = new Map<string, Directory>([['', root]])
  const directoryOf = (path: string): Directory => {
    const known = byPath.get(path)
    if (known) return known
    const slash = path.lastIndexOf('/')
    const made: Directory = { files: new Map(), directories: new Map() }
    directoryOf(path.slice(0, Math.max(slash, 0))).directories.set(path.slice(slash + 1), made)
    byPath.set(path, made)
    return made
  }
  for (const [path, oid] of files) {
    const slash = path.lastIndexOf('/')
    directoryOf(path.slice(0, Math.max(slash, 0))).files.set(path.slice(slash + 1), oid)
  }
  return root
}

async function write(directory: Directory, base: Oid | null, trees: TreeReader, staging: Staging): Promise<Oid> {
  const before = new Map((base === null ? [] : await trees.entries(base)).map((entry) => [entry.name, entry]))
  const entries: TreeEntry[] = []
  for (const [name, oid] of directory.files) entries.push({ name, mode: '100644', oid })
  for (const [name, child] of directory.directories) {
    const old = before.get(name)
    const oid = await write(child, old?.mode === directoryMode ? old.oid : null, trees, staging)
    entries.push({ name, mode: directoryMode, oid })
  }
  if (base !== null && entries.length === before.size && entries.every((entry) => same(entry, before.get(entry.name))))
    return base
  entries.sort(gitOrder)
  const oid = await staging.addTree(entries)
  trees.remember(oid, entries)
  return oid
}

function same(a: TreeEntry, b: TreeEntry | undefined): boolean {
  return b !== undefined && a.oid === b.oid && a.mode === b.mode
}

/** Git sorts by bytes, a directory as if its name ended in a slash. */
function gitOrder(a: TreeEntry, b: TreeEntry): number {
  return Buffer.compare(sortKey(a), sortKey(b))
}

function sortKey(entry: TreeEntry): Buffer {
  return Buffer.from(entry.mode === directoryMode ? entry.name + '/' : entry.name)
}
