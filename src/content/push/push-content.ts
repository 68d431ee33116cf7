import pLimit from 'p-limit'
import type { ErrorDetail } from '../../contract/common.ts'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { GitObjectDatabase } from '../objects/git-object-database.ts'
import { directoryMode, parseTree, type TreeEntry } from '../objects/objects.ts'
import { checkPaths } from '../paths.ts'
import { brokenObjects, isConnected, locate, type PushedObjects } from './push-objects.ts'
import type { Refusals } from './push-policy.ts'
import type { Command } from './receive-commands.ts'
import type { Oid } from '../repository.ts'

/** A command that creates or moves a ref. */
export type Tip = Command & { readonly new: Oid }

/** More directories than files is no honest tree. */
const maxDirectories = limits.files

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
    const { code, stderr } = await git.run(['merge-base', '--is-ancestor', old, value], { directory, signal })
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
