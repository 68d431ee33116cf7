import type { BranchRender } from '#contract/branches.ts'
import type { TextSpot } from './code/scrolling.ts'

/** A place of the page: between two of its headings; null: its beginning, its end. */
interface PreviewSpot {
  readonly before: string | null
  readonly behind: string | null
  /** 0 to 1. */
  readonly part: number
}

/** The place of the page for one of its text: headings are in both. */
export function previewSpot(spot: TextSpot, known: BranchRender['headings'] = []): PreviewSpot {
  const { line, lastLine, headings, isAtEnd } = spot
  if (isAtEnd) return { before: null, behind: null, part: 1 }
  const shown = new Set(known.map(({ id }) => id))
  // What is behind the last line at the top is never there; it ends with the page.
  const stops = headings.filter((heading) => shown.has(heading.anchor) && heading.line < lastLine)
  const before = stops.findLast((heading) => heading.line <= line)
  const behind = stops.find((heading) => heading.line > line)
  const from = before?.line ?? 0
  const to = behind?.line ?? lastLine
  const part = to <= from ? 0 : Math.min(1, Math.max(0, (line - from) / (to - from)))
  return { before: before?.anchor ?? null, behind: behind?.anchor ?? null, part }
}
