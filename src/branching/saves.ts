import { mainRef } from '../content/refs/ref-names.ts'
import type { Author, FileChange, Oid, Repository, Tree } from '../content/repository.ts'
import { decodeContent, refusals } from '../content/changes/sent-content.ts'
import type { BranchChange } from '../contract/branches.ts'
import { blobOid } from '../contract/blob-oid.ts'
import type { ErrorDetail } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { nextTurn, isTurnOver } from '../lib/slices.ts'
import type { BranchRefs } from './branch-refs.ts'
import type { BranchingPorts } from './ports.ts'

/** More mistakes of one request are not listed. */
const maxErrors = 100

export interface Save {
  readonly projectId: string
  readonly id: string
  readonly author: Author
  readonly message?: string | undefined
}

export interface Saved {
  readonly commit: Oid
  /** The files after the save, in the order of the changes; null for one that was removed. */
  readonly files: readonly { readonly path: string; readonly oid: Oid | null }[]
  /** Whether the first of them was not there before. */
  readonly created: boolean
}

/** What a save requires of the file before it: a certain content, no file, any file, or none with other content. */
export type Precondition =
  | { readonly kind: 'oid'; readonly oid: Oid }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  /** A new file, or the content that is there already: nothing is lost. */
  | { readonly kind: 'harmless' }

/**
 * Saves: commits on a branch by their author, acknowledged when they are durable. One that finds the branch moved is
 * made again on the new head; it is refused when a file is not the one that its author saw.
 */
export class Saves {
  readonly #refs: BranchRefs
  readonly #ports: Pick<BranchingPorts, 'log' | 'slugOf'>

  constructor(refs: BranchRefs, ports: Pick<BranchingPorts, 'log' | 'slugOf'>) {
    this.#refs = refs
    this.#ports = ports
  }

  /** Failures: `stale_file`, `not_found`, `invalid_path`, `invalid_request`, `file_too_large`. */
  async commit(save: Save, changes: readonly BranchChange[]): Promise<Saved> {
    const decoded = await decodeChanges(changes)
    return this.#save(save, async () => decoded, describe(changes))
  }

  /** As `commit`, of bytes and of blobs that the repository has. */
  apply(save: Save & { readonly message: string }, changes: readonly FileChange[]): Promise<Saved> {
    return this.#save(
      save,
      async () => changes,
      () => save.message,
    )
  }

  /**
   * Takes back what a commit changed: its files become what they were before it, where they are as it left them; those
   * that are as they were before stay. Failures: `stale_file` with every file that is another one now.
   */
  revert(save: Save & { readonly message: string }, commit: Oid): Promise<Saved> {
    return this.#save(
      save,
      async (current, _main, repository) => {
        const [parent = null] = (await repository.readCommit(commit)).parents
        const changes: FileChange[] = []
        const stale: { readonly path: string; readonly oid: Oid | null }[] = []
        for (const { path, before, after } of await repository.diffTrees(parent, commit)) {
          const here = await current(path)
          if (here === (before?.oid ?? null)) continue
          if (here !== (after?.oid ?? null)) stale.push({ path, oid: here })
          else if (before === null) changes.push({ path, content: null, expected: here })
          else changes.push({ path, oid: before.oid, expected: here })
        }
        if (stale.length > 0) throw staleFiles(stale)
        return changes
      },
      () => save.message,
    )
  }

  /** One file. Failures as `commit`, and `precondition_required`. */
  async file(
    save: Save,
    { path, bytes }: { readonly path: string; readonly bytes: Buffer },
    precondition: Precondition,
  ): Promise<Saved> {
    return this.#save(
      save,
      async (current) => [
        { path, content: bytes, expected: expectedOid(path, { here: await current(path), bytes }, precondition) },
      ],
      (isNew) => `${isNew ? 'Add' : 'Update'} ${path}`,
    )
  }

  /** Deletes a file. Failures: `stale_file`, `precondition_required`, `not_found`. */
  remove(save: Save, path: string, precondition: Exclude<Precondition, { kind: 'absent' }>): Promise<Saved> {
    return this.#save(
      save,
      async (current) => [
        { path, content: null, expected: expectedOid(path, { here: await current(path), bytes: null }, precondition) },
      ],
      () => `Delete ${path}`,
    )
  }

  /** Main's version of a file; where main has none, none. Failures: `stale_file`, `not_found`. */
  restore(save: Save, path: string, expected: Oid | null | undefined): Promise<Saved> {
    return this.#save(
      save,
      async (current, main) => {
        const version = await main(path)
        const here = await current(path)
        if (expected !== undefined && here !== expected) throw staleFile(path, here)
        if (version === here) return []
        if (version === null) return [{ path, content: null, expected: here }]
        return [{ path, oid: version, expected: here }]
      },
      () => `Restore ${path}`,
      path,
    )
  }

  async #save(
    { projectId, id, author, message }: Save,
    changesOf: (
      current: (path: string) => Promise<Oid | null>,
      main: (path: string) => Promise<Oid | null>,
      repository: Repository,
    ) => Promise<readonly FileChange[]>,
    describeChange: (isNew: boolean) => string,
    restored?: string,
  ): Promise<Saved> {
    let files: Saved['files'] = []
    let created = false
    const { head } = await this.#refs.advance(projectId, id, async ({ repository, head: at }) => {
      const tree = await repository.readTree(at)
      const current = async (path: string): Promise<Oid | null> => oidAt(tree, path)
      const main = async (path: string): Promise<Oid | null> => {
        const commit = await repository.resolveRef(mainRef)
        return commit === null ? null : oidAt(await repository.readTree(commit), path)
      }
      const changes = await changesOf(current, main, repository)
      if (changes.length === 0) {
        created = false
        files = restored === undefined ? [] : [{ path: restored, oid: await current(restored) }]
        return at
      }
      const [first] = changes
      const isNew = first !== undefined && oidAt(tree, first.path) === null
      const text = message?.trim() || plain(describeChange(isNew))
      const { commit, oids } = await repository.commitChanges({ parent: at, changes, author, message: text })
      files = [...oids].map(([path, oid]) => ({ path, oid }))
      created = isNew && files[0]?.oid !== null
      return commit
    })
    const { log, slugOf } = this.#ports
    const details = { branchId: id, commit: head, files: files.length }
    log.info({ projectId, slug: slugOf(projectId), ...details }, 'save')
    return { commit: head, files, created }
  }
}

