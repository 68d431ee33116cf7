import { Failure } from '../../contract/failure.ts'
import type { OpenConflict } from './conflicts.ts'
import { checkMerged, merge } from './merge.ts'
import { writeObjects } from '../objects/object-writer.ts'
import { blobOid } from '../objects/objects.ts'
import type { MergeConflict, MergeResult, Oid, Resolution, TreeFile } from '../repository.ts'
import { Staging } from '../objects/staging.ts'
import type { Stores } from '../objects/stores.ts'
import { editTree } from '../objects/tree-builder.ts'

/** See `Repository.resolveMerge`. */
export async function resolveMerge(
  stores: Stores,
  request: { readonly main: Oid; readonly branch: Oid; readonly resolutions: readonly Resolution[] },
): Promise<MergeResult> {
  const { tree: merged, conflicts } = await merge(stores, request.main, request.branch)
  const decisions = byPath(request.resolutions, conflicts)
  const open: MergeConflict[] = []
  const staging = new Staging()
  const edits = new Map<string, TreeFile | null>()
  const settled = new Map<string, TreeFile | null>()
  for (const found of conflicts) {
    const decision = decisions.get(found.conflict.path)
    if (!decision || !stillHolds(decision, found.conflict)) {
      open.push(found.conflict)
      continue
    }
    edits.set(found.leftAt, null)
    settled.set(found.conflict.path, settle(found, decision, staging))
  }
  if (open.length > 0) return { tree: null, conflicts: open }
  // A file that makes way for a directory is removed under git’s name, not under its own, where the directory is.
  for (const [path, file] of settled) if (file !== null) edits.set(path, file)
  const tree = await editTree(merged, edits, stores.trees, staging)
  await writeObjects(stores.git, stores.directory, staging, staging.oids)
  await checkMerged(stores, request.main, tree)
  return { tree, conflicts: [] }
}

function byPath(
  resolutions: readonly Resolution[],
  conflicts: readonly OpenConflict[],
): ReadonlyMap<string, Resolution> {
  const paths = new Set(conflicts.map(({ conflict }) => conflict.path))
  const decisions = new Map<string, Resolution>()
  for (const resolution of resolutions) {
    const { path } = resolution
    if (!paths.has(path)) throw refused(path, 'has no conflict')
    if (decisions.has(path)) throw refused(path, 'is settled twice')
    decisions.set(path, resolution)
  }
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
  return { oid, mode: (found.branch ?? found.main)?.mode ?? '100644' }
}

function refused(path: string, why: string): Failure {
  return new Failure('invalid_request', `The resolution of ${JSON.stringify(path)} cannot be used: the file ${why}.`, {
    hint: 'Read the conflicts again, and settle each of them once.',
    errors: [{ path, message: why }],
  })
}
