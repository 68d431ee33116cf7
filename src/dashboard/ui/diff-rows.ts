import type { DiffHunk } from '../../contract/comparisons.ts'

export type DiffLine = DiffHunk['lines'][number]

/** A line where it stands in its file; absent where the side has none. */
export interface DiffSide {
  readonly number: number
  readonly line: DiffLine
}

export interface DiffRow {
  readonly old?: DiffSide
  readonly now?: DiffSide
}

/** Each line in a row of its own, with its numbers on both sides. */
export function unifiedRows(hunk: DiffHunk): readonly DiffRow[] {
  let { oldStart: before, newStart: after } = hunk
  return hunk.lines.map((line) => ({
    ...(line.kind === 'added' ? {} : { old: { number: before++, line } }),
    ...(line.kind === 'deleted' ? {} : { now: { number: after++, line } }),
  }))
}

/** Deleted lines beside the added ones that took their place. */
export function splitRows(hunk: DiffHunk): readonly DiffRow[] {
  const rows: DiffRow[] = []
  let olds: DiffSide[] = []
  let news: DiffSide[] = []
  const settle = (): void => {
    for (let at = 0; at < Math.max(olds.length, news.length); at++) {
      const [old, now] = [olds[at], news[at]]
      rows.push({ ...(old && { old }), ...(now && { now }) })
    }
    olds = []
    news = []
  }
  for (const { old, now } of unifiedRows(hunk)) {
    if (old !== undefined && now !== undefined) {
      settle()
      rows.push({ old, now })
    } else if (old !== undefined) {
      if (news.length > 0) settle()
      olds.push(old)
    } else if (now !== undefined) news.push(now)
  }
  settle()
  return rows
}

/** How many lines of hunks came and went. */
export function lineCounts(hunks: readonly DiffHunk[]): { readonly added: number; readonly deleted: number } {
  let added = 0
  let deleted = 0
  for (const { lines } of hunks)
    for (const { kind } of lines) {
      if (kind === 'added') added++
      if (kind === 'deleted') deleted++
    }
  return { added, deleted }
}
