import type { Command } from '../../app/view.ts'
import type { DiffPane } from '../../panes/diff.ts'

/** From change to change, also while a list beside them has the keyboard. */
export function changeCommands(diff: DiffPane): readonly Command[] {
  return [
    { id: 'diff.next', title: 'Next change', keys: [']'], hint: 'next change', run: () => diff.next() },
    { id: 'diff.previous', title: 'Change before', keys: ['['], run: () => diff.previous() },
  ]
}
