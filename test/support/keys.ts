import type { Input, Key } from '#cli/tui/canvas/input.ts'
import type { Pane } from '#cli/tui/canvas/pane.ts'
import type { Line } from '#cli/tui/canvas/style.ts'

/** The key of a chord such as `ctrl+shift+left`, `P` or `space`. */
export function keyOf(chord: string): Key {
  const parts = chord === '+' ? ['+'] : chord.split(/\+(?=.)/)
  const base = parts.at(-1) ?? ''
  const has = (word: string): boolean => parts.slice(0, -1).includes(word)
  return { name: base === 'space' ? ' ' : base, ctrl: has('ctrl'), alt: has('alt'), shift: has('shift') }
}

/** Presses keys one after the other. @returns whether the last one was taken */
export function press(pane: Pane, ...chords: string[]): boolean {
  let taken = false
  for (const chord of chords) taken = pane.input({ type: 'key', key: keyOf(chord) })
  return taken
}

/** Types characters one after the other; a line end is Enter, a tab is Tab. */
export function typeInto(pane: Pane, text: string): void {
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const name = segment === '\n' ? 'enter' : segment === '\t' ? 'tab' : segment
    pane.input({ type: 'key', key: { name, ctrl: false, alt: false, shift: false } })
  }
}

export function mouse(
  action: Extract<Input, { type: 'mouse' }>['mouse']['action'],
  row: number,
  column: number,
): Input {
  return {
    type: 'mouse',
    mouse: { action, button: 'left', row, column, shift: false, ctrl: false, alt: false },
  }
}

/** The text of lines, without their styles and the spaces at their ends. */
export function textOf(lines: readonly Line[]): string[] {
  return lines.map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )
}
