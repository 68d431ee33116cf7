import { graphemeEnd, graphemeStart } from './graphemes.ts'
import type { Lines, Position, Range } from '#authoring/lines.ts'
import { endOf } from './positions.ts'
import { wordAt, wordEnd, wordStart } from './words.ts'

/** One user-perceived character to the left, over the end of the line before. */
export function before(lines: Lines, { line, column }: Position): Position {
  if (column > 0) return { line, column: graphemeStart(lines.at(line), column) }
  return line > 0 ? { line: line - 1, column: lines.at(line - 1).length } : { line, column }
}

export function after(lines: Lines, { line, column }: Position): Position {
  const text = lines.at(line)
  if (column < text.length) return { line, column: graphemeEnd(text, column) }
  return line + 1 < lines.count ? { line: line + 1, column: 0 } : { line, column }
}

/** The beginning of the word before; of a line, the end of the one above. */
export function wordBefore(lines: Lines, position: Position): Position {
  if (position.column === 0) return before(lines, position)
  return { line: position.line, column: wordStart(lines.at(position.line), position.column) }
}

export function wordAfter(lines: Lines, position: Position): Position {
  const text = lines.at(position.line)
  if (position.column >= text.length) return after(lines, position)
  return { line: position.line, column: wordEnd(text, position.column) }
}

/** The word at a position, such as one that was clicked twice. */
export function wordRange(lines: Lines, { line, column }: Position): Range {
  const { from, to } = wordAt(lines.at(line), column)
  return { start: { line, column: from }, end: { line, column: to } }
}

function isBlank(lines: Lines, line: number): boolean {
  return !/\S/.test(lines.at(line).slice(0, 1_000))
}

/** The empty line before this paragraph, or the beginning. */
export function paragraphBefore(lines: Lines, { line }: Position): Position {
  let at = line - 1
  while (at > 0 && isBlank(lines, at)) at--
  while (at > 0 && !isBlank(lines, at)) at--
  return { line: Math.max(0, at), column: 0 }
}

/** The empty line behind this paragraph, or the end. */
export function paragraphAfter(lines: Lines, { line }: Position): Position {
  let at = line
  while (at < lines.count && isBlank(lines, at)) at++
  while (at < lines.count && !isBlank(lines, at)) at++
  return at < lines.count ? { line: at, column: 0 } : endOf(lines)
}
