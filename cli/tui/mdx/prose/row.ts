import { fit, lineWidth, span } from '../../canvas/lines.ts'
import type { Color, Line, Style } from '../../canvas/style.ts'

/** A line of what is shown, and the line of the source, from 0, that it is of. */
export interface Row {
  readonly line: Line
  readonly source: number
}

export function indented(rows: readonly Row[], first: Line, others: Line): Row[] {
  return rows.map(({ line, source }, index) => ({ line: [...(index === 0 ? first : others), ...line], source }))
}

/** Narrower, a box would leave no room for what is in it. */
const narrowestBox = 24

export interface BoxOptions {
  readonly width: number
  readonly color: Color
  readonly title: string
  readonly source: number
}

/** How wide what stands in a box may be. */
export function insideOfBox(width: number): number {
  return width < narrowestBox ? width - 2 : width - 4
}

/** Rows in a box with a label; where it is narrow, behind a bar. */
export function boxed(rows: readonly Row[], { width, color, title, source }: BoxOptions): Row[] {
  const style: Style = { color }
  const label: Style = { color, bold: true }
  if (width < narrowestBox) {
    const bar = [span('│ ', style)]
    const head = title === '' ? [] : [{ line: fit([span(title, label)], width - 2), source }]
    return indented([...head, ...rows], bar, bar)
  }
  const shownTitle = title === '' ? [] : fitLabel(title, width - 6, label)
  const top = [span('╭─', style), ...shownTitle]
  const rest = width - lineWidth(top) - 1
  const last = rows.at(-1)?.source ?? source
  return [
    { line: [...top, span(`${'─'.repeat(Math.max(0, rest))}╮`, style)], source },
    ...rows.map((row) => ({
      line: [span('│ ', style), ...fit(row.line, width - 4), span(' │', style)],
      source: row.source,
    })),
    { line: [span(`╰${'─'.repeat(width - 2)}╯`, style)], source: last },
  ]
}

function fitLabel(title: string, width: number, style: Style): Line {
  const own = lineWidth([span(title)])
  return fit([span(` ${title} `, style)], Math.min(own + 2, width))
}
