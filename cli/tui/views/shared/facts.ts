import { span, wrapText } from '../../canvas/lines.ts'
import type { Line, Style } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'

/** Something to say under a name; `style` of the words. */
export interface Fact {
  readonly name: string
  readonly text: string
  readonly style?: Style
}

/** Names in a column, texts of others wrapped beside them; what is undefined is left out. */
export function factLines(facts: readonly (Fact | undefined)[], width: number): Line[] {
  const told = facts.filter((fact) => fact !== undefined)
  const column = Math.max(0, ...told.map(({ name }) => name.length)) + 2
  return told.flatMap(({ name, text, style }) =>
    wrapText(shown(text), Math.max(8, width - column)).map((piece, index) => [
      span((index === 0 ? name : '').padEnd(column), { color: 'muted' }),
      span(piece, style),
    ]),
  )
}

/** In the person’s own time zone: `2 March 2027 at 14:05`. */
export function timeText(at: string): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })
}

/** In the person’s own time zone: `2 March 2027`. */
export function dateText(at: string): string {
  return new Date(at).toLocaleDateString('en-GB', { dateStyle: 'long' })
}
