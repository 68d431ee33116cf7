import type { Branch } from '../../../../src/contract/branches.ts'
import type { Project } from '../../../../src/contract/projects.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ageOf } from '../shared/age.ts'
import { row } from '../shared/row.ts'
import { changesLine, changesWords, liveState, previewState, previewWords } from '../shared/states.ts'

/** Main, which is live, or a branch beside it. */
export type BranchItem = { readonly branch: Branch | 'main' }

export function branchKey({ branch }: BranchItem): string {
  return branch === 'main' ? 'main' : branch.id
}

/** `new-api  +1 ~2 −0  behind  2 errors  5 min` */
export function branchRow(branch: Branch, width: number): Line {
  return row(width, [
    { line: [span(shown(branch.name), { bold: true })] },
    { line: changesLine(branch), width: 11 },
    {
      line: branch.upToDate ? [span('up to date', { color: 'muted' })] : [span('behind main', { color: 'warning' })],
      width: 11,
      from: 54,
    },
    { line: previewState(branch.preview), width: width < 76 ? 10 : 19 },
    { line: [span(ageOf(branch.updatedAt), { color: 'muted' })], width: 10, right: true, from: 64 },
  ])
}

export function mainRow(project: Project, width: number): Line {
  const { live } = project
  const number = live === undefined ? '' : `deploy ${live.number}`
  return row(width, [
    { line: [span('main', { bold: true, color: 'accent' }), span('  what readers see', { color: 'muted' })] },
    { line: [span(number, { color: 'muted' })], width: 11, from: 54 },
    { line: liveState(project), width: width < 76 ? 18 : 19 },
    {
      line: [span(live === undefined ? '' : ageOf(live.createdAt), { color: 'muted' })],
      width: 10,
      right: true,
      from: 64,
    },
  ])
}

/** For the filter, and for who hears it. */
export function branchWords({ branch }: BranchItem): string {
  if (branch === 'main') return 'main, what readers see'
  const { name, upToDate, preview } = branch
  return `${shown(name)}, ${changesWords(branch)}, ${upToDate ? 'up to date' : 'behind main'}, ${previewWords(preview)}`
}
