import type { ErrorDetail } from '../../contract/common.ts'
import type { RuleName } from '../../contract/rules.ts'

/** Lines shown before and after the one of a problem. */
const contextLines = 2
const maxWidth = 120

/** A place in a file of the project. Line and column are 1-based. */
export interface SourceLocation {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** Something the author must change before the page can be built. Ends the page, never the process. */
export class PageProblem extends Error {
  override readonly name = 'PageProblem'
  readonly details: readonly ErrorDetail[]

  constructor(...details: readonly ErrorDetail[]) {
    super(details.map((detail) => detail.message).join('; '))
    this.details = details
  }
}

/**
 * The source lines around a place with a caret under the column, for people.
 * @param line 1-based.
 * @param column 1-based, in UTF-16 units.
 */
export function frameOf(source: string, line: number, column: number): string {
  const lines = source.split(/\r?\n/, line + contextLines)
  const first = Math.max(1, line - contextLines)
  const gutter = String(Math.min(line + contextLines, lines.length)).length
  // A minified line is cut to the part that shows the column.
  const from = column > maxWidth ? column - Math.floor(maxWidth / 2) : 0
  const rows: string[] = []
  for (let number = first; number <= lines.length; number++) {
    const text = (lines[number - 1] ?? '').slice(from, from + maxWidth).replaceAll('\t', ' ')
    rows.push(`${number === line ? '>' : ' '} ${String(number).padStart(gutter)} | ${text}`.trimEnd())
    if (number === line) rows.push(`  ${' '.repeat(gutter)} | ${' '.repeat(Math.max(0, column - 1 - from))}^`)
  }
  return rows.join('\n')
}

/** A detail with its code frame. */
export function detailAt(place: SourceLocation, rule: RuleName, message: string, source: string): ErrorDetail {
  return { ...place, rule, message, frame: frameOf(source, place.line, place.column) }
}
