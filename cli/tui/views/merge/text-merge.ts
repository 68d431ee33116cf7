import type { Conflict } from '../../../../src/contract/branches.ts'
import { MergePane } from '../../panes/merge.ts'

const panes = new WeakMap<Conflict, MergePane>()

/**
 * The pane that merges the texts of a conflict with the branch: the same one for as long as the conflict is the same, with
 * what was done in it.
 */
export function mergePaneOf(conflict: Conflict, branch: string): MergePane {
  let pane = panes.get(conflict)
  if (pane === undefined) {
    const { base, branch: mine = '', main: theirs = '' } = conflict
    pane = new MergePane({ base, mine, theirs, labels: { mine: branch, theirs: 'main' } })
    panes.set(conflict, pane)
  }
  return pane
}
