import { isUtf8 } from 'node:buffer'
import type { DiffHunk, DiffLine } from '../repository.ts'

export interface FilePatch {
  readonly binary: boolean
  readonly hunks: readonly DiffHunk[]
}

const kinds = { ' ': 'context', '+': 'added', '-': 'deleted' } as const

/**
 * Parses what `git diff-tree --patch` prints: one entry for each file, in order; null for one that has more lines than
 * the files before it left room for.
 *
 * @param cut the output ends somewhere: its last file is left out.
 * @param maxLines of all files together.
 */
export function parsePatch(output: Buffer, cut: boolean, maxLines: number): (FilePatch | null)[] {
  const files: (FilePatch | null)[] = []
  let room = maxLines
  // In hunks every line begins with a space, + or -: what begins with `diff` is a header.
  let start = output.indexOf('diff --git ')
  while (start >= 0) {
    const next = output.indexOf('\ndiff --git ', start)
    if (next < 0 && cut) break
    const file = parseFile(output.subarray(start, next < 0 ? output.length : next + 1), room)
    room -= (file?.hunks ?? []).reduce((lines, hunk) => lines + hunk.lines.length, 0)
    files.push(file)
    start = next < 0 ? -1 : next + 1
  }
  return files
}

function parseFile(bytes: Buffer, maxLines: number): FilePatch | null {
  // Old pages may be in Latin-1, which git takes for text; nothing else in them would be readable as UTF-8.
  const text = isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')
  // Only a line feed ends a line: U+2028 and a lone carriage return are part of it.
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@ '))
  if (first < 0) return { binary: lines.some((line) => /^Binary files .* differ$/.test(line)), hunks: [] }
  if (lines.length - first > maxLines) return null
  const hunks: DiffHunk[] = []
  for (let at = first; at < lines.length;) {
    const ranges = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? '')
    if (!ranges) break
    let end = at + 1
    while (/^[ +\-\\]/.test(lines[end] ?? '')) end++
    const [, oldStart, oldLines = '1', newStart, newLines = '1'] = ranges
    hunks.push({
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
      lines: parseLines(lines.slice(at + 1, end)),
    })
    at = end
  }
  return { binary: false, hunks }
}

function parseLines(lines: readonly string[]): DiffLine[] {
  const parsed: DiffLine[] = []
  for (const line of lines) {
    const kind = kinds[line[0] as keyof typeof kinds]
    const last = parsed.at(-1)
    if (kind) parsed.push({ kind, text: line.slice(1) })
    // `\ No newline at end of file` speaks of the line before it.
    else if (last) parsed[parsed.length - 1] = { ...last, unterminated: true }
  }
  return parsed
}
