import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import { GitError, type Git } from '../git/git.ts'
import { GitObjectDatabase } from '../objects/git-object-database.ts'
import { directoryMode, parseTree, type TreeEntry } from '../objects/objects.ts'
import { isGitmodulesName, isGitName } from '../paths.ts'
import type { Oid } from '../repository.ts'

/** Where the objects of a push are read, together with those of the repository. */
export interface PushedObjects {
  readonly git: Git
  readonly directory: string
  readonly signal: AbortSignal
}

/** An object that breaks a rule: a file by itself, or the entry `name` of a tree. */
export interface BrokenObject {
  readonly oid: Oid
  readonly name: string | null
  readonly rule: string
}

/** What people are told of at once. */
const maxBroken = 20
/** Trees that are asked for at a time. */
const treesAtATime = 100

/** Rules for every entry of every tree that comes in, also of older commits: they keep `git fsck` and checkouts sound. */
export function brokenEntryRule({ mode, name }: TreeEntry): string | null {
  if (mode === '120000') return 'symbolic link: only files and folders are kept'
  if (mode === '160000') return 'submodule: only files and folders are kept'
  if (mode !== '100644' && mode !== '100755' && mode !== directoryMode) return `file mode ${mode}`
  if (name === '') return 'the name is empty or not UTF-8'
  if (name === '.' || name === '..') return '. and .. are not allowed'
  if (name.includes('/')) return 'a slash inside a name'
  if (isGitmodulesName(name)) return 'reserved by Git (.gitmodules or an alias of it): there are no submodules here'
  return isGitName(name) ? 'reserved by Git (.git or an alias of it)' : null
}

/** Looks at all objects of a push, whether a ref will reach them or not. At most 20 are named. */
export async function brokenObjects(at: PushedObjects, oids: readonly Oid[]): Promise<BrokenObject[]> {
  const broken: BrokenObject[] = []
  const trees: Oid[] = []
  const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)'
  for await (const line of at.git.lines(['cat-file', format, '--buffer'], { ...at, input: oids })) {
    const [oid = '', type = '', size = ''] = line.split(' ')
    if (type === 'tree') trees.push(oid)
    if (Number(size) <= limits.fileBytes) continue
    broken.push({ oid, name: null, rule: `larger than ${limits.fileBytes / 2 ** 20} MB (${size} bytes)` })
    if (broken.length >= maxBroken) return broken
  }
  const reader = new GitObjectDatabase(at.git, at.directory)
  try {
    for (let first = 0; first < trees.length && broken.length < maxBroken; first += treesAtATime) {
      at.signal.throwIfAborted()
      const some = trees.slice(first, first + treesAtATime)
      for (const found of await Promise.all(some.map((oid) => brokenEntries(reader, oid)))) broken.push(...found)
    }
  } finally {
    await reader.close()
  }
  return broken.slice(0, maxBroken)
}

async function brokenEntries(reader: GitObjectDatabase, oid: Oid): Promise<BrokenObject[]> {
  const object = await reader.read(oid)
  if (object?.type !== 'tree') throw new Error(`the pushed tree ${oid} cannot be read`)
  const names = new Set<string>()
  const broken: BrokenObject[] = []
  for (const entry of parseTree(object.body)) {
    const rule = names.has(entry.name) ? 'is there twice' : brokenEntryRule(entry)
    names.add(entry.name)
    if (rule !== null && broken.length < maxBroken) broken.push({ oid, name: entry.name, rule })
  }
  return broken
}

/**
 * Whether everything that the tips reach is there. What the repository’s refs reach is taken for granted.
 *
 * @param onObject told of each new object with the first path under which it is found; '' for a commit’s own tree.
 */
export async function isConnected(
  at: PushedObjects,
  tips: readonly Oid[],
  onObject?: (oid: Oid, path: string) => void,
): Promise<boolean> {
  const quiet = onObject === undefined ? ['--quiet'] : []
  const args = ['rev-list', '--objects', ...quiet, '--stdin', '--not', '--all']
  try {
    for await (const line of at.git.lines(args, { ...at, input: tips })) onObject?.(line.slice(0, 40), line.slice(41))
    return true
  } catch (error) {
    if (error instanceof GitError) return false
    throw error
  }
}

/** Names broken objects by their paths, as far as a tip reaches them. */
export async function locate(
  at: PushedObjects,
  tips: readonly Oid[],
  broken: readonly BrokenObject[],
): Promise<ErrorDetail[]> {
  const sought = new Set(broken.map(({ oid }) => oid))
  const paths = new Map<Oid, string>()
  await isConnected(at, tips, (oid, path) => {
    if (sought.has(oid)) paths.set(oid, path)
  })
  return broken.map(({ oid, name, rule }) => {
    const parent = paths.get(oid)
    const path = name === null ? parent : [parent, name].filter((part) => part !== undefined && part !== '').join('/')
    return { path: path === undefined || path === '' ? `object ${oid}` : path, message: rule }
  })
}
