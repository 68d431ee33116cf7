import { fit, lineWidth, span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { type References, piecesOf } from './inline.ts'
import { lineOf, type Node } from './node.ts'
import type { Row } from './row.ts'
import { wrapped } from './wrap.ts'

const border = { color: 'muted' } as const
const narrowestColumn = 3
/** Text is measured without being wrapped up to this width. */
const widest = 10_000

/** A table with borders, its columns as wide as they need, or as their share of the width where that is not enough. */
export function tableRows(node: Node, width: number, references: References): Row[] {
  const lines = node.children ?? []
  const columns = Math.max(0, ...lines.map((line) => line.children?.length ?? 0))
  if (columns === 0) return []
  const cells = lines.map((line, index) =>
    Array.from({ length: columns }, (_, column) =>
      piecesOf(line.children?.[column]?.children ?? [], references, index === 0 ? { bold: true } : undefined),
    ),
  )
  const wanted = Array.from({ length: columns }, (_, column) =>
    Math.max(
      ...cells.map((line) => Math.max(0, ...wrapped(line[column] ?? [], widest).map((row) => lineWidth(row.line)))),
    ),
  )
  const widths = shared(wanted, width - 3 * columns - 1)
  const rule = (left: string, middle: string, right: string, source: number): Row => ({
    line: [span(left + widths.map((own) => '─'.repeat(own + 2)).join(middle) + right, border)],
    source,
  })
  const first = lineOf(node)
  const rows: Row[] = [rule('┌', '┬', '┐', first)]
  for (const [index, line] of cells.entries()) {
    const source = lineOf(lines[index] ?? node)
    rows.push(
      ...lineRows(
        line.map((cell, column) => wrapped(cell, widths[column] ?? 1).map((row) => row.line)),
        {
          widths,
          align: node.align ?? [],
          source,
        },
      ),
    )
    if (index === 0 && cells.length > 1) rows.push(rule('├', '┼', '┤', source))
  }
  return [...rows, rule('└', '┴', '┘', rows.at(-1)?.source ?? first)]
}

/** What is wanted where there is room for it; else the wide columns give up what is missing. */
function shared(wanted: readonly number[], room: number): number[] {
  const widths = wanted.map((own) => Math.max(1, own))
  for (
    let total = widths.reduce((sum, own) => sum + own, 0);
    total > room;
    total = widths.reduce((sum, own) => sum + own, 0)
  ) {
    const largest = Math.max(...widths)
    if (largest <= narrowestColumn) break
    const next = Math.max(narrowestColumn, ...widths.filter((own) => own < largest))
    const many = widths.filter((own) => own === largest).length
    const less = Math.max(1, Math.min(largest - next, Math.floor((total - room) / many)))
    let left = total - room
    for (const [column, own] of widths.entries()) {
      if (own !== largest || left <= 0) continue
      const cut = Math.min(less, left, own - narrowestColumn)
      widths[column] = own - cut
      left -= cut
    }
  }
  return widths
}

interface LineOptions {
  readonly widths: readonly number[]
  readonly align: readonly (string | null)[]
  readonly source: number
}

function lineRows(cells: readonly (readonly Line[])[], { widths, align, source }: LineOptions): Row[] {
  const height = Math.max(1, ...cells.map((cell) => cell.length))
  return Array.from({ length: height }, (_, index) => {
    const parts = widths.flatMap((width, column): Line => {
      const text = aligned(cells[column]?.[index] ?? [], width, align[column])
      return [span(column === 0 ? '│ ' : ' │ ', border), ...text]
    })
    return { line: [...parts, span(' │', border)], source }
  })
}

function aligned(line: Line, width: number, align: string | null | undefined): Line {
  const missing = width - lineWidth(line)
  const before = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0
  return before > 0 ? fit([span(' '.repeat(before)), ...line], width) : fit(line, width)
}
