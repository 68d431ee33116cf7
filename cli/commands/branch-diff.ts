import type { DiffHunk, FileDiff } from '../../src/contract/branches.ts'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Output } from '../output.ts'
import { printable } from '../printable.ts'
import { findBranch, openProject } from '../project.ts'
import { withRetry } from '../retry.ts'

/** `quire branch diff <name> [path]`: a unified diff, changed words in bold on a terminal. */
export async function diffBranch(
  name: string,
  path: string | undefined,
  options: { readonly url: string },
  output: Output,
): Promise<number> {
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const { id } = await findBranch(project, name)
  const query = path === undefined ? {} : { path }
  const diff = await withRetry(() => client.call(contract.branches.diff, { params: { slug, id }, query }), policy)
  const text = diff.files.map((file) => fileText(file, output)).join('\n')
  output.result(diff, diff.files.length === 0 ? `${name} changes nothing.` : text)
  return exitCodes.ok
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

type Line = DiffHunk['lines'][number]
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

function lineText(line: Line, output: Output): string {
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
