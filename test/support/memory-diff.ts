import { isUtf8 } from 'node:buffer'
import { structuredPatch } from 'diff'
import type { DiffHunk, DiffLine, FileDiff, TreeChange } from '#content/repository.ts'

type ListedFile = Omit<FileDiff, 'hunks' | 'binary' | 'truncated'>

/** A file that went and one that came with the same content are one that was renamed. */
export function withRenames(changes: readonly TreeChange[]): ListedFile[] {
  const gone = changes.filter(({ after }) => after === null)
  const renamed = new Set<TreeChange>()
  const files = changes.map((change): ListedFile => {
    const { path, before, after } = change
    if (before !== null) return { path, status: after === null ? 'deleted' : 'modified', before, after }
    const old = gone.find((other) => other.before?.oid === after?.oid && !renamed.has(other))
    if (!old) return { path, status: 'added', before, after }
    renamed.add(old)
    return { path, status: 'renamed', oldPath: old.path, before: old.before, after }
  })
  const oldPaths = new Set([...renamed].map(({ path }) => path))
  return files.filter(({ path, status }) => status !== 'deleted' || !oldPaths.has(path))
}

const kinds = { ' ': 'context', '+': 'added', '-': 'deleted' } as const

export function hunksOf(before: Buffer, after: Buffer): DiffHunk[] {
  const [old, now] = [before, after].map((bytes) => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'))
  const { hunks } = structuredPatch('', '', old ?? '', now ?? '', undefined, undefined, { context: 3 })
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    oldLines,
    newStart: newLines === 0 ? newStart - 1 : newStart,
    newLines,
    lines: linesOf(lines),
  }))
}

function linesOf(lines: readonly string[]): DiffLine[] {
  return lines.flatMap((line, index) => {
    const kind = kinds[line[0] as keyof typeof kinds]
    const unterminated = lines[index + 1]?.startsWith('\\') === true
    return kind ? [{ kind, text: line.slice(1), ...(unterminated ? ({ unterminated: true } as const) : {}) }] : []
  })
}
