import type { ErrorDetail } from '../../contract/common.ts'

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

const around = 2
const widest = 120

/**
 * The source lines around a place with a caret under the column, for people.
 * @param line 1-based.
 * @param column 1-based, in UTF-16 units.
 */
function frameOf(source: string, line: number, column: number): string {
  const lines = source.split(/\r?\n/, line + around)
  const first = Math.max(1, line - around)
  const gutter = String(Math.min(line + around, lines.length)).length
  // A minified line is cut to the part that shows the column.
  const from = column > widest ? column - Math.floor(widest / 2) : 0
  const rows: string[] = []
  for (let number = first; number <= lines.length; number++) {
    const text = (lines[number - 1] ?? '').slice(from, from + widest).replaceAll('\t', ' ')
    rows.push(`${number === line ? '>' : ' '} ${String(number).padStart(gutter)} | ${text}`.trimEnd())
    if (number === line) rows.push(`  ${' '.repeat(gutter)} | ${' '.repeat(Math.max(0, column - 1 - from))}^`)
  }
  return rows.join('\n')
}

/** A detail with its code frame. */
export function detailAt(place: SourceLocation, message: string, source: string): ErrorDetail {
  return { ...place, message, frame: frameOf(source, place.line, place.column) }
}
