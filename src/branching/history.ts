import { emptyTree, isOid, type Oid, type Repository } from '../content/repository.ts'
import { type List, pageItems } from '../contract/common.ts'
import type { CommitComparison, FileDiff, HistoryCommit, HistoryQuery } from '../contract/comparisons.ts'
import { unknownCursor } from '../contract/failure.ts'
import { isTurnOver, nextTurn } from '../lib/slices.ts'
import { requireReachable } from './lookup.ts'
import { presentCommit, presentDiff } from './present.ts'

/** Commits that led to a head, newest first; with a path only those that touched the file. None without a head. */
export async function commitsOf(
  repository: Repository,
  head: Oid | null,
  { path, limit = pageItems, cursor }: HistoryQuery,
): Promise<List<HistoryCommit>> {
  if (cursor !== undefined && !isOid(cursor)) throw unknownCursor()
  if (head === null) return { items: [] }
  const commits = await repository.log({ from: head, path, limit: limit + 1, after: cursor })
  const page = commits.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(presentCommit),
    ...(commits.length > limit && last !== undefined ? { nextCursor: last.oid } : {}),
  }
}

/** Files that differ between two commits, as lines and words; with a path that file alone. */
export async function comparisonOf(
  repository: Repository,
  { base, head }: CommitRange,
  path?: string,
): Promise<CommitComparison> {
  const files: FileDiff[] = []
  for (const file of await repository.diff(base ?? emptyTree, head, path)) {
    if (isTurnOver()) await nextTurn()
    files.push(presentDiff(file))
  }
  return { ...(base === null ? {} : { base }), head, files }
}

export interface CommitRange {
  /** Null: nothing. */
  readonly base: Oid | null
  readonly head: Oid
}

/**
 * A commit of a history, and the one before it. Throws `not_found` for one that the history has not: what other refs
 * keep, or once kept, is not told.
 *
 * @param history.where whose it is, in words that begin a sentence
 */
export async function rangeOf(
  repository: Repository,
  commit: Oid,
  history: { readonly head: Oid | null; readonly where: string },
): Promise<CommitRange> {
  await requireReachable(repository, { commit, heads: [history.head], where: history.where })
  const { parents } = await repository.readCommit(commit)
  return { base: parents[0] ?? null, head: commit }
}
