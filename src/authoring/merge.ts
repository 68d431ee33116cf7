import { diffArrays } from 'diff'

/**
 * A piece of a merged text. The lines have their ends.
 *
 * - `settled`: the same on both sides, or changed on one of them only.
 * - `conflict`: changed on both sides, in different ways.
 */
export type MergePiece =
  | { readonly kind: 'settled'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict'
      /** What both sides changed; absent where there was nothing before. */
      readonly base?: readonly string[]
      readonly mine: readonly string[]
      readonly theirs: readonly string[]
    }

/** Lines `from` up to, not including, `to` of the base became other lines. */
export interface Change {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/** Longer than this nobody waits at the keyboard: what differs is one piece then. In milliseconds. */
const patience = 150

/** Joins what two sides made of a text, line by line. @param base undefined: there was none, both sides began it */
export function mergeTexts(base: string | undefined, mine: string, theirs: string): readonly MergePiece[] {
  const [ours, others] = [linesOf(mine), linesOf(theirs)]
  if (base === undefined) return withoutBase(ours, others)
  const lines = linesOf(base)
  return joined(lines, changesOf(lines, ours), changesOf(lines, others))
}

/** What turns one text into the other, line by line. The lines have their ends. */
export function lineChanges(before: string, after: string): readonly Change[] {
  return changesOf(linesOf(before), linesOf(after))
}

/** The lines of a text with their ends. */
export function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []
}

/** Both sides stand whole: what they share is settled, the rest is to be decided. */
function withoutBase(mine: readonly string[], theirs: readonly string[]): readonly MergePiece[] {
  const pieces: MergePiece[] = []
  let at = 0
  for (const { from, to, lines } of changesOf(mine, theirs)) {
    settle(pieces, mine.slice(at, from))
    pieces.push({ kind: 'conflict', mine: mine.slice(from, to), theirs: lines })
    at = to
  }
  settle(pieces, mine.slice(at))
  return pieces
}

function joined(base: readonly string[], mine: readonly Change[], theirs: readonly Change[]): readonly MergePiece[] {
  const pieces: MergePiece[] = []
  let at = 0
  let [ours, others] = [0, 0]
  for (;;) {
    const first = Math.min(mine[ours]?.from ?? Infinity, theirs[others]?.from ?? Infinity)
    if (first === Infinity) break
    settle(pieces, base.slice(at, first))
    // Changes that touch belong together: nobody but the writer knows in which order they go.
    const [oursFrom, othersFrom] = [ours, others]
    let end = first
    for (let grows = true; grows;) {
      grows = false
      for (const change of [mine[ours], theirs[others]]) {
        if (change === undefined || change.from > end) continue
        if (change === mine[ours]) ours++
        else others++
        end = Math.max(end, change.to)
        grows = true
      }
    }
    const region = { from: first, to: end }
    pieces.push(...decided(base, region, mine.slice(oursFrom, ours), theirs.slice(othersFrom, others)))
    at = end
  }
  settle(pieces, base.slice(at))
  return merged(pieces)
}

/** What a region becomes: settled where only one side changed it, or both did the same. */
function decided(
  base: readonly string[],
  region: { readonly from: number; readonly to: number },
  mine: readonly Change[],
  theirs: readonly Change[],
): MergePiece[] {
  const ours = applied(base, region, mine)
  const others = applied(base, region, theirs)
  if (theirs.length === 0 || isSame(ours, others)) return [{ kind: 'settled', lines: ours }]
  if (mine.length === 0) return [{ kind: 'settled', lines: others }]
  // What both begin or end with is no matter of choice.
  let head = 0
  while (head < Math.min(ours.length, others.length) && ours[head] === others[head]) head++
  let tail = 0
  while (tail < Math.min(ours.length, others.length) - head && ours.at(-1 - tail) === others.at(-1 - tail)) tail++
  return [
    { kind: 'settled', lines: ours.slice(0, head) },
    {
      kind: 'conflict',
      base: base.slice(region.from, region.to),
      mine: ours.slice(head, ours.length - tail),
      theirs: others.slice(head, others.length - tail),
    },
    { kind: 'settled', lines: ours.slice(ours.length - tail) },
  ]
}

function applied(
  base: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  changes: readonly Change[],
): readonly string[] {
  let lines: string[] = []
  let at = from
  for (const change of changes) {
    lines = lines.concat(base.slice(at, change.from), change.lines)
    at = change.to
  }
  return lines.concat(base.slice(at, to))
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}

function settle(pieces: MergePiece[], lines: readonly string[]): void {
  if (lines.length > 0) pieces.push({ kind: 'settled', lines })
}

/** Settled pieces that follow each other as one, without empty ones. */
function merged(pieces: readonly MergePiece[]): readonly MergePiece[] {
  const result: MergePiece[] = []
  for (const piece of pieces) {
    const last = result.at(-1)
    if (piece.kind === 'settled' && piece.lines.length === 0) continue
    if (piece.kind === 'settled' && last?.kind === 'settled')
      result[result.length - 1] = { kind: 'settled', lines: last.lines.concat(piece.lines) }
    else result.push(piece)
  }
  return result
}

/** What became of lines, in order. */
function changesOf(before: readonly string[], after: readonly string[]): readonly Change[] {
  let head = 0
  const most = Math.min(before.length, after.length)
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const inner = before.slice(head, before.length - tail)
  const other = after.slice(head, after.length - tail)
  if (inner.length === 0 && other.length === 0) return []
  const parts = diffArrays(inner, other, { timeout: patience })
  if (parts === undefined) return [{ from: head, to: before.length - tail, lines: other }]
  const changes: Change[] = []
  let at = head
  for (const { added, removed, value } of parts) {
    const last = changes.at(-1)
    if (!added && !removed) {
      at += value.length
      continue
    }
    const to = removed ? at + value.length : at
    if (last?.to === at)
      changes[changes.length - 1] = { from: last.from, to, lines: added ? last.lines.concat(value) : last.lines }
    else changes.push({ from: at, to, lines: added ? value : [] })
    at = to
  }
  return changes
}
