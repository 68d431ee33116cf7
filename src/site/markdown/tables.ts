import type { Attributes, Close } from './text.ts'
import type { MarkdownWriter } from './writer.ts'

interface Table {
  readonly rows: string[]
  cells: string[]
  /** Of the columns, as the first row says. */
  readonly alignments: string[]
}

/** Tables as GitHub has them: the first row is the head, and a cell is one line. */
export class Tables {
  readonly #writer: MarkdownWriter
  /** Those around, one in a cell of another. */
  readonly #tables: Table[] = []

  constructor(writer: MarkdownWriter) {
    this.#writer = writer
  }

  /** Begins a table. */
  table(): Close {
    this.#writer.block()
    this.#tables.push({ rows: [], cells: [], alignments: [] })
    return () => {
      const rows = this.#tables.pop()?.rows ?? []
      if (rows.length > 0) this.#writer.lines(rows.join('\n'))
    }
  }

  cell({ align }: Attributes): Close {
    const table = this.#tables.at(-1)
    if (table === undefined) return undefined
    if (table.rows.length === 0) table.alignments.push(align ?? '')
    this.#writer.enterCell()
    return () => {
      table.cells.push(this.#writer.leaveCell().replaceAll('|', '\\|').replaceAll('\n', ' '))
    }
  }

  row(): void {
    const table = this.#tables.at(-1)
    if (table === undefined || table.cells.length === 0) return
    table.rows.push(`| ${table.cells.join(' | ')} |`)
    if (table.rows.length === 1) table.rows.push(`| ${table.alignments.map(ruler).join(' | ')} |`)
    table.cells = []
  }
}

function ruler(alignment: string): string {
  if (alignment === 'center') return ':-:'
  return alignment === 'right' ? '--:' : '---'
}
