import { isUtf8 } from 'node:buffer'
import { markWords } from './diff-words.ts'
import type { DiffHunk, DiffLine } from './repository.ts'

export interface FilePatch {
  readonly binary: boolean
  readonly hunks: readonly DiffHunk[]
}

const kinds = { ' ': 'context', '+': 'added', '-': 'deleted' } as const

/**
 * Parses what `git diff-tree --patch` prints: one entry for each file, in order.
 *
 * @param cut the output ends somewhere: its last file is left out.
 */
export function parsePatch(output: Buffer, cut: boolean): FilePatch[] {
  const files: FilePatch[] = []
  // In hunks every line begins with a space, + or -: what begins with `diff` is a header.
  let start = output.indexOf('diff --git ')
  while (start >= 0) {
    const next = output.indexOf('\ndiff --git ', start)
    if (next < 0 && cut) break
    files.push(parseFile(output.subarray(start, next < 0 ? output.length : next + 1)))
    start = next < 0 ? -1 : next + 1
  }
  return files
}

function parseFile(bytes: Buffer): FilePatch {
  // Old pages may be in Latin-1, which git takes for text; nothing else in them would be readable as UTF-8.
  const text = isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')
  // Only a line feed ends a line: U+2028 and a lone carriage return are part of it.
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@ '))
  if (first < 0) return { binary: lines.some((line) => /^Binary files .* differ$/.test(line)), hunks: [] }
  const hunks: DiffHunk[] = []
  for (let at = first; at < lines.length;) {
    const ranges = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? '')
    if (!ranges) break
    const end = lines.findIndex((line, index) => index > at && !/^[ +\-\\]/.test(line))
    const [, oldStart, oldLines = '1', newStart, newLines = '1'] = ranges
    hunks.push({
      oldStart: Number(oldStart),
      oldLines: Number(oldLines),
      newStart: Number(newStart),
      newLines: Number(newLines),
      lines: markWords(parseLines(lines.slice(at + 1, end < 0 ? lines.length : end))),
    })
    at = end < 0 ? lines.length : end
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
