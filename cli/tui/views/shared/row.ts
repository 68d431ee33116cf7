import { fit, lineWidth, span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'

/** A column of a row. */
export interface Cell {
  readonly line: Line
  /** Columns of the terminal; absent: whatever the others leave. */
  readonly width?: number
  /** Stands at the right of its column. */
  readonly right?: boolean
  /** Left out where the row is narrower than this. */
  readonly from?: number
}

const gap = 2

/** Cells beside each other in a row of `width` columns. */
export function row(width: number, cells: readonly Cell[]): Line {
  const shown = cells.filter(({ from = 0 }) => width >= from)
  const taken = shown.reduce((sum, cell) => sum + (cell.width ?? 0), 0) + gap * Math.max(0, shown.length - 1)
  const flexible = Math.max(0, width - taken)
  const pieces = shown.map((cell) => fitted(cell, cell.width ?? flexible))
  return pieces.flatMap((piece, index) => (index === 0 ? piece : [span(' '.repeat(gap)), ...piece]))
}

function fitted({ line, right }: Cell, width: number): Line {
  const missing = width - lineWidth(line)
  return right === true && missing > 0 ? [span(' '.repeat(missing)), ...line] : fit(line, width)
}

/** Columns that the widest of some texts takes, at most so many. */
export function widest(widths: readonly number[], most: number): number {
  return Math.min(
    most,
    widths.reduce((a, b) => Math.max(a, b), 0),
  )
}
