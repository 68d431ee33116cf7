import { chordOf, type Input, type Mouse, typedBy } from '../canvas/input.ts'
import type { Cursor, Pane, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { shown } from '../canvas/width.ts'
import type { TextBuffer } from '../text/buffer.ts'
import type { Completer, Highlighter, Marker, StyledRange } from '#authoring/language.ts'
import type { LinesChange, Position, Range } from '#authoring/lines.ts'
import { wordRange } from '../text/movement.ts'
import type { Found } from '../text/pattern.ts'
import { beginning, clamp, cursorAt, endOf, isEmpty, isSame, rangeOf } from '../text/positions.ts'
import { type Row, Wrap } from '../text/wrap.ts'
import { clipboard } from './clipboard.ts'
import { cursorColumn, drawGutter, drawRow, gutterWidth } from './editor/draw.ts'
import { changeBy, insert } from './editor/edits.ts'
import { Markers } from './editor/markers.ts'
import { moveBy } from './editor/moves.ts'
import { Popup } from './editor/popup.ts'

/** Two clicks at one place within this time are one double click, in milliseconds. */
const doubleClick = 400

export interface EditorOptions {
  readonly buffer: TextBuffer
  readonly highlighter?: Highlighter
  readonly completer?: Completer
  readonly readOnly?: boolean
  readonly lineNumbers?: boolean
  /** Puts a text into the clipboard of the person’s machine. */
  readonly copy?: (text: string) => void
  /** The cursor was moved, by whatever key. */
  readonly onMove?: () => void
}

/** Finds that are marked, such as those of a Finder. */
export interface Matches {
  /** In order, without overlaps; of a long line those around a column. */
  on(line: number, column?: number): readonly Found[]
}

/** A text that is read and written: wrapped at words, with colours, a selection, marks and a list of completions. */
export class EditorPane implements Pane {
  readonly buffer: TextBuffer
  readOnly: boolean
  lineNumbers: boolean
  matches: Matches | undefined
  readonly #highlighter: Highlighter | undefined
  readonly #copy: (text: string) => void
  readonly #onMove: () => void
  readonly #wrap: Wrap
  readonly #popup: Popup
  readonly #markers = new Markers()
  /** Where the first row that is seen begins. */
  #top: Position = beginning
  #rows: readonly Row[] = []
  #height = 1
  #cursor: Cursor | undefined
  #gutter = 2
  /** Column of the screen that moving up and down keeps to; undefined: the one of the cursor. */
  #goal: number | undefined
  /** The next drawing shows the cursor; `centre`: with as much above as below it. */
  #follow: 'no' | 'near' | 'centre' = 'near'
  /** Heights that were lost, with what was scrolled for it: it is taken back with them, unless somebody scrolled on. */
  #lost: { readonly height: number; readonly from: Position; readonly to: Position }[] = []
  #click: { readonly at: number; readonly row: number; readonly column: number; readonly count: number } | undefined

  constructor({ buffer, highlighter, completer, readOnly, lineNumbers, copy, onMove }: EditorOptions) {
    this.buffer = buffer
    this.readOnly = readOnly ?? false
    this.lineNumbers = lineNumbers ?? false
    this.#highlighter = highlighter
    this.#copy = copy ?? (() => undefined)
    this.#onMove = onMove ?? (() => undefined)
    this.#wrap = new Wrap(buffer)
    this.#popup = new Popup(completer)
    buffer.onChange((change) => this.#changed(change))
  }

  get cursor(): Cursor | undefined {
    return this.#cursor
  }

  get typing(): boolean {
    return !this.readOnly
  }

  /** Where the cursor stands in the text. */
  get position(): Position {
    return this.buffer.selection.head
  }

  get selectedText(): string {
    return this.buffer.slice(rangeOf(this.buffer.selection))
  }

  get markers(): readonly Marker[] {
    return this.#markers.all
  }

  /** They move along with the text until they are set again. */
  set markers(markers: readonly Marker[]) {
    this.#markers.set(markers, this.buffer.count)
  }

  markersOn(line: number): readonly Marker[] {
    return this.#markers.on(line)
  }

  /** Where the first row that is seen begins; kept until the cursor moves. */
  get top(): Position {
    return this.#top
  }

  set top(top: Position) {
    this.#top = top
    this.#follow = 'no'
  }

  /** The list of completions is open: Esc, Enter, Tab and the arrows are for it. */
  get isChoosing(): boolean {
    return this.#popup.isOpen
  }

  /** Moves the cursor to a position, or selects a range, and shows it in the middle where it was out of sight. */
  reveal(target: Position | Range): void {
    this.buffer.selection = 'line' in target ? cursorAt(target) : { anchor: target.start, head: target.end }
    this.#popup.close()
    this.#goal = undefined
    this.#follow = 'centre'
  }

  draw(size: Size): readonly Line[] {
    this.#gutter = gutterWidth(this.buffer.count, this.lineNumbers)
    // Who saw the cursor sees it in a window of another size, too.
    const isOther = size.height !== this.#height || size.width - this.#gutter - 1 !== this.#wrap.width
    if (isOther && this.#cursor !== undefined && this.#follow === 'no') this.#follow = 'near'
    const before = { height: this.#height, from: this.#top }
    this.#height = Math.max(1, size.height)
    // A column is left for the cursor behind a full row.
    this.#wrap.width = size.width - this.#gutter - 1
    this.#regain()
    this.#rows = this.#visible(size.height)
    if (before.height > this.#height) this.#lost.push({ ...before, to: this.#top })
    const width = size.width - this.#gutter
    const range = rangeOf(this.buffer.selection)
    const selected = isEmpty(range) ? undefined : range
    const { head } = this.buffer.selection
    const current = this.#wrap.rowAt(head)
    this.#cursor = undefined
    let colored = -1
    let ranges: readonly StyledRange[] = []
    const lines = this.#rows.map((row, index): Line => {
      const text = this.buffer.at(row.line)
      const isCurrent = row.line === current.line && row.from === current.from
      if (isCurrent) {
        const column = this.#gutter + Math.min(cursorColumn(text, row, head.column), width - 1)
        this.#cursor = { row: index, column: Math.max(0, column) }
      }
      const markers = this.markersOn(row.line)
      const matches = this.matches?.on(row.line, row.from) ?? []
      // Of a line with many rows they are asked for once.
      if (colored !== row.line) ranges = this.#highlighter?.ranges(row.line) ?? []
      colored = row.line
      return [
        ...drawGutter(row, { markers, width: this.#gutter, isCurrent: row.line === head.line }),
        ...drawRow(text, row, { ranges, matches, markers, selected, isCurrent: isCurrent && !this.readOnly, width }),
      ]
    })
    return this.#cursor === undefined ? lines : this.#popup.over(lines, this.#cursor, size)
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') return this.#mouse(input.mouse)
    if (input.type === 'paste') return this.#write(input.text, 'other')
    const chord = chordOf(input.key)
    const { isOpen: wasOpen, isAsked: wasAsked } = this.#popup
    if (wasOpen && this.#popup.key(chord, this.buffer)) return this.#moved()
    const typed = typedBy(input.key)
    if (typed !== undefined) {
      const isWritten = this.#write(typed, 'typing')
      if (isWritten) this.#popup.ask(this.buffer, false, wasAsked)
      return isWritten
    }
    const isTaken = this.#move(chord) || this.#change(chord) || this.#command(chord)
    if (wasOpen && chord === 'backspace') this.#popup.ask(this.buffer, false, wasAsked)
    return isTaken
  }

  spoken(): string {
    const { line, column } = this.position
    const completion = this.#popup.spoken
    if (completion !== undefined) return completion
    const from = Math.max(0, column - 200)
    const text = shown(this.buffer.at(line).slice(from, from + 400))
    const problems = this.markersOn(line).map(({ severity, message }) => `. ${severity}: ${shown(message)}`)
    const selected = this.selectedText === '' ? '' : `. Selected: ${shown(this.selectedText.slice(0, 200))}`
    return `${text === '' ? 'empty line' : text}, line ${line + 1} of ${this.buffer.count}${problems.join('')}${selected}`
  }

  get behindCursor(): string {
    const { line, column } = this.position
    return shown(this.buffer.at(line).slice(column, column + 200))
  }

  #write(text: string, kind: 'typing' | 'other'): boolean {
    if (this.readOnly) return false
    insert(this.buffer, text, kind)
    this.#popup.close()
    return this.#moved()
  }

  #move(chord: string): boolean {
    const isSelecting = chord.includes('shift+')
    const { anchor, head } = this.buffer.selection
    const range = rangeOf(this.buffer.selection)
    const goal = this.#goal ?? this.#wrap.columnOf(this.#wrap.rowAt(head), head)
    const plain = chord.replace('shift+', '')
    const move = moveBy(plain, { lines: this.buffer, wrap: this.#wrap, at: head, goal, height: this.#height })
    if (move === undefined) return false
    let { to } = move
    // An arrow leaves what is selected at the side that it points to.
    if (!isSelecting && !isEmpty(range) && (plain === 'left' || plain === 'right'))
      to = plain === 'left' ? range.start : range.end
    this.buffer.selection = isSelecting ? { anchor, head: to } : cursorAt(to)
    this.#moved()
    if (move.isVertical) this.#goal = goal
    return true
  }

  #change(chord: string): boolean {
    const change = this.readOnly ? undefined : changeBy(chord)
    if (change === undefined) return false
    change(this.buffer)
    return this.#moved()
  }

  #command(chord: string): boolean {
    switch (chord) {
      case 'ctrl+a':
        this.buffer.selection = { anchor: beginning, head: endOf(this.buffer) }
        return true
      case 'ctrl+c':
        return this.#take()
      case 'ctrl+x':
        return !this.readOnly && this.#take() && this.#write('', 'other')
      case 'ctrl+v':
        return this.#write(clipboard.text, 'other')
      case 'ctrl+z':
        return !this.readOnly && (this.buffer.undo(), this.#moved())
      case 'ctrl+y':
      case 'ctrl+shift+z':
        return !this.readOnly && (this.buffer.redo(), this.#moved())
      case 'ctrl+space':
        if (!this.readOnly) this.#popup.ask(this.buffer, true)
        return !this.readOnly
      default:
        return false
    }
  }

  /** @returns false where nothing is selected: the key may mean something else */
  #take(): boolean {
    const text = this.selectedText
    if (text === '') return false
    clipboard.text = text
    this.#copy(text)
    return true
  }

  #moved(): boolean {
    this.#goal = undefined
    this.#follow = 'near'
    this.#onMove()
    return true
  }

  #mouse(mouse: Mouse): boolean {
    if (mouse.action === 'wheelUp' || mouse.action === 'wheelDown') {
      const row = this.#wrap.step(this.#wrap.rowAt(clamp(this.buffer, this.#top)), mouse.action === 'wheelUp' ? -3 : 3)
      this.top = { line: row.line, column: row.from }
      return true
    }
    if (mouse.button !== 'left' || mouse.action === 'release') return mouse.action === 'release'
    const at = this.#at(mouse)
    this.#popup.close()
    if (mouse.action === 'drag' || mouse.shift) {
      this.buffer.selection = { anchor: this.buffer.selection.anchor, head: at }
      return this.#moved()
    }
    const count = this.#clicks(mouse)
    const line = { start: { ...at, column: 0 }, end: { ...at, column: this.buffer.at(at.line).length } }
    const range = count === 2 ? wordRange(this.buffer, at) : line
    this.buffer.selection = count === 1 ? cursorAt(at) : { anchor: range.start, head: range.end }
    return this.#moved()
  }

  /** How many clicks at this place this one makes: 1 to 3. */
  #clicks({ row, column }: Mouse): number {
    const now = Date.now()
    const last = this.#click
    const goesOn = last !== undefined && now - last.at < doubleClick && last.row === row && last.column === column
    const count = goesOn ? (last.count % 3) + 1 : 1
    this.#click = { at: now, row, column, count }
    return count
  }

  #at({ row, column }: Mouse): Position {
    const [first] = this.#rows
    if (row < 0 && first !== undefined)
      return this.#wrap.positionIn(this.#wrap.previous(first) ?? first, column - this.#gutter)
    const last = this.#rows.at(-1)
    const below = last === undefined ? undefined : row >= this.#height ? this.#wrap.next(last) : last
    const hit = this.#rows[row] ?? below ?? last
    return hit === undefined ? this.position : this.#wrap.positionIn(hit, Math.max(0, column - this.#gutter))
  }

  /** The rows that are seen, from the top or, where the cursor is followed, from where it is seen. */
  #visible(height: number): readonly Row[] {
    let top = this.#wrap.rowAt(clamp(this.buffer, this.#top))
    if (this.#follow !== 'no') top = this.#following(top, height)
    this.#follow = 'no'
    this.#top = { line: top.line, column: top.from }
    const rows: Row[] = []
    for (let row: Row | undefined = top; row !== undefined && rows.length < height; row = this.#wrap.next(row))
      rows.push(row)
    return rows
  }

  /** A message that went, or a preview that was closed, leaves what was seen before it. */
  #regain(): void {
    for (let last = this.#lost.at(-1); last !== undefined && last.height <= this.#height; last = this.#lost.at(-1)) {
      this.#lost.pop()
      if (!isSame(this.#top, last.to)) this.#lost = []
      else this.#top = last.from
    }
  }

  #following(top: Row, height: number): Row {
    const row = this.#wrap.rowAt(this.position)
    const margin = Math.min(2, Math.floor((height - 1) / 4))
    const first = this.#wrap.step(top, margin)
    const isAbove = row.line < first.line || (row.line === first.line && row.from < first.from)
    if (!isAbove && row.line - top.line < height) {
      let last = top
      for (let left = height - 1 - margin; left > 0 && !isAt(last, row); left--) last = this.#wrap.step(last, 1)
      if (isAt(last, row)) return top
      // One row further is scrolled by one row; only what was far away comes to the middle.
    }
    if (this.#follow === 'centre') return this.#wrap.step(row, -Math.floor(height / 2))
    return this.#wrap.step(row, isAbove ? -margin : margin + 1 - height)
  }

  #changed(change: LinesChange): void {
    this.#highlighter?.changed(change)
    this.#markers.changed(change, this.buffer.count)
  }
}

function isAt(one: Row, other: Row): boolean {
  return one.line === other.line && one.from === other.from
}
