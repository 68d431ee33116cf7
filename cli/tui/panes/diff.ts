import type { FileDiff } from '#contract/branches.ts'
import { count } from '../../output.ts'
import { chordOf, type Input, type Key, type Mouse } from '../canvas/input.ts'
import { fit, lineWidth, span } from '../canvas/lines.ts'
import type { Pane, Size } from '../canvas/pane.ts'
import type { Color, Line } from '../canvas/style.ts'
import { lineText, shown } from '../canvas/width.ts'
import { diffRows, type DiffRow } from './diff-rows.ts'

export interface DiffOptions {
  /** What stands there without changes. */
  readonly empty?: string | (() => string)
  /** Enter: the file and the line, from 1, that are in sight; without, Enter folds and unfolds. */
  readonly onOpen?: (file: FileDiff, line: number) => void
  /** Another file is in sight. */
  readonly onFile?: (file: FileDiff) => void
}

/** Files with more changed lines begin folded. */
const manyLines = 600
const wheelRows = 3
const statuses: Readonly<Record<FileDiff['status'], readonly [words: string, color: Color]>> = {
  added: ['new', 'added'],
  modified: ['changed', 'accent'],
  deleted: ['deleted', 'deleted'],
  renamed: ['renamed', 'accent'],
}

/** What changed in files: hunks with the words that differ, one file under the other. */
export class DiffPane implements Pane {
  readonly #options: DiffOptions
  #files: readonly FileDiff[] = []
  #folded: Set<FileDiff> = new Set()
  #rows: readonly DiffRow[] | undefined
  #ofFile = new WeakMap<FileDiff, { readonly width: number; readonly rows: readonly DiffRow[] }>()
  #width = 0
  #height = 1
  #top = 0
  #told: FileDiff | undefined
  /** To be gone to when it is known how wide the rows are. */
  #wanted: FileDiff | undefined

  constructor(options: DiffOptions = {}) {
    this.#options = options
  }

  get files(): readonly FileDiff[] {
    return this.#files
  }

  /** The file at the top of what is seen. */
  get file(): FileDiff | undefined {
    return this.#files[this.#rowAt(this.#top)?.file ?? 0]
  }

  /** The line of that file, from 1. */
  get line(): number {
    return this.#rowAt(this.#top)?.at ?? 1
  }

  show(files: readonly FileDiff[]): void {
    this.#files = files
    this.#folded = new Set(files.filter((file) => sizeOf(file) > manyLines && files.length > 1))
    this.#ofFile = new WeakMap()
    this.#rows = undefined
    this.#top = 0
    this.#told = undefined
    this.#wanted = undefined
  }

  /** To the next change, whoever has the keyboard. */
  next(): void {
    this.#step(1)
  }

  previous(): void {
    this.#step(-1)
  }

  /** Goes to a file, unfolded. */
  reveal(file: FileDiff): void {
    if (this.#width === 0) this.#wanted = file
    if (this.#folded.delete(file)) this.#rows = undefined
    const index = this.#files.indexOf(file)
    this.#scroll(this.#headingOf(index))
  }

  draw({ width, height }: Size): readonly Line[] {
    this.#height = Math.max(1, height)
    if (this.#files.length === 0) {
      const { empty = 'Nothing has changed.' } = this.#options
      return [[span(typeof empty === 'string' ? empty : empty(), { color: 'muted' })]]
    }
    if (width !== this.#width) this.#resize(width)
    const wanted = this.#wanted
    this.#wanted = undefined
    if (wanted !== undefined) this.reveal(wanted)
    const rows = this.#all()
    this.#top = this.#bounded(this.#top)
    return rows.slice(this.#top, this.#top + height).map((row) => {
      const line = row.draw()
      return lineWidth(line) > width ? fit(line, width) : line
    })
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') return this.#mouse(input.mouse)
    return input.type === 'key' && this.#files.length > 0 && this.#key(input.key)
  }

  spoken(): string {
    const { file } = this
    const row = this.#rowAt(this.#top)
    if (file === undefined || row === undefined) return 'No changes'
    const hunk = row.hunk === undefined ? '' : `, change ${row.hunk + 1} of ${file.hunks.length}`
    return `${shown(file.path)}${hunk}: ${lineText(row.draw()).trim()}`
  }

  #key(key: Key): boolean {
    const page = Math.max(1, this.#height - 2)
    switch (chordOf(key)) {
      case 'up':
        return this.#scroll(this.#top - 1)
      case 'down':
        return this.#scroll(this.#top + 1)
      case 'pageup':
        return this.#scroll(this.#top - page)
      case 'pagedown':
      case 'space':
        return this.#scroll(this.#top + page)
      case 'home':
        return this.#scroll(0)
      case 'end':
        return this.#scroll(Number.POSITIVE_INFINITY)
      case ']':
      case 'n':
        return this.#step(1)
      case '[':
      case 'p':
        return this.#step(-1)
      case 'left':
      case 'right':
        return this.#fold(this.file)
      case 'enter':
        return this.#open()
      default:
        return false
    }
  }

  #mouse({ action, row, button }: Mouse): boolean {
    if (action === 'wheelUp' || action === 'wheelDown')
      return this.#scroll(this.#top + (action === 'wheelUp' ? -wheelRows : wheelRows))
    if (action !== 'press' || button !== 'left') return false
    const pressed = this.#rowAt(this.#top + row)
    return pressed !== undefined && pressed.hunk === undefined && this.#fold(this.#files[pressed.file])
  }

  #open(): boolean {
    const { file, line } = this
    if (file === undefined) return false
    if (this.#options.onOpen === undefined) return this.#fold(file)
    this.#options.onOpen(file, line)
    return true
  }

  /** To the next change, or the one before: to hunks, and to files that show none. */
  #step(by: 1 | -1): boolean {
    const rows = this.#all()
    for (let index = this.#top + by; index >= 0 && index < rows.length; index += by)
      if (rows[index]?.begins === true) return this.#scroll(index)
    return this.#scroll(by < 0 ? 0 : this.#top)
  }

  #fold(file: FileDiff | undefined): boolean {
    if (file === undefined) return false
    if (!this.#folded.delete(file)) this.#folded.add(file)
    this.#rows = undefined
    const index = this.#files.indexOf(file)
    return this.#scroll(this.#headingOf(index))
  }

  #headingOf(file: number): number {
    return this.#all().findIndex((row) => row.file === file && row.isGap !== true)
  }

