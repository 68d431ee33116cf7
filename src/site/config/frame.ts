export interface Position {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
}

const WIDTH = 100

/** Line and column of an offset in a text. */
export function positionOf(text: string, offset: number): Position {
  let line = 1
  let start = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', next + 1)) {
    line++
    start = next + 1
  }
  return { line, column: offset - start + 1 }
}

/** The line with its neighbours and a mark under the column. Long lines (minified JSON) are cut around the mark. */
export function codeFrame(text: string, { line, column }: Position): string {
  const lines = text.split('\n')
  const from = Math.max(0, column - 1 - WIDTH / 2)
  const gutter = String(line + 1).length
  const rows: string[] = []
  for (let number = Math.max(1, line - 1); number <= Math.min(lines.length, line + 1); number++) {
    const content = (lines[number - 1] ?? '').slice(from, from + WIDTH).trimEnd()
    rows.push(`${number === line ? '>' : ' '} ${String(number).padStart(gutter)} | ${content}`.trimEnd())
    if (number === line) rows.push(`  ${' '.repeat(gutter)} | ${' '.repeat(column - 1 - from)}^`)
  }
  return rows.join('\n')
}
