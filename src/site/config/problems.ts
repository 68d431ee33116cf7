import type { Node } from 'jsonc-parser'
import type { ErrorDetail } from '../../contract/common.ts'
import { locate, treeOf } from './json.ts'

/** A file of the configuration and the place of its root in the merged document. */
export interface ConfigFile {
  readonly path: string
  readonly text: string
  /** Pointer in the merged document where this file was included; empty for docs.json itself. */
  readonly mount: string
}

/** Collects what is wrong with the configuration; a pointer into the merged document becomes file, line and column. */
export class Problems {
  readonly errors: ErrorDetail[] = []
  readonly warnings: ErrorDetail[] = []
  readonly #files: ConfigFile[] = []
  readonly #trees = new Map<ConfigFile, Node | undefined>()

  /** Files must be added outermost first. */
  add(file: ConfigFile): void {
    this.#files.push(file)
  }

  /** The same files, nothing found yet. */
  emptyCopy(): Problems {
    const other = new Problems()
    for (const file of this.#files) other.add(file)
    return other
  }

  error(pointer: string, message: string): void {
    this.errors.push(this.#detail(pointer, message))
  }

  warning(pointer: string, message: string): void {
    this.warnings.push(this.#detail(pointer, message))
  }

  /** A problem at an offset of a file, where there is no value to point at. */
  at(
    file: ConfigFile,
    offset: number,
    problem: { message: string; pointer?: string; severity: 'error' | 'warning' },
  ): void {
    const list = problem.severity === 'error' ? this.errors : this.warnings
    list.push(place(file, offset, problem.pointer ?? '', problem.message))
  }

  #detail(pointer: string, message: string): ErrorDetail {
    const file = this.#files.findLast(({ mount }) => pointer === mount || pointer.startsWith(`${mount}/`))
    if (file === undefined) return { pointer, message }
    if (!this.#trees.has(file)) this.#trees.set(file, treeOf(file.text))
    const inner = pointer.slice(file.mount.length)
    return place(file, locate(this.#trees.get(file), inner), inner, message)
  }
}

function place(file: ConfigFile, offset: number, pointer: string, message: string): ErrorDetail {
  const position = positionOf(file.text, offset)
  return { path: file.path, ...position, pointer, message, frame: codeFrame(file.text, position) }
}

export interface Position {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
}

const width = 100

/** Line and column of an offset in a text. */
function positionOf(text: string, offset: number): Position {
  let line = 1
  let start = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', next + 1)) {
    line++
    start = next + 1
  }
  return { line, column: offset - start + 1 }
}

/** The line with its neighbours and a mark under the column. Long lines (minified JSON) are cut around the mark. */
function codeFrame(text: string, { line, column }: Position): string {
  const lines = text.split('\n')
  const from = Math.max(0, column - 1 - width / 2)
  const gutter = String(line + 1).length
  const rows: string[] = []
  for (let number = Math.max(1, line - 1); number <= Math.min(lines.length, line + 1); number++) {
    const content = (lines[number - 1] ?? '').slice(from, from + width).trimEnd()
    rows.push(`${number === line ? '>' : ' '} ${String(number).padStart(gutter)} | ${content}`.trimEnd())
    if (number === line) rows.push(`  ${' '.repeat(gutter)} | ${' '.repeat(column - 1 - from)}^`)
  }
  return rows.join('\n')
}
