import type { DiffHunk, FileDiff } from '../src/contract/branches.ts'
import { printable, type Output } from './output.ts'

/** A unified diff, changed words in bold on a terminal. */
export function diffText(files: readonly FileDiff[], output: Output): string {
  return files.map((file) => fileText(file, output)).join('\n')
}

function fileText(file: FileDiff, output: Output): string {
  const before = file.status === 'added' ? '/dev/null' : `a/${file.oldPath ?? file.path}`
  const after = file.status === 'deleted' ? '/dev/null' : `b/${file.path}`
  const head = [output.paint('bold', `--- ${before}`), output.paint('bold', `+++ ${after}`)]
  if (file.binary) return [...head, 'Binary files differ'].join('\n')
  if (file.truncated)
    return [...head, output.paint('dim', 'The whole diff is too large: ask for this file alone.')].join('\n')
  return [...head, ...file.hunks.flatMap((hunk) => hunkLines(hunk, output))].join('\n')
}

type DiffLine = DiffHunk['lines'][number]
const signs = { context: ' ', added: '+', deleted: '-' } as const

function hunkLines(hunk: DiffHunk, output: Output): string[] {
  const range = (start: number, lines: number): string => (lines === 1 ? String(start) : `${start},${lines}`)
  const head = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`
  const lines = hunk.lines.flatMap((line) => {
    const text = lineText(line, output)
    return line.unterminated === true ? [text, '\\ No newline at end of file'] : [text]
  })
  return [output.paint('cyan', head), ...lines]
}

function lineText(line: DiffLine, output: Output): string {
  const sign = signs[line.kind]
  // Of a line that is the same on both sides its carriage return tells nothing.
  if (line.kind === 'context') return sign + printable(line.text.replace(/\r$/, ''))
  const color = line.kind === 'added' ? 'green' : 'red'
  const pieces = line.words ?? [{ text: line.text, changed: false }]
  const text = pieces.map((piece) =>
    piece.changed
      ? output.paint('bold', output.paint(color, printable(piece.text)))
      : output.paint(color, printable(piece.text)),
  )
  return output.paint(color, sign) + text.join('')
}
