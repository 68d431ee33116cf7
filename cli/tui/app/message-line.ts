import { fit, lineWidth, span, wrapText } from '../canvas/lines.ts'
import type { Line } from '../canvas/style.ts'
import { lineText } from '../canvas/width.ts'

/** What the application says at the bottom. */
export interface Message {
  readonly line: Line
  /** Of work under way: cut off where it is too long, as it comes and goes by itself. */
  readonly isWork: boolean
}

/** Columns that stay empty at both ends. */
const margin = 1

/**
 * The message at the left, and what the view says at the right. One that is too long for the room beside that has
 * rows of its own above it, so that neither the view’s words nor the keys below have to go.
 * @param most rows that all of it may take, at least one; one that is longer yet ends in `…`
 */
export function messageLines(
  { line, isWork }: Message,
  status: Line,
  { width, most }: { readonly width: number; readonly most: number },
): readonly Line[] {
  const beside = width - lineWidth(status) - margin
  const withStatus = (left: Line): Line => [...fit(left, beside - 1), span(' '), ...status]
  const isBeside = (left: Line): boolean => lineWidth(left) + 2 <= beside
  if (line.length === 0 || isWork || isBeside(line)) return [withStatus(line)]
  const rows = wrapText(lineText(line).trim(), width - 2 * margin).map((text): Line => [
    span(` ${text}`, line[0]?.style),
  ])
  const last = rows.at(-1) ?? []
  if (rows.length > 1 && rows.length <= most && isBeside(last)) return [...rows.slice(0, -1), withStatus(last)]
  const own = rows.slice(0, most - 1)
  if (own.length < rows.length) own.push(fit([...(own.pop() ?? []), span(' …')], width))
  return [...own, withStatus([])]
}
