import { chordText, isTyped } from '../canvas/input.ts'
import { span, wrapText } from '../canvas/lines.ts'
import type { Line } from '../canvas/style.ts'
import type { Choice } from './dialogs.ts'
import { LinesPane } from './dialogs/reader.ts'
import type { Command, View } from './view.ts'

/** Keys that mean the same wherever nobody types. */
const everywhere: readonly (readonly [keys: string, what: string])[] = [
  ['↑ ↓ PgUp PgDn', 'Move'],
  ['Home, End', 'Go to the first and to the last'],
  ['Enter', 'Open'],
  ['Tab, Shift-Tab', 'Go to the next and to the previous part of the screen'],
  ['/', 'Filter a list'],
]

/**
 * What this screen is for, and every key that does something on it.
 *
 * @param typing text has the keyboard: letters are no commands then, and the keys of lists none of its own
 */
export function helpOf(view: View, commands: readonly Command[], typing = false): LinesPane {
  const own = commands.map((command) => rowOf(command, typing)).filter(([keys]) => keys !== '')
  const common = typing ? [] : everywhere
  const column = Math.max(...[...own, ...common].map(([keys]) => keys.length)) + 3
  const table = (rows: typeof own, width: number): Line[] =>
    rows.flatMap(([keys, what]) =>
      wrapText(what, width - column).map((text, at): Line => [
        span((at === 0 ? keys : '').padEnd(column), { bold: true, color: 'accent' }),
        span(text),
      ]),
    )
  return new LinesPane((width) => [
    ...wrapText(view.about, width).map((text): Line => [span(text)]),
    [],
    ...table(own, width),
    ...(common.length === 0 ? [] : [[]]),
    ...table(common.slice(), width),
    [],
    ...wrapText('Hold Shift to select text with the mouse; Ctrl-P finds every command by its name.', width).map(
      (text): Line => [span(text, { color: 'muted' })],
    ),
  ])
}

function rowOf({ keys = [], title, unavailable }: Command, typing: boolean): readonly [keys: string, what: string] {
  const acting = keys.filter((chord) => !typing || !isTyped(chord))
  return [acting.map(chordText).join(', '), unavailable === undefined ? title : `${title} (now: ${unavailable})`]
}

/** All commands, for the palette. */
export function paletteOf(commands: readonly Command[]): Choice<Command>[] {
  return commands
    .filter(({ id }) => id !== 'palette')
    .map((command) => {
      const { title, keys = [], unavailable } = command
      const key = keys[0] === undefined ? {} : { detail: chordText(keys[0]) }
      return { value: command, label: title, ...key, ...(unavailable === undefined ? {} : { unavailable }) }
    })
}
