import pLimit from 'p-limit'
import type { ErrorDetail } from '../../contract/common.ts'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { GitObjectDatabase } from '../objects/git-object-database.ts'
import { directoryMode, parseTree, type TreeEntry } from '../objects/objects.ts'
import { checkPaths, isGitmodulesName, isGitName } from '../paths.ts'
import type { Oid } from '../repository.ts'
import type { Refusals, Tip } from './commands.ts'
import { GitError, type Git } from '../git/git.ts'

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
/** Trees that are asked for at a time. */
const treesAtATime = 100
/** More directories than files is no honest tree. */
const maxDirectories = limits.files

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
async function brokenObjects(at: PushedObjects, oids: readonly Oid[]): Promise<BrokenObject[]> {
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

/**
 * Whether everything that the tips reach is there. What the repository’s refs reach is taken for granted.
 *
 * @param onObject told of each new object with the first path under which it is found; '' for a commit’s own tree.
 */
async function isConnected(
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
async function locate(
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

/**
 * Checks what a push brings before any of it is in the repository: every new object by itself, and the whole tree, the
 * history and the direction of each ref.
 *
 * @param oids all objects in quarantine.
 * @returns refusals; an object that may not be here at all refuses every tip.
 */
export async function checkContent(at: PushedObjects, oids: readonly Oid[], tips: readonly Tip[]): Promise<Refusals> {
  const refusals: Refusals = new Map()
  const values = [...new Set(tips.map((tip) => tip.new))]
  const broken = await brokenObjects(at, oids)
  if (broken.length > 0) {
    const errors = await locate(at, values, broken)
    for (const tip of tips) refusals.set(tip, notAllowed(errors))
    return refusals
  }
  const connected = await isConnected(at, values)
  const reader = new GitObjectDatabase(at.git, at.directory)
  const check = new TipCheck(at, reader)
  const limit = pLimit(4)
  try {
    await Promise.all(
      tips.map((tip) =>
        limit(async () => {
          const failure = await check.refusalOf(tip, connected)
          if (failure) refusals.set(tip, failure)
        }),
      ),
    )
  } finally {
    await reader.close()
  }
  return refusals
}

function notAllowed(errors: readonly ErrorDetail[]): Failure {
  const [first] = errors
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : ''
  const tooLarge = first?.message.startsWith('larger') === true
  return new Failure(
    tooLarge ? 'file_too_large' : 'invalid_path',
    `${JSON.stringify(first?.path ?? '')}: ${first?.message ?? ''}${more}.`,
    {
      hint: 'Take it out of the commit that adds it (git commit --amend, git rebase -i), then push again.',
      errors,
    },
  )
}

/** Checks one ref after the other; what trees hold is remembered for the push. */
class TipCheck {
  readonly #at: PushedObjects
  readonly #reader: GitObjectDatabase
  readonly #trees = new Map<Oid, readonly TreeEntry[]>()
  readonly #checked = new Map<Oid, Promise<Failure | null>>()

  constructor(at: PushedObjects, reader: GitObjectDatabase) {
    this.#at = at
    this.#reader = reader
  }

  async refusalOf(tip: Tip, connected: boolean): Promise<Failure | null> {
    const type = await this.#reader.type(tip.new)
    if (type === null || (!connected && !(await isConnected(this.#at, [tip.new])))) {
      return new Failure('missing_objects', `${tip.ref}: the push lacks objects of its history.`, {
        hint: 'A shallow clone of another repository lacks them: run `git fetch --unshallow` there first.',
      })
    }
    if (type !== 'commit')
      return new Failure('invalid_request', `${tip.ref}: a branch points at a commit, not a ${type}.`)
    if (tip.old !== null && !(await this.#isAncestor(tip.old, tip.new))) {
      return new Failure('stale_ref', `${tip.ref}: not a fast-forward; force pushes are refused.`, {
        hint: 'Merge or rebase onto what is there (git pull), then push again without --force.',
      })
    }
    const known = this.#checked.get(tip.new)
    if (known) return known
    const checking = this.#checkTree(tip.new)
    this.#checked.set(tip.new, checking)
    return checking
  }

  async #isAncestor(old: Oid, value: Oid): Promise<boolean> {
    const { git, directory, signal } = this.#at
    const { code, stderr } = await git.run(['merge-base', '--is-ancestor', old, value], {
      directory,
      signal,
      hasSlot: true,
    })
    if (code > 1) throw new Error(`git merge-base: ${stderr}`)
    return code === 0
  }

  async #checkTree(commit: Oid): Promise<Failure | null> {
    try {
      const paths = await this.#paths(commit)
      const normalized = checkPaths(paths, 'kept')
      const odd = paths.filter((path, index) => path !== normalized[index])
      if (odd.length === 0) return null
      return notAllowed(odd.map((path) => ({ path, message: 'the name is not in Unicode’s composed form (NFC)' })))
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
  }

  /** Of all files, level by level, so that a deep or repeating tree is noticed before it is spread out in memory. */
  async #paths(commit: Oid): Promise<string[]> {
    const object = await this.#reader.read(commit)
    const root = /^tree ([0-9a-f]{40})\n/.exec(object?.body.toString('latin1') ?? '')?.[1]
    if (root === undefined) throw new Error(`the pushed commit ${commit} cannot be read`)
    const paths: string[] = []
    let level = [{ prefix: '', oid: root }]
    let directories = 0
    for (let depth = 0; level.length > 0; depth++) {
      this.#at.signal.throwIfAborted()
      directories += level.length
      if (depth > limits.pathDepth) throw refusedTree(`has folders more than ${limits.pathDepth} levels deep`)
      if (directories > maxDirectories) throw refusedTree(`has more than ${maxDirectories} folders`)
      const lists = await Promise.all(level.map(({ oid }) => this.#entries(oid)))
      const next: typeof level = []
      for (const [index, entries] of lists.entries()) {
        for (const { mode, name, oid } of entries) {
          const path = `${level[index]?.prefix ?? ''}${name}`
          if (mode === directoryMode) next.push({ prefix: `${path}/`, oid })
          else paths.push(path)
        }
        if (paths.length > limits.files) throw refusedTree(`has more than ${limits.files} files`)
      }
      level = next
    }
    return paths
  }

  async #entries(oid: Oid): Promise<readonly TreeEntry[]> {
    const known = this.#trees.get(oid)
    if (known) return known
    const object = await this.#reader.read(oid)
    if (object?.type !== 'tree') throw new Error(`the pushed tree ${oid} cannot be read`)
    const entries = parseTree(object.body)
    this.#trees.set(oid, entries)
    return entries
  }
}

function refusedTree(what: string): Failure {
  return new Failure('invalid_path', `The tree of this push ${what}.`, { hint: 'Split the project, then push again.' })
}
