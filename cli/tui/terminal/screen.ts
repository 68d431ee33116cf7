import type { Cursor, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { isSure } from '../canvas/width.ts'
import { blankFrom, cellsOf, difference, type Cells } from './cells.ts'
import type { Frame } from './terminal.ts'
import type { Theme } from './theme.ts'

/** Where frames go. */
export interface Sink {
  /** @param written is called when the terminal has taken it: over a slow line, later */
  write(text: string, written: () => void): void
}

/** Milliseconds between frames that no input asked for. */
const frameMs = 16

const escape = '\u001B['
const [hide, show] = [`${escape}?25l`, `${escape}?25h`]
/** Synchronised output: the terminal shows what is between at once. */
const [begin, end] = [`${escape}?2026h`, `${escape}?2026l`]

/**
 * What stands on the terminal, and what has to be written so that a frame stands there. Over a line that is slower than
 * the frames, the last one wins: those between are never written.
 */
export class Screen {
  readonly #sink: Sink
  #theme: Theme
  #size: Size
  /** By row; what is unknown is written whole. */
  #lines: (Line | undefined)[] = []
  #cells: (Cells | undefined)[] = []
  #cursor: Cursor | 'hidden' | 'unknown' = 'unknown'
  #last: Frame | undefined
  /** Waits to be painted. */
  #next: Frame | undefined
  #isWriting = false
  #timer: NodeJS.Timeout | undefined
  #paintedAt = Number.NEGATIVE_INFINITY
  /** An input came since the last frame: what it does is shown at once. */
  #isAwaited = true
  #isHeld = false
  #isStopped = true
  /** The terminal has said that it knows synchronised output. */
  synchronized = false

  constructor(sink: Sink, theme: Theme, size: Size) {
    this.#sink = sink
    this.#theme = theme
    this.#size = size
  }

  /** Inputs that came together make one frame. */
  hold(): void {
    this.#isAwaited = true
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#paintSoon()
  }

  draw(frame: Frame): void {
    this.#next = frame
    this.#paintSoon()
  }

  set theme(theme: Theme) {
    this.#theme = theme
    this.#repaint()
  }

  /** What stood on the terminal is not relied on; the next frame, which is soon to come, is written whole. */
  set size(size: Size) {
    this.#size = size
    this.#isAwaited = true
    this.#forget()
  }

  /** Writes from now on, and the last frame whole. */
  start(): void {
    this.#isStopped = false
    this.#repaint()
  }

  #repaint(): void {
    this.#forget()
    this.#next ??= this.#last
    this.#paintSoon()
  }

  /** Writes nothing until the next start. What was being written may have been lost. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#last = this.#next ?? this.#last
    this.#next = undefined
    this.#isWriting = false
    this.#isHeld = false
    this.#forget()
  }

  #forget(): void {
    this.#lines = []
    this.#cells = []
    this.#cursor = 'unknown'
  }

  #paintSoon(): void {
    if (this.#next === undefined || this.#isStopped || this.#isHeld || this.#isWriting) return
    const wait = this.#isAwaited ? 0 : this.#paintedAt + frameMs - performance.now()
    if (wait <= 0) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#paint(this.#next)
    } else this.#timer ??= setTimeout(() => this.#paintLater(), Math.ceil(wait))
  }

  #paintLater(): void {
    this.#timer = undefined
    this.#paintSoon()
  }

  #paint(frame: Frame): void {
    this.#next = undefined
    this.#last = frame
    this.#isAwaited = false
    this.#paintedAt = performance.now()
    const text = this.#changes(frame)
    if (text === '') return
    this.#isWriting = true
    this.#sink.write(text, () => {
      this.#isWriting = false
      this.#paintSoon()
    })
  }

  /** What has to be written for a frame; empty when it stands there. */
  #changes({ rows, cursor }: Frame): string {
    const painter = new Painter()
    for (let row = 0; row < this.#size.height; row++) this.#row(painter, row, rows[row] ?? [])
    const place = cursor === undefined ? 'hidden' : this.#within(cursor)
    const isMoved = !isSame(place, this.#cursor)
    if (painter.text === '' && !isMoved) return ''
    const before = this.#cursor
    this.#cursor = place
    const after = place === 'hidden' ? '' : move(place.row, place.column)
    const turn = place === 'hidden' ? (before === 'hidden' ? '' : hide) : typeof before === 'object' ? '' : show
    if (painter.text === '') return after + turn
    const painted = `${painter.text}${painter.style === '0' ? '' : `${escape}m`}${after}`
    if (this.synchronized) return `${begin}${painted}${turn}${end}`
    // The cursor would be seen running over the screen.
    return `${before === 'hidden' ? '' : hide}${painted}${place === 'hidden' ? '' : show}`
  }

  #row(painter: Painter, row: number, line: Line): void {
    const before = this.#cells[row]
    const shown = this.#lines[row]
    // Most rows stay as they are, and those who draw them make them anew.
    if (before !== undefined && shown !== undefined && isSameLine(shown, line, this.#theme)) return
    const after = cellsOf(line, this.#size.width, this.#theme)
    this.#lines[row] = line
    this.#cells[row] = after
    const changed = before === undefined ? { from: 0, to: this.#size.width } : difference(before, after)
    if (changed !== undefined) painter.cells(after, row, changed)
  }

  #within({ row, column }: Cursor): Cursor {
    const { width, height } = this.#size
    return { row: clamp(row, height), column: clamp(column, width) }
  }
}

/** Puts together what is written for rows. */
class Painter {
  text = ''
  /** Style that the terminal is set to; the one before the first is unknown. */
  style: string | undefined

  cells(cells: Cells, row: number, { from, to }: { readonly from: number; readonly to: number }): void {
    const { texts, styles } = cells
    const blank = blankFrom(cells)
    // Erasing to the end of the row is short, but not for some spaces.
    const erased = to === texts.length && to - blank > 3 ? Math.max(blank, from) : to
    this.text += move(row, from)
    for (let column = from; column < erased; column++) {
      const text = texts[column] ?? ''
      if (text === '') continue
      this.#setStyle(styles[column] ?? '0')
      if (isSure(text)) this.text += text
      else this.#unsure(text, column, texts[column + 1] === '' ? 2 : 1)
    }
    if (erased === to) return
    this.#setStyle('0')
    this.text += `${escape}K`
  }

  /** Spaces go ahead, as a terminal may draw it narrower; the column behind it is named, as it may count it wider. */
  #unsure(text: string, column: number, width: 1 | 2): void {
    const back = `${escape}${column + 1}G`
    this.text += `${' '.repeat(width)}${back}${text}${escape}${column + width + 1}G`
  }

  #setStyle(style: string): void {
    if (style === this.style) return
    this.text += style === '0' ? `${escape}m` : `${escape}${style}m`
    this.style = style
  }
}

function move(row: number, column: number): string {
  return `${escape}${row + 1};${column + 1}H`
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value))
}

function isSameLine(one: Line, other: Line, theme: Theme): boolean {
  if (one === other) return true
  return (
    one.length === other.length &&
    one.every((span, index) => {
      const beside = other[index]
      if (beside === undefined || span.text !== beside.text) return false
      return span.style === beside.style || theme.sgr(span.style) === theme.sgr(beside.style)
    })
  )
}

function isSame(one: Cursor | 'hidden' | 'unknown', other: Cursor | 'hidden' | 'unknown'): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  return one.row === other.row && one.column === other.column
}
