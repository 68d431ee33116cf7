import type { Lines, Position, Range } from '#authoring/lines.ts'

/** What is selected: from where the selection began to where the cursor stands; both the same: nothing. */
export interface Selection {
  readonly anchor: Position
  readonly head: Position
}

export const beginning: Position = { line: 0, column: 0 }

/** Below zero: the first stands before the second. */
export function compare(one: Position, other: Position): number {
  return one.line - other.line || one.column - other.column
}

export function isSame(one: Position, other: Position): boolean {
  return one.line === other.line && one.column === other.column
}

export function cursorAt(position: Position): Selection {
  return { anchor: position, head: position }
}

export function rangeOf({ anchor, head }: Selection): Range {
  return compare(anchor, head) <= 0 ? { start: anchor, end: head } : { start: head, end: anchor }
}

export function isEmpty({ start, end }: Range): boolean {
  return isSame(start, end)
}

export function endOf(lines: Lines): Position {
  const line = lines.count - 1
  return { line, column: lines.at(line).length }
}

/** The nearest position that the text has. */
export function clamp(lines: Lines, { line, column }: Position): Position {
  if (line < 0) return beginning
  if (line >= lines.count) return endOf(lines)
  return { line, column: Math.max(0, Math.min(column, lines.at(line).length)) }
}

/** Where a position is after a range became a text that ends at `end`. */
export function moved(position: Position, range: Range, end: Position): Position {
  if (compare(position, range.start) < 0) return position
  if (compare(position, range.end) <= 0) return end
  const line = position.line - range.end.line + end.line
  const column = position.line === range.end.line ? position.column - range.end.column + end.column : position.column
  return { line, column }
}
