import type { Branch } from '#contract/branches.ts'
import type { Project } from '#contract/projects.ts'
import { lineWidth, span } from '../../canvas/lines.ts'
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

/** Columns from which on states are written out. */
const roomy = 76
/** Of a column beside the names. */
const mostColumns = 19
/** `59 min` */
const leastAge = 6

/** What stands in the columns of a row; those of main and of branches are the same. */
interface Cells {
  readonly name: Line
  readonly changes?: Line
  readonly standing: Line
  readonly state: Line
  readonly age: string
}

/** How wide the columns of all rows are: names have what these leave. */
export interface Columns {
  readonly changes: number
  readonly standing: number
  readonly state: number
  readonly age: number
}

export function columnsOf(project: Project, branches: readonly Branch[]): Columns {
  const main = mainCells(project, roomy)
  const all = branches.map(branchCells)
  const most = (widths: readonly number[]): number => Math.max(...widths.map((width) => Math.min(width, mostColumns)))
  return {
    changes: most([0, ...all.map(({ changes = [] }) => lineWidth(changes))]),
    standing: most([main, ...all].map(({ standing }) => lineWidth(standing))),
    state: most([main, ...all].map(({ state }) => lineWidth(state))),
    // Time passes between two looks.
    age: most([leastAge, ...[main, ...all].map(({ age }) => age.length)]),
  }
}

/** `new-api  +1 ~2 −0  behind  2 errors  5 min` */
export function branchRow(branch: Branch, width: number, columns: Columns): Line {
  return cells(width, branchCells(branch), columns)
}

export function mainRow(project: Project, width: number, columns: Columns): Line {
  return cells(width, mainCells(project, width), columns)
}

function branchCells(branch: Branch): Cells {
  return {
    name: [span(shown(branch.name), { bold: true })],
    changes: changesLine(branch),
    standing: branch.upToDate ? [span('up to date', { color: 'muted' })] : [span('behind main', { color: 'warning' })],
    state: previewState(branch.preview),
    age: ageOf(branch.updatedAt),
  }
}

function mainCells(project: Project, width: number): Cells {
  const { live } = project
  return {
    name: [span('main', { bold: true, color: 'accent' }), span('  what readers see', { color: 'muted' })],
    standing: [span(live === undefined ? '' : `deploy ${live.number}`, { color: 'muted' })],
    state: live === undefined && width < roomy ? [span('not live', { color: 'muted' })] : liveState(project),
    age: live === undefined ? '' : ageOf(live.createdAt),
  }
}

function cells(width: number, { name, changes, standing, state, age }: Cells, columns: Columns): Line {
  return row(width, [
    { line: name },
    // What main lacks nobody counts: its name may have that room, too.
    ...(changes === undefined ? [] : [{ line: changes, width: columns.changes }]),
    { line: standing, width: columns.standing, from: 54 },
    { line: state, width: Math.min(columns.state, width < roomy ? 10 : mostColumns) },
    { line: [span(age, { color: 'muted' })], width: columns.age, right: true, from: 64 },
  ])
}

/** For the filter, and for who hears it. */
export function branchWords({ branch }: BranchItem): string {
  if (branch === 'main') return 'main, what readers see'
  const { name, upToDate, preview } = branch
  return `${shown(name)}, ${changesWords(branch)}, ${upToDate ? 'up to date' : 'behind main'}, ${previewWords(preview)}`
}
