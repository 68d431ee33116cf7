import { chordText, isTyped } from '../canvas/input.ts'
import type { Hint, Pane } from '../canvas/pane.ts'
import { widthOf } from '../canvas/width.ts'
import type { KeyHint } from './chrome/frame.ts'
import type { Command } from './view.ts'

/** What the line of keys is made of: the pane with the keyboard comes before the commands. */
interface KeysSource {
  readonly focused: Pane | undefined
  readonly commands: readonly Command[]
  /** Somebody types: letters are no commands. */
  readonly typing: boolean
}

/** Keys that do something now, as many as so many columns have room for. */
export function keysLine(source: KeysSource, width: number): readonly KeyHint[] {
  return hintsWithin(allHints(source), width)
}

interface RankedHint extends KeyHint {
  /** Of the command, or `pane`. */
  readonly id: string
}

function allHints({ focused, commands, typing }: KeysSource): readonly RankedHint[] {
  const own = commands.flatMap(({ id, keys = [], hint, unavailable }) => {
    const chord = keys.find((one) => !typing || !isTyped(one))
    return hint === undefined || chord === undefined || unavailable !== undefined ? [] : [{ id, chord, word: hint }]
  })
  // Esc is the pane’s first, and so is all that it takes while it is typed in.
  const pane = (focused?.hints ?? []).filter(
    ({ chord }) => typing || chord === 'escape' || own.every((one) => one.chord !== chord),
  )
  const shownOf = ({ chord, word }: Hint): KeyHint => ({ key: chordText(chord), word })
  return [
    ...pane.map((hint) => ({ ...shownOf(hint), id: typing || hint.chord === 'escape' ? 'back' : 'pane' })),
    ...own
      .filter(({ chord }) => pane.every((one) => one.chord !== chord))
      .map((one) => ({ ...shownOf(one), id: one.id })),
  ]
}

/** Columns of a key, its word and what stands between this and the next one. */
function hintWidth({ key, word }: KeyHint): number {
  return widthOf(key) + widthOf(word) + 3
}

/** How much a key is worth its room: what leads on and out of a screen, what is its own, what everybody tries anyway. */
const ranks = ['help', 'back', 'first', 'palette', 'own', 'pane', 'quit']

function hintsWithin(all: readonly RankedHint[], width: number): readonly KeyHint[] {
  const first = all.find(({ id }) => !ranks.includes(id))
  const rankOf = (hint: RankedHint): number => {
    const own = hint === first ? 'first' : 'own'
    return ranks.indexOf(ranks.includes(hint.id) ? hint.id : own)
  }
  // Nothing stands behind the last one.
  let left = width + 2
  const fitting = new Set<RankedHint>()
  for (const hint of all.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    if (hintWidth(hint) > left) continue
    left -= hintWidth(hint)
    fitting.add(hint)
  }
  return all.filter((hint) => fitting.has(hint)).map(({ key, word }) => ({ key, word }))
}
