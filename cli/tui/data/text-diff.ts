import { diffWordsWithSpace, structuredPatch } from 'diff'
import type { DiffHunk, FileDiff } from '#contract/branches.ts'

type DiffLine = DiffHunk['lines'][number]
const kinds: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'context', '+': 'added', '-': 'deleted' }

/** Milliseconds; texts that have little in common take long to compare. */
const patience = 200
/** Longer lines are not told apart by their words. */
const longestLine = 2_000

/** How two texts of a file differ, in the form in which the service tells it. */
export function textDiff(path: string, before: string, after: string): FileDiff {
  const hunks = hunksOf(before, after)
  return { path, status: 'modified', binary: false, truncated: hunks === undefined, hunks: hunks ?? [] }
}

/** Undefined where it would take too long to find out. */
export function hunksOf(before: string, after: string): DiffHunk[] | undefined {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: patience })
  return patch?.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines: withWords(linesOf(lines)),
  }))
}

function linesOf(lines: readonly string[]): DiffLine[] {
  const told: DiffLine[] = []
  for (const line of lines) {
    const last = told.at(-1)
    if (!line.startsWith('\\')) told.push({ kind: kinds[line[0] ?? ''] ?? 'context', text: line.slice(1) })
    else if (last !== undefined) told[told.length - 1] = { ...last, unterminated: true }
  }
  return told
}

/** Lines that took each other’s place are told apart by their words. */
function withWords(lines: readonly DiffLine[]): DiffLine[] {
  const result = [...lines]
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    const isPair = line.kind === 'deleted' && next?.kind === 'added' && lines[index - 1]?.kind !== 'deleted'
    if (!isPair || line.text.length > longestLine || next.text.length > longestLine) continue
    const words = diffWordsWithSpace(line.text, next.text)
    result[index] = {
      ...line,
      words: words.filter((word) => !word.added).map(({ value, removed }) => ({ text: value, changed: removed })),
    }
    result[index + 1] = {
      ...next,
      words: words.filter((word) => !word.removed).map(({ value, added }) => ({ text: value, changed: added })),
    }
  }
  return result
}
