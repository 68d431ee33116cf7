import type { FileDiff } from '../../../../src/contract/comparisons.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { changesOf } from '../../panes/diff.ts'
import { diffRows } from '../../panes/diff-rows.ts'

/** What a turn changed in a file, with the changed words marked. @param most lines; that there are more is said */
export function diffLines(file: FileDiff, width: number, most: number): Line[] {
  const { added, deleted } = changesOf(file)
  const head: Line = [
    span(shown(file.path), { bold: true }),
    span(`  ${file.status}  `, { color: 'muted' }),
    span(`+${added}`, { color: 'added' }),
    span(' '),
    span(`−${deleted}`, { color: 'deleted' }),
  ]
  if (file.binary) return [head, remark('Its bytes differ.')]
  if (file.truncated) return [head, remark('It changed too much to be shown here.')]
  const rows = diffRows(file, 0, width)
  const lines = rows.slice(0, most).map(({ draw }) => draw())
  return rows.length <= most
    ? [head, ...lines]
    : [head, ...lines, remark(`… and ${rows.length - most} more lines: Ctrl-D shows all.`)]
}

function remark(text: string): Line {
  return [span(text, { color: 'muted' })]
}
