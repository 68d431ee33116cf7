import { blobOid } from '../../contract/blob-oid.ts'
import { Failure } from '../../contract/failure.ts'
import { nextTurn, isTurnOver } from '../../lib/slices.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { linkMode } from '../objects/objects.ts'
import { Staging, editTree } from '../objects/staging.ts'
import { checkCollisions } from '../paths.ts'
import type { MergeConflict, MergeResult, Oid, Resolution, TreeFile } from '../repository.ts'

/** Files that one refusal names. */
const mostNamed = 1000

/** What merging two commits comes to before anybody has settled a conflict. */
export interface Merge {
  /** With conflicts, a tree in which conflicted files are undecided: not to be shown. */
  readonly tree: Oid
  readonly conflicts: readonly OpenConflict[]
}

/** A conflict, with what is needed to settle it. */
export interface OpenConflict {
  readonly conflict: MergeConflict
  /** Where the undecided file is in the merged tree: beside its path where that is a directory. */
  readonly leftAt: string
  /** What each side has at the path; null: no file. */
  readonly main: TreeFile | null
  readonly branch: TreeFile | null
}

/** See `Repository.mergeTree`. */
export async function withoutResolutions(
  store: ObjectStore,
  main: Oid,
  { tree, conflicts }: Merge,
): Promise<MergeResult> {
  if (conflicts.length > 0) return { tree: null, conflicts: conflicts.map(({ conflict }) => conflict) }
  await checkMerged(store, main, tree)
  return { tree, conflicts: [] }
}

/** See `Repository.resolveMerge`. */
export async function resolveMerge(
  store: ObjectStore,
  main: Oid,
  { tree: merged, conflicts, resolutions }: Merge & { readonly resolutions: readonly Resolution[] },
): Promise<MergeResult> {
  const decisions = await byPath(resolutions, conflicts)
  const open: MergeConflict[] = []
  const staging = new Staging()
  const edits = new Map<string, TreeFile | null>()
  const settled = new Map<string, TreeFile | null>()
  for (const found of conflicts) {
    if (isTurnOver()) await nextTurn()
    const decision = decisions.get(found.conflict.path)
    if (!decision || !stillHolds(decision, found.conflict)) {
      open.push(found.conflict)
      continue
    }
    edits.set(found.leftAt, null)
    settled.set(found.conflict.path, settle(found, decision, staging))
  }
  if (open.length > 0) return { tree: null, conflicts: open }
  // A file that makes way for a directory is removed where it was left, not at its own path, where the directory is.
  for (const [path, file] of settled) if (file !== null) edits.set(path, file)
  const tree = await editTree(merged, edits, store.trees, staging)
  await store.objects.write(staging, staging.oids)
  await checkMerged(store, main, tree)
  return { tree, conflicts: [] }
}

/**
 * The merge brings files of both sides together, which may collide though neither side’s did.
 *
 * @throws Failure `invalid_path`
 */
async function checkMerged({ trees, commits }: ObjectStore, main: Oid, tree: Oid): Promise<void> {
  const [merged, before] = await Promise.all([trees.files(tree), trees.files((await commits.read(main)).tree)])
  await checkCollisions([...merged.keys()], (path) => !before.has(path))
}

async function byPath(
  resolutions: readonly Resolution[],
  conflicts: readonly OpenConflict[],
): Promise<ReadonlyMap<string, Resolution>> {
  const paths = new Set(conflicts.map(({ conflict }) => conflict.path))
  const decisions = new Map<string, Resolution>()
  const needless: string[] = []
  for (const resolution of resolutions) {
    if (isTurnOver()) await nextTurn()
    const { path } = resolution
    if (!paths.has(path) && needless.length < mostNamed) needless.push(path)
    if (decisions.has(path)) throw refused([path], 'is settled twice')
    decisions.set(path, resolution)
  }
  // All at once: whoever settled them looks at them together.
  if (needless.length > 0) throw refused(needless, 'has no conflict')
  return decisions
}

function stillHolds({ seen }: Resolution, conflict: MergeConflict): boolean {
  if (!seen) return true
  return (['main', 'branch'] as const).every(
    (side) => seen[side] === undefined || seen[side] === (conflict[side] ?? null),
  )
}

function settle(found: OpenConflict, decision: Resolution, staging: Staging): TreeFile | null {
  if ('use' in decision) return found[decision.use]
  if (decision.content === null) return null
  const oid = blobOid(decision.content)
  staging.addBlob(oid, decision.content)
  const mode = (found.branch ?? found.main)?.mode ?? '100644'
  // A text that somebody put together is where a link leads only if both sides had one.
  const isText = mode === linkMode && found.main?.mode !== found.branch?.mode
  return { oid, mode: isText ? '100644' : mode }
}

function refused(files: readonly string[], why: string): Failure {
  const [first = ''] = files
  const others = files.length === 1 ? '' : `, and of ${files.length - 1} more,`
  return new Failure(
    'invalid_request',
    `The resolution of ${JSON.stringify(first)}${others} cannot be used: the file ${why}.`,
    {
      hint: 'Read the conflicts again, and settle each of them once.',
      errors: files.map((path) => ({ path, message: why })),
    },
  )
}
