import type { ErrorDetail } from '../../contract/common.ts'

/** Findings of one kind that a build reports one by one. */
const MOST = 1000

/** Sorted by place, without repetitions, at most 1,000 with the number of those left out. */
export function arrange(findings: readonly ErrorDetail[]): readonly ErrorDetail[] {
  if (findings.length < 2) return findings
  const sorted = [...findings].sort(byPlace)
  const distinct = sorted.filter(
    (finding, index) => index === 0 || byPlace(sorted[index - 1] ?? finding, finding) !== 0,
  )
  if (distinct.length <= MOST) return distinct
  return [...distinct.slice(0, MOST), { message: `… and ${distinct.length - MOST} more.` }]
}

function byPlace(one: ErrorDetail, other: ErrorDetail): number {
  return (
    compare(one.path ?? '', other.path ?? '') ||
    (one.line ?? 0) - (other.line ?? 0) ||
    (one.column ?? 0) - (other.column ?? 0) ||
    compare(one.pointer ?? '', other.pointer ?? '') ||
    compare(one.message, other.message)
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
