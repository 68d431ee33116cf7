import type { Conflict, Resolution } from '../contract/branches.ts'
import { Failure } from '../contract/failure.ts'
import { joinedDecisions, type PieceDecision, writtenOf } from './merge-pieces.ts'

/** What a file in conflict is to be: what a side has, or a text. */
export type Decision = { readonly use: 'branch' | 'main' } | { readonly content: string }

/** The blobs of both sides; null: the side has no such file. */
export interface Seen {
  readonly main: string | null
  readonly branch: string | null
}

/** What was decided of a conflict, for as long as nobody knows what came of it. */
export interface KeptDecision {
  readonly path: string
  /** What it was made on. */
  readonly seen: Seen
  /** Absent: some of its pieces are decided, and not all of them. */
  readonly decision?: Decision
  /** False: it is to be looked at again, or gone. */
  readonly settled: boolean
  /** There was no conflict any more, and that was told. */
  readonly gone?: true
  /** What was done of its pieces, also what is being written. */
  readonly pieces?: PieceDecision[]
}

/**
 * A conflict with what was decided of it.
 *
 * - `open`: nothing, or what was decided on holds no more.
 * - `settled`: the service takes it.
 * - `gone`: main or the branch moved, and there is no conflict any more. It is kept for what was decided of it, which
 *   holds no more, and for the text that was made of it.
 */
export interface PendingConflict {
  readonly conflict: Conflict
  readonly state: 'open' | 'settled' | 'gone'
  /** Of an open one: what was decided before a side moved. */
  readonly decision: Decision | undefined
  /** What was done of its pieces at an earlier time, or before a side moved. */
  readonly pieces: readonly PieceDecision[]
}

/** The conflicts that a publish or an update was refused for; undefined where it was not for conflicts. */
export function conflictsOf(error: unknown): readonly Conflict[] | undefined {
  if (!(error instanceof Failure) || error.code !== 'merge_conflict') return undefined
  return (error.extra['conflicts'] ?? []) as readonly Conflict[]
}

/** What a decision on a conflict was made on: when a side has moved since, the service gives it back. */
export function seenOf({ oids }: Conflict): { main: string | null; branch: string | null } {
  return { main: oids.main ?? null, branch: oids.branch ?? null }
}

/** Both sides are texts, which can be merged piece by piece. */
export function canMerge({ main, branch, omitted }: Conflict): boolean {
  return omitted === undefined && main !== undefined && branch !== undefined
}

/**
 * What is to be settled now that the service has said what is in conflict.
 *
 * @param items what was to be settled before
 * @param sent the decisions that went with the request: of those that the service does not name, it has taken each
 * @param earlier decisions of an earlier time, by path, on conflicts that the service had not told yet
 */
export function renewed(
  items: readonly PendingConflict[],
  { conflicts, sent }: { readonly conflicts: readonly Conflict[]; readonly sent: readonly Resolution[] },
  earlier: ReadonlyMap<string, KeptDecision>,
): readonly PendingConflict[] {
  const taken = new Set(sent.map(({ path }) => path))
  const now = new Map(conflicts.map((conflict) => [conflict.path, conflict]))
  const known = items.flatMap((item) => {
    const { path } = item.conflict
    const conflict = now.get(path)
    now.delete(path)
    if (conflict !== undefined) return [withConflict(item, conflict)]
    if (taken.has(path) && item.state === 'settled') return [item]
    return keptOfGone(item)
  })
  const left = new Map(earlier)
  const fresh = [...now.values()].map((conflict) => {
    const found = left.get(conflict.path)
    left.delete(conflict.path)
    return remembered(conflict, found)
  })
  return [...known, ...fresh, ...[...left.values()].flatMap((one) => keptOfGone(forgotten(one)))]
}

/** A decision, and what is half done, holds for as long as both sides are what it was made on. */
function withConflict(item: PendingConflict, conflict: Conflict): PendingConflict {
  const { main, branch } = item.conflict.oids
  const holds = main === conflict.oids.main && branch === conflict.oids.branch
  if (holds && item.state !== 'gone') return item
  return { conflict, state: 'open', decision: item.decision, pieces: item.pieces }
}

