import { chordText } from '../canvas/input.ts'
import { span, wrapText } from '../canvas/lines.ts'
import type { Line } from '../canvas/style.ts'
import type { Choice } from './dialogs.ts'
import { LinesPane } from './dialogs/reader.ts'
import type { Command, View } from './view.ts'

/** Keys that mean the same everywhere. */
const everywhere: readonly (readonly [keys: string, what: string])[] = [
  ['↑ ↓ PgUp PgDn', 'move'],
  ['Home, End', 'first and last'],
  ['Enter', 'open'],
  ['Esc', 'go back; never quits'],
  ['Tab, Shift-Tab', 'next and previous part of the screen'],
  ['/', 'filter a list'],
]

/** What this screen is for, and every key that does something on it. */
export function helpOf(view: View, commands: readonly Command[]): LinesPane {
  const rows = [...commands.filter(({ keys = [] }) => keys.length > 0).map(rowOf), ...everywhere]
  const column = Math.max(...rows.map(([keys]) => keys.length)) + 3
  return new LinesPane((width) => [
    ...wrapText(view.about, width).map((text): Line => [span(text)]),
    [],
    ...rows.flatMap(([keys, what]) =>
      wrapText(what, width - column).map((text, at): Line => [
        span((at === 0 ? keys : '').padEnd(column), { bold: true, color: 'accent' }),
        span(text),
      ]),
    ),
    [],
    ...wrapText('Hold Shift to select text with the mouse; Ctrl-P finds every command by its name.', width).map(
      (text): Line => [span(text, { color: 'muted' })],
    ),
  ])
}

function rowOf({ keys = [], title, unavailable }: Command): readonly [string, string] {
  return [keys.map(chordText).join(', '), unavailable === undefined ? title : `${title} (now: ${unavailable})`]
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
