import type { DiffHunk } from '../contract/comparisons.ts'

/** A text as it is after its changes. @param before the whole text, with line feeds; empty for a file that is new */
export function patched(before: string, hunks: readonly DiffHunk[]): string {
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? []
  let text = ''
  let at = 0
  for (const { oldStart, oldLines, lines: changed } of hunks) {
    // Of a hunk without old lines, git names the line after which it stands.
    const from = oldLines === 0 ? oldStart : oldStart - 1
    text += lines.slice(at, from).join('')
    at = from + oldLines
    for (const { kind, text: line, unterminated } of changed)
      if (kind !== 'deleted') text += unterminated === true ? line : `${line}\n`
  }
  return text + lines.slice(at).join('')
}