/** What is left of an item whose conflict is none any more: only a text that somebody wrote is worth to be kept. */
export function keptOfGone(item: PendingConflict): readonly PendingConflict[] {
  return textsOf(item).length > 0 ? [{ ...item, state: 'gone' }] : []
}

/** An item whose decision the service gave back because nothing is in conflict: what the merge makes may be another. */
export function givenBack(item: PendingConflict): readonly PendingConflict[] {
  return item.decision === undefined ? keptOfGone(item) : [{ ...item, state: 'gone' }]
}

/** A conflict that is new here, with what was decided of it at an earlier time. */
export function remembered(conflict: Conflict, earlier: KeptDecision | undefined): PendingConflict {
  if (earlier === undefined) return { conflict, state: 'open', decision: undefined, pieces: [] }
  const { main, branch } = seenOf(conflict)
  const holds = earlier.settled && earlier.seen.main === main && earlier.seen.branch === branch
  return { conflict, state: holds ? 'settled' : 'open', decision: earlier.decision, pieces: earlier.pieces ?? [] }
}

/** An item as it was kept, with its conflict as the service told it then. */
export function restored(conflict: Conflict, kept: KeptDecision | undefined): PendingConflict {
  const item = remembered(conflict, kept)
  return kept?.gone === true ? { ...item, state: 'gone' } : item
}

/** What was decided at an earlier time of a conflict that is none any more. */
function forgotten({ path, seen: { main, branch }, decision, pieces = [] }: KeptDecision): PendingConflict {
  const oids = { ...(main === null ? {} : { main }), ...(branch === null ? {} : { branch }) }
  return { conflict: { path, type: 'content', oids }, state: 'gone', decision, pieces }
}

/** What is worth to be found again after a crash; nothing where nothing was done. */
export function keptOf({ conflict, decision, state, pieces }: PendingConflict): readonly KeptDecision[] {
  if (decision === undefined && pieces.length === 0) return []
  const kept = { path: conflict.path, seen: seenOf(conflict), settled: state === 'settled' }
  const gone = state === 'gone' ? { gone: true as const } : {}
  return [{ ...kept, ...gone, ...(decision === undefined ? {} : { decision }), pieces: [...pieces] }]
}

/** What two tabs decided since both had the same: of each file what is new, and of a piece of both what `mine` has. */
export function joinedKept(
  before: readonly KeptDecision[],
  mine: readonly KeptDecision[],
  theirs: readonly KeptDecision[],
): readonly KeptDecision[] {
  const [known, own, other] = [before, mine, theirs].map((all) => new Map(all.map((one) => [one.path, one])))
  const paths = new Set([...mine, ...theirs].map(({ path }) => path))
  return [...paths].flatMap((path) => {
    const [was, here, there] = [known?.get(path), own?.get(path), other?.get(path)]
    if (isSame(was, here)) return there ?? []
    if (here === undefined || there === undefined || isSame(was, there)) return here ?? []
    const pieces = joinedDecisions(was?.pieces ?? [], here.pieces ?? [], there.pieces ?? [])
    return { ...here, pieces: [...pieces] }
  })
}

function isSame(one: KeptDecision | undefined, other: KeptDecision | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The decisions for the service. */
export function resolutionsOf(items: readonly PendingConflict[]): Resolution[] {
  return items.flatMap(({ conflict, state, decision }): Resolution[] =>
    state === 'settled' && decision !== undefined ? [{ path: conflict.path, ...decision, seen: seenOf(conflict) }] : [],
  )
}

/** What somebody wrote of a conflict by hand. */
export function textsOf({
  decision,
  pieces = [],
}: {
  readonly decision?: Decision | undefined
  readonly pieces?: readonly PieceDecision[]
}): readonly string[] {
  return [...(decision !== undefined && 'content' in decision ? [decision.content] : []), ...writtenOf(pieces)]
}

/** A text that is in another one needs not be told of itself. */
export function unrepeated(texts: readonly string[]): readonly string[] {
  return texts.filter(
    (text, at) => !texts.some((other, index) => index !== at && other.includes(text) && (other !== text || index < at)),
  )
}
