import type { Command } from '../../app/view.ts'
import type { MergePane } from '../../panes/merge.ts'

const pieces = [
  { key: '1', hint: 'mine', title: 'Take this piece as you have it' },
  { key: '2', hint: 'theirs', title: 'Take this piece as the other side has it' },
  { key: '3', hint: 'both', title: 'Take both, one after the other' },
  { key: 'e', hint: 'edit', title: 'Write this piece yourself' },
  { key: '[', hint: 'previous', title: 'Go to the piece before' },
  { key: ']', hint: 'next', title: 'Go to the next piece' },
  { key: '0', title: 'Take the decision on this piece back' },
] as const

/** What the keys of a merge do, for palette, help and the line of keys: the pane does it. */
export function mergeCommands(pane: MergePane): readonly Command[] {
  if (pane.typing) return []
  return pieces.map(({ key, title, ...rest }) => ({
    id: `merge.${key}`,
    title,
    keys: [key],
    ...rest,
    run: () => {
      pane.input({ type: 'key', key: { name: key, ctrl: false, alt: false, shift: false } })
    },
  }))
}