/** Of a path that is refused only after its message is made. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD')
}

/** Trees have their paths in NFC, but for those that a push of old brought. */
export function oidAt(tree: Tree, path: string): Oid | null {
  return (tree.get(path) ?? tree.get(path.normalize('NFC')))?.oid ?? null
}

function expectedOid(
  path: string,
  { here, bytes }: { readonly here: Oid | null; /** Null: it goes. */ readonly bytes: Buffer | null },
  precondition: Precondition,
): Oid | null {
  if (precondition.kind === 'oid') return precondition.oid
  if (precondition.kind === 'absent') return null
  if (precondition.kind === 'present') {
    if (here === null) throw staleFile(path, null)
    return here
  }
  if (here === null || (bytes !== null && here === blobOid(bytes))) return here
  const what = bytes === null ? 'is to be deleted' : 'is there already'
  throw new Failure('precondition_required', `${path} ${what}: say which version of it you mean.`, {
    hint: 'Send `If-Match` with its id in quotes, or `*` for whatever is there.',
    extra: { path, oid: here },
  })
}

function staleFile(path: string, oid: Oid | null): Failure {
  return new Failure(
    'stale_file',
    `${path} is not what it was: somebody else ${oid === null ? 'deleted' : 'changed'} it.`,
    {
      hint: 'Read it again, join your change with it, and save with its new id.',
      extra: { path, oid },
    },
  )
}

function staleFiles(files: readonly { readonly path: string; readonly oid: Oid | null }[]): Failure {
  const named = files.slice(0, maxErrors)
  const more = files.length > 3 ? `, and ${files.length - 3} more` : ''
  const paths = files.slice(0, 3).map(({ path }) => path)
  return new Failure('stale_file', `Changed since: ${paths.join(', ')}${more}.`, {
    hint: 'Restore what you want of them by hand.',
    errors: named.map(({ path, oid }) => ({ path, message: oid === null ? 'was deleted since' : 'was changed since' })),
  })
}

function describe(changes: readonly BranchChange[]): (isNew: boolean) => string {
  const [first] = changes
  if (changes.length !== 1 || first === undefined) return () => `Change ${changes.length} files`
  if (first.content === null) return () => `Delete ${first.path}`
  return (isNew) => `${isNew ? 'Add' : 'Update'} ${first.path}`
}

/** Changes as they were sent, with their bytes. Failures: `invalid_request`, `file_too_large`. */
export async function decodeChanges(changes: readonly BranchChange[]): Promise<readonly FileChange[]> {
  const errors: ErrorDetail[] = []
  let large = false
  const decoded: FileChange[] = []
  for (const [index, { path, content, encoding, expectedOid: expected }] of changes.entries()) {
    if (isTurnOver()) await nextTurn()
    const bytes = content === null ? null : decodeContent(encoding === undefined ? { content } : { content, encoding })
    if (typeof bytes !== 'string') decoded.push({ path, content: bytes, expected })
    else {
      if (bytes === 'size') large = true
      if (errors.length < maxErrors)
        errors.push({ pointer: `/changes/${index}/content`, path, message: refusals[bytes] })
    }
  }
  if (errors.length > 0) {
    const [first] = errors
    const code = large ? 'file_too_large' : 'invalid_request'
    throw new Failure(code, `${first?.path ?? ''}: ${first?.message ?? ''}`, { errors })
  }
  return decoded
}
