import type { Author, MergeConflict, Oid, Repository, Resolution as Decision } from '../content/repository.ts'
import { decodeContent, isText, refusals } from '../content/changes/sent-content.ts'
import type { Conflict, Resolution } from '../contract/branches.ts'
import type { ErrorDetail } from '../contract/common.ts'
import { conflictReasons } from '../contract/comparisons.ts'
import { Failure } from '../contract/failure.ts'
import { nextTurn, isTurnOver } from '../lib/slices.ts'

/** One side's text, and all texts of one answer, in bytes. What is larger is to be had as a file. */
const maxText = 512 * 1024
const maxTexts = 4 * 1024 * 1024

/** More mistakes of one request are not listed. */
const maxErrors = 100

const sides = ['base', 'main', 'branch'] as const

export interface MergeRequest {
  readonly projectId: string
  /** Of the branch. */
  readonly id: string
  readonly author: Author
  readonly message?: string | undefined
  readonly resolutions?: readonly Resolution[] | undefined
}

/** The tree that joins main and a branch, whichever of them the merge is for. Failure `merge_conflict`. */
export async function mergedTree(
  repository: Repository,
  {
    main,
    head,
    name,
    decisions,
  }: { readonly main: Oid; readonly head: Oid; readonly name: string; readonly decisions: readonly Decision[] },
): Promise<Oid> {
  const { tree, conflicts } =
    decisions.length === 0
      ? await repository.mergeTree(main, head)
      : await repository.resolveMerge({ main, branch: head, resolutions: decisions })
  if (tree === null) throw await conflictFailure(repository, name, conflicts)
  return tree
}

/** The refusal of a merge, with what people need to decide. */
async function conflictFailure(
  repository: Repository,
  name: string,
  conflicts: readonly MergeConflict[],
): Promise<Failure> {
  const shown: Conflict[] = []
  let room = maxTexts
  for (const conflict of conflicts) {
    if (isTurnOver()) await nextTurn()
    const { texts, ...rest } = await describe(repository, conflict, Math.min(room, maxText * sides.length))
    room -= texts
    shown.push(rest.conflict)
  }
  // It is written next, all at once.
  await nextTurn()
  const files = conflicts.length === 1 ? 'a file' : `${conflicts.length} files`
  return new Failure('merge_conflict', `Main and ${name} changed ${files} in ways that do not go together.`, {
    hint: 'Settle each with `resolutions`, or merge main in your clone and push. The branch is kept as it is.',
    errors: conflicts.slice(0, maxErrors).map(({ path, type }) => ({ path, message: conflictReasons[type] })),
    extra: { conflicts: shown },
  })
}

async function describe(
  repository: Repository,
  { path, type, oldPath, ...blobs }: MergeConflict,
  room: number,
): Promise<{ readonly conflict: Conflict; readonly texts: number }> {
  const oids: { base?: Oid; main?: Oid; branch?: Oid } = {}
  const contents = new Map<(typeof sides)[number], Buffer>()
  for (const side of sides) {
    const oid = blobs[side]
    if (oid === undefined) continue
    oids[side] = oid
    contents.set(side, await repository.readBlob(oid))
  }
  const found = [...contents.values()]
  const bytes = found.reduce((sum, content) => sum + content.length, 0)
  const omitted = found.some((content) => !isText(content)) ? 'binary' : bytes > room ? 'large' : undefined
  const conflict = { path, type, oids, ...(oldPath === undefined ? {} : { oldPath }) }
  if (omitted !== undefined) return { conflict: { ...conflict, omitted }, texts: 0 }
  const texts = Object.fromEntries([...contents].map(([side, content]) => [side, content.toString('utf8')]))
  return { conflict: { ...conflict, ...texts }, texts: bytes }
}

/** Decisions as the repository takes them. Failures: `invalid_request`, `file_too_large`. */
export async function decisionsOf(resolutions: readonly Resolution[] = []): Promise<Decision[]> {
  const errors: (ErrorDetail & { readonly code: 'invalid_request' | 'file_too_large' })[] = []
  const decisions: Decision[] = []
  for (const [index, resolution] of resolutions.entries()) {
    if (isTurnOver()) await nextTurn()
    const { path, seen } = resolution
    if ('use' in resolution) {
      decisions.push({ path, use: resolution.use, seen })
      continue
    }
    const { content, encoding } = resolution
    const decoded =
      content === null ? null : decodeContent(encoding === undefined ? { content } : { content, encoding })
    if (typeof decoded !== 'string') decisions.push({ path, content: decoded, seen })
    else if (errors.length < maxErrors) {
      const code = decoded === 'size' ? 'file_too_large' : 'invalid_request'
      errors.push({ code, pointer: `/resolutions/${index}/content`, path, message: refusals[decoded] })
    }
  }
  const [first] = errors
  if (first !== undefined) throw new Failure(first.code, `${first.path ?? ''}: ${first.message}`, { errors })
  return decisions
}
