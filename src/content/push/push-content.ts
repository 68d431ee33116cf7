import pLimit from 'p-limit'
import type { ErrorDetail } from '../../contract/common.ts'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { eachInTurns, isTurnOver, nextTurn } from '../../lib/slices.ts'
import { GitObjectDatabase } from '../objects/git-object-database.ts'
import { directoryMode, parseTree, type TreeEntry } from '../objects/objects.ts'
import { checkPaths } from '../paths.ts'
import { tagPrefix } from '../refs/ref-names.ts'
import type { Oid } from '../repository.ts'
import type { Refusals, Tip } from './commands.ts'
import { GitError, quickly } from '../git/git.ts'
import { brokenObjects, type BrokenObject, type PushedObjects } from './object-checks.ts'

/** Of an annotated tag, with its message. */
const maxTagBytes = 64 * 1024

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

/**
 * Whether every commit and tag that the tips add to the refs came with this push. What is there but no ref reaches, such
 * as a branch that was deleted, is nobody’s to name: whoever knows its id could read it again.
 */
async function hasArrived(at: PushedObjects, arrived: ReadonlySet<Oid>, tips: readonly Oid[]): Promise<boolean> {
  for await (const commit of at.git.lines(['rev-list', '--stdin', '--not', '--all'], { ...at, input: tips }))
    if (!arrived.has(commit)) return false
  const known = tips.filter((oid) => !arrived.has(oid))
  if (known.length === 0) return true
  const refs = await at.git.check(['for-each-ref', '--format=%(objecttype) %(objectname)'], { ...at, timeout: quickly })
  const named = new Set(refs.toString().split('\n'))
  const reader = new GitObjectDatabase(at.git, at.directory)
  try {
    for (const oid of known) if ((await reader.type(oid)) === 'tag' && !named.has(`tag ${oid}`)) return false
    return true
  } finally {
    await reader.close()
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
  const arrived = new Set(oids)
  const isWhole = async (some: readonly Oid[]) => (await isConnected(at, some)) && (await hasArrived(at, arrived, some))
  const connected = await isWhole(values)
  const reader = new GitObjectDatabase(at.git, at.directory)
  const check = new TipCheck(at, reader, isWhole)
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

  readonly #isWhole: (tips: readonly Oid[]) => Promise<boolean>

  /** @param isWhole whether tips and all that they reach came with the push, or is kept by the refs. */
  constructor(at: PushedObjects, reader: GitObjectDatabase, isWhole: (tips: readonly Oid[]) => Promise<boolean>) {
    this.#at = at
    this.#reader = reader
    this.#isWhole = isWhole
  }

  async refusalOf(tip: Tip, connected: boolean): Promise<Failure | null> {
    const type = await this.#reader.type(tip.new)
    if (type === null || (!connected && !(await this.#isWhole([tip.new])))) {
      return new Failure('missing_objects', `${tip.ref}: the push lacks objects of its history.`, {
        hint: 'A shallow clone of another repository lacks them: run `git fetch --unshallow` there first.',
      })
    }
    if (tip.ref.startsWith(tagPrefix)) return this.#refusalOfTag(tip, type)
    if (type !== 'commit')
      return new Failure('invalid_request', `${tip.ref}: a branch points at a commit, not a ${type}.`)
    if (tip.old !== null && !(await this.#isAncestor(tip.old, tip.new))) {
      return new Failure('stale_ref', `${tip.ref}: not a fast-forward; force pushes are refused.`, {
        hint: 'Merge or rebase onto what is there (git pull), then push again without --force.',
      })
    }
    return this.#refusalOfTree(tip.new)
  }

  /** A light tag is a commit; an annotated one is an object of its own, which names a commit. */
  async #refusalOfTag({ ref, new: oid }: Tip, type: string): Promise<Failure | null> {
    if (type === 'commit') return this.#refusalOfTree(oid)
    const wrong = (what: string) => new Failure('invalid_request', `${ref}: a tag names a commit, not ${what}.`)
    const tag = type === 'tag' ? await this.#reader.read(oid) : null
    if (tag === null) return wrong(`a ${type}`)
    if (tag.size > maxTagBytes)
      return new Failure('request_too_large', `${ref}: its message is larger than ${maxTagBytes / 1024} KB.`)
    const [, commit, named = ''] = /^object ([0-9a-f]{40})\ntype ([a-z]+)\n/.exec(tag.body.toString('latin1')) ?? []
    return commit === undefined || named !== 'commit' ? wrong(`a ${named}`) : this.#refusalOfTree(commit)
  }

  #refusalOfTree(commit: Oid): Promise<Failure | null> {
    const known = this.#checked.get(commit)
    if (known) return known
    const checking = this.#checkTree(commit)
    this.#checked.set(commit, checking)
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
      const normalized = await checkPaths(paths, 'kept')
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
      if (directories > limits.folders) throw refusedTree(`has more than ${limits.folders} folders`)
      const lists: (readonly TreeEntry[])[] = []
      await eachInTurns(level.entries(), async ([index, { oid }]) => {
        lists[index] = await this.#entries(oid)
      })
      const next: typeof level = []
      for (const [index, entries] of lists.entries()) {
        if (isTurnOver()) await nextTurn()
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
