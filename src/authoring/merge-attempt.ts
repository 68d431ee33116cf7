import type { Conflict, Resolution } from '../contract/branches.ts'
import { Failure } from '../contract/failure.ts'
import { conflictsOf } from './pending-conflicts.ts'

/** Where decisions on conflicts come from, and where conflicts go to. */
interface PendingMerge {
  readonly resolutions: () => readonly Resolution[]
  /** What is in conflict now. @param sent what the service has been sent, and did not refuse if it does not name it */
  readonly take: (conflicts: readonly Conflict[], sent: readonly Resolution[]) => void
  /** A file has no conflict: there is nothing to decide, and what was decided of it is told. */
  readonly drop: (path: string) => void
}

/**
 * Merges with what was decided of the conflicts.
 *
 * @returns undefined: there is something to decide, which the pending merge has now. @throws Failure for other refusals.
 */
export async function mergeWith<T>(
  pendingMerge: PendingMerge,
  merge: (resolutions: readonly Resolution[]) => Promise<T>,
): Promise<T | undefined> {
  const sent = pendingMerge.resolutions()
  try {
    return await merge(sent)
  } catch (error) {
    const conflicts = conflictsOf(error)
    if (conflicts !== undefined) {
      pendingMerge.take(conflicts, sent)
      return undefined
    }
    const settledAlready = withoutConflict(error, sent)
    if (settledAlready.length === 0) throw error
    // Main may be as it was before it changed the file: then the branch's would go live, whatever was decided.
    for (const { path } of settledAlready) pendingMerge.drop(path)
    return undefined
  }
}

/** The decisions that were refused because nothing is left to decide: main or the branch has moved since. */
function withoutConflict(error: unknown, sent: readonly Resolution[]): readonly Resolution[] {
  if (!(error instanceof Failure) || error.code !== 'invalid_request') return []
  const named = new Set(error.errors.map(({ path }) => path))
  return sent.filter(({ path }) => named.has(path))
}