  #scroll(row: number): boolean {
    this.#top = this.#bounded(row)
    const { file } = this
    if (file !== undefined && file !== this.#told) this.#options.onFile?.(file)
    this.#told = file
    return true
  }

  #bounded(row: number): number {
    return Math.max(0, Math.min(row, this.#all().length - this.#height))
  }

  #rowAt(index: number): DiffRow | undefined {
    return this.#all()[index]
  }

  /** Keeps what is in sight where it is. */
  #resize(width: number): void {
    const row = this.#width === 0 ? undefined : this.#rowAt(this.#top)
    this.#width = width
    this.#rows = undefined
    if (row === undefined) return
    const same = this.#all().findIndex(
      ({ file, hunk, at, isGap }) => file === row.file && hunk === row.hunk && at >= row.at && isGap === row.isGap,
    )
    this.#top = Math.max(0, same)
  }

  #all(): readonly DiffRow[] {
    this.#rows ??= this.#files.flatMap((file, index) => this.#rowsOf(file, index))
    return this.#rows
  }

  #rowsOf(file: FileDiff, index: number): DiffRow[] {
    const isFolded = this.#folded.has(file)
    const head: DiffRow = { draw: () => heading(file, this.#width, isFolded), file: index, at: 1, begins: isFolded }
    const before: DiffRow[] = index === 0 ? [] : [{ draw: () => [], file: index, at: 1, isGap: true }]
    if (isFolded) return [...before, head]
    const instead = insteadOfHunks(file)
    if (instead !== undefined)
      return [
        ...before,
        { ...head, begins: true },
        { draw: () => [span(`  ${instead}`, { color: 'muted' })], file: index, at: 1 },
      ]
    return [...before, head].concat(this.#hunkRows(file, index))
  }

  #hunkRows(file: FileDiff, index: number): readonly DiffRow[] {
    const known = this.#ofFile.get(file)
    if (known?.width === this.#width) return known.rows
    const rows = diffRows(file, index, this.#width)
    this.#ofFile.set(file, { width: this.#width, rows })
    return rows
  }
}

/** Changed lines of a file. */
export function changesOf({ hunks }: FileDiff): { readonly added: number; readonly deleted: number } {
  let added = 0
  let deleted = 0
  for (const { lines } of hunks) {
    for (const { kind } of lines) {
      if (kind === 'added') added++
      else if (kind === 'deleted') deleted++
    }
  }
  return { added, deleted }
}

function sizeOf(file: FileDiff): number {
  return file.hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}

function heading(file: FileDiff, width: number, isFolded: boolean): Line {
  const [words, color] = statuses[file.status]
  const { added, deleted } = changesOf(file)
  const from = file.oldPath === undefined ? '' : `${shown(file.oldPath)} → `
  const raised = { background: 'raised' } as const
  const lines = isFolded ? `  ${count(sizeOf(file), 'line')} folded, → shows them` : ''
  const line = [
    span(isFolded ? '▸ ' : '▾ ', { ...raised, color: 'muted' }),
    span(`${from}${shown(file.path)}`, { ...raised, bold: true }),
    span(`  ${words}`, { ...raised, color }),
    ...(added > 0 ? [span(`  +${added}`, { ...raised, color: 'added' as const })] : []),
    ...(deleted > 0 ? [span(`  −${deleted}`, { ...raised, color: 'deleted' as const })] : []),
    span(lines, { ...raised, color: 'muted' }),
  ]
  return fit(line, width, raised)
}

function insteadOfHunks(file: FileDiff): string | undefined {
  if (file.binary) return 'Not text: its changes cannot be shown.'
  if (file.truncated) return 'Its changes are left out: the whole diff would be too large.'
  if (file.hunks.length > 0) return undefined
  return file.status === 'renamed' ? 'Its text is the same.' : 'It is empty.'
}
