import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import type { Git } from '../git/git.ts'
import { GitObjectDatabase } from '../objects/git-object-database.ts'
import { directoryMode, linkMode, parseTree, type TreeEntry } from '../objects/objects.ts'
import { isGitmodulesName, isGitName } from '../paths.ts'
import type { Oid } from '../repository.ts'

/** Where the objects of a push are read, together with those of the repository. */
export interface PushedObjects {
  readonly git: Git
  readonly directory: string
  readonly signal: AbortSignal
  /** Bytes of all objects together, unpacked. */
  readonly maxExpanded: number
}

/** An object that breaks a rule: a file by itself, or the entry `name` of a tree. */
export interface BrokenObject {
  readonly oid: Oid
  readonly name: string | null
  readonly rule: string
}

/** What people are told of at once. */
const maxBroken = 20
/** Objects that are asked for at a time. */
const objectsAtATime = 100

/** Rules for every entry of every tree that comes in, also of older commits: they keep `git fsck` and checkouts sound. */
export function brokenEntryRule({ mode, name }: TreeEntry): string | null {
  if (mode === '160000') return 'submodule: only files, folders and symbolic links are kept'
  if (mode !== '100644' && mode !== '100755' && mode !== linkMode && mode !== directoryMode) return `file mode ${mode}`
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
  let expanded = 0
  const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)'
  for await (const line of at.git.lines(['cat-file', format, '--buffer'], { ...at, input: oids })) {
    const [oid = '', type = '', size = ''] = line.split(' ')
    if (type === 'tree') trees.push(oid)
    expanded += Number(size)
    if (expanded > at.maxExpanded) throw expandsTooMuch(at.maxExpanded)
    if (Number(size) <= limits.fileBytes) continue
    broken.push({ oid, name: null, rule: `larger than ${limits.fileBytes / 2 ** 20} MB (${size} bytes)` })
    if (broken.length >= maxBroken) return broken
  }
  const reader = new GitObjectDatabase(at.git, at.directory)
  try {
    for (let first = 0; first < trees.length && broken.length < maxBroken; first += objectsAtATime) {
      at.signal.throwIfAborted()
      const some = trees.slice(first, first + objectsAtATime)
      for (const found of await Promise.all(some.map((oid) => brokenEntries(reader, oid)))) broken.push(...found)
    }
  } finally {
    await reader.close()
  }
  return broken.slice(0, maxBroken)
}

function expandsTooMuch(limit: number): Failure {
  const megabytes = Math.floor(limit / 2 ** 20)
  return new Failure('request_too_large', `The objects of the push are more than ${megabytes} MB when unpacked.`, {
    hint: 'A pack of this size may stand for so much at most. Push the history in several parts.',
  })
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
