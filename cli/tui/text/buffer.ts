import {
  detached,
  dominantEnd,
  endAt,
  type Fragment,
  fragmentOf,
  fragmentWith,
  type LineEnd,
  piecesOf,
  textOf,
} from '#authoring/fragment.ts'
import { type Edit, type EditKind, History } from './history.ts'
import type { Lines, LinesChange, Position, Range } from '#authoring/lines.ts'
import { beginning, clamp, cursorAt, isSame, moved, type Selection } from './positions.ts'

export type { Selection } from './positions.ts'

const byteOrderMark = '\uFEFF'

/** UTF-16 units of lines of which no piece is kept that would keep the whole. */
const longLine = 10_000

export interface TextBufferOptions {
  /** Bytes that undo may take (see History). */
  readonly undoLimit?: number
  /** In milliseconds; for tests. */
  readonly now?: () => number
}

/**
 * A text that is edited, with what is selected in it. It gives back what was put in, byte for byte: each line keeps its
 * own end, also where a file mixes them, and a byte order mark stays where it is, outside of the lines.
 */
export class TextBuffer implements Lines {
  readonly #history: History
  readonly #listeners = new Set<(change: LinesChange) => void>()
  #mark: string
  #lines: string[]
  /** Of each line but the last. */
  #ends: LineEnd[]
  /** Of the lines that are made here. */
  #end: LineEnd
  #selection: Selection = cursorAt(beginning)
  #version = 0
  /** Steps that are open, one inside the other. */
  #depth = 0

  constructor(text = '', { undoLimit = 40_000_000, now = Date.now }: TextBufferOptions = {}) {
    this.#history = new History({ limit: undoLimit, now })
    this.#mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
    const fragment = fragmentOf(text.slice(this.#mark.length))
    this.#lines = fragment.lines.slice()
    this.#ends = fragment.ends.slice()
    this.#end = dominantEnd(fragment)
  }

  get count(): number {
    return this.#lines.length
  }

  at(line: number): string {
    return this.#lines[line] ?? ''
  }

  /** Counts the changes: whoever worked on a version knows whether it is still the text. */
  get version(): number {
    return this.#version
  }

  get canUndo(): boolean {
    return this.#history.canUndo
  }

  get canRedo(): boolean {
    return this.#history.canRedo
  }

  get selection(): Selection {
    return this.#selection
  }

  /** Positions that the text does not have become the nearest ones; typing that follows is a new step of undo. */
  set selection({ anchor, head }: Selection) {
    this.#selection = { anchor: clamp(this, anchor), head: clamp(this, head) }
    if (this.#depth === 0) this.#history.seal()
  }

  /** The whole text, as the file has it. */
  text(): string {
    return this.#mark + textOf({ lines: this.#lines, ends: this.#ends })
  }

  /**
   * As `text()`, in pieces that are put together when they are gone through, with the UTF-16 units of them all. Changes
   * that follow do not show in them.
   */
  pieces(): Iterable<string> & { readonly units: number } {
    const mark = this.#mark
    const fragment = { lines: this.#lines.slice(), ends: this.#ends.slice() }
    const units = this.offsetOf({ line: this.count - 1, column: this.at(this.count - 1).length })
    return {
      units,
      *[Symbol.iterator]() {
        if (mark !== '') yield mark
        yield* piecesOf(fragment)
      },
    }
  }

  /** The text of a range, with `\n` between its lines. */
  slice({ start, end }: Range): string {
    if (start.line === end.line) return this.at(start.line).slice(start.column, end.column)
    const between = this.#lines.slice(start.line + 1, end.line)
    return [this.at(start.line).slice(start.column), ...between, this.at(end.line).slice(0, end.column)].join('\n')
  }

  /** UTF-16 units of `text()` before a position. */
  offsetOf(position: Position): number {
    let offset = this.#mark.length + position.column
    for (let line = 0; line < position.line; line++) offset += this.at(line).length + (this.#ends[line]?.length ?? 0)
    return offset
  }

  /** The position of an offset into `text()`, or the nearest one. */
  positionOf(offset: number): Position {
    let left = offset - this.#mark.length
    for (const [line, text] of this.#lines.entries()) {
      const length = text.length + (this.#ends[line]?.length ?? 0)
      if (left < length || line === this.#lines.length - 1) return clamp(this, { line, column: left })
      left -= length
    }
    return beginning
  }

  /**
   * Puts a text in the place of a range; its line ends become those of the file. What was selected in the range, or the
   * cursor there, is behind the text afterwards.
   * @returns where the text ends
   */
  replace(range: Range, text: string, kind: EditKind = 'other'): Position {
    return this.#replace(range, fragmentWith(text, this.#end), kind)
  }

  /**
   * Puts other texts in the place of lines, from `first` on, in one step. Each line keeps its own end; a text may become
   * several lines (`\n`). The cursor stays where it is.
   */
  rewrite(first: number, texts: readonly string[]): void {
    const lines: string[] = []
    const ends: LineEnd[] = []
    for (const [index, text] of texts.entries()) {
      // Of many lines, few become several.
      if (text.includes('\n'))
        for (const [at, line] of text.split('\n').entries()) {
          if (at > 0) ends.push(this.#end)
          lines.push(line)
        }
      else lines.push(text)
      const end = this.#ends[first + index]
      if (end !== undefined && index < texts.length - 1) ends.push(end)
    }
    const last = first + texts.length - 1
    const { head } = this.#selection
    const range = { start: { line: first, column: 0 }, end: { line: last, column: this.at(last).length } }
    this.#replace(range, { lines, ends }, 'other')
    this.#selection = cursorAt(clamp(this, head))
  }

  /** Makes it another text in one step, line ends included: only the lines that differ change. */
  become(text: string): void {
    const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
    const { lines, ends } = fragmentOf(text.slice(mark.length))
    this.#mark = mark
    const most = Math.min(lines.length, this.count) - 1
    const isLine = (own: number, other: number): boolean =>
      this.#lines[own] === lines[other] && this.#ends[own] === ends[other]
    let head = 0
    while (head < most && isLine(head, head)) head++
    let tail = 0
    while (tail < most - head && isLine(this.count - 1 - tail, lines.length - 1 - tail)) tail++
    // The end of a line stands behind it: where it alone differs, the next line is part of the change.
    if (tail > 0 && this.#ends[this.count - 1 - tail] !== ends[lines.length - 1 - tail]) tail--
    const last = this.count - 1 - tail
    const changed = { lines: lines.slice(head, lines.length - tail), ends: ends.slice(head, lines.length - 1 - tail) }
    const range = { start: { line: head, column: 0 }, end: { line: last, column: this.at(last).length } }
    if (last === head && changed.lines.length === 1 && changed.lines[0] === this.at(head)) return
    const { head: cursor } = this.#selection
    this.#replace(range, changed, 'other')
    this.#selection = cursorAt(clamp(this, cursor))
  }

  /** All that `work` does is one step of undo. */
  step<T>(work: () => T, kind: EditKind = 'other'): T {
    if (this.#depth === 0) this.#history.begin(kind, this.#selection)
    this.#depth++
    try {
      return work()
    } finally {
      this.#depth--
      if (this.#depth === 0) this.#history.end()
    }
  }

  /** @returns false where there is nothing to undo */
  undo(): boolean {
    const step = this.#history.undo()
    for (const { start, removed, inserted } of step?.edits.toReversed() ?? [])
      this.#splice({ start, end: endAt(start, inserted) }, removed)
    if (step !== undefined) this.#selection = step.before
    return step !== undefined
  }

  redo(): boolean {
    const step = this.#history.redo()
    for (const { start, removed, inserted } of step?.edits ?? []) {
      this.#splice({ start, end: endAt(start, removed) }, inserted)
      this.#selection = cursorAt(endAt(start, inserted))
    }
    return step !== undefined
  }

  /** Tells of every change, after it; several changes of one step one by one. @returns how to stop */
  onChange(listener: (change: LinesChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #replace({ start, end }: Range, inserted: Fragment, kind: EditKind): Position {
    const range = { start: clamp(this, start), end: clamp(this, end) }
    const behind = endAt(range.start, inserted)
    if (isSame(range.start, range.end) && isSame(range.start, behind)) return behind
    this.step(() => {
      const { anchor, head } = this.#selection
      const edit: Edit = { start: range.start, removed: this.#splice(range, inserted), inserted }
      this.#history.add(edit)
      this.#selection = { anchor: moved(anchor, range, behind), head: moved(head, range, behind) }
    }, kind)
    return behind
  }

  /** @returns what stood there */
  #splice({ start, end }: Range, { lines, ends }: Fragment): Fragment {
    const first = this.at(start.line)
    const last = this.at(end.line)
    const removed = end.line - start.line + 1
    const gone = {
      lines: this.#lines.slice(start.line, end.line + 1),
      ends: this.#ends.slice(start.line, end.line),
    }
    gone.lines[removed - 1] = last.slice(0, end.column)
    gone.lines[0] = (gone.lines[0] ?? '').slice(start.column)
    if (first.length + last.length > longLine) gone.lines = gone.lines.map(detached)
    const added = lines.slice()
    added[0] = first.slice(0, start.column) + (added[0] ?? '')
    added[added.length - 1] = (added.at(-1) ?? '') + last.slice(end.column)
    if (removed === 1 && added.length === 1) this.#lines[start.line] = added[0] ?? ''
    else {
      this.#lines = spliced(this.#lines, { at: start.line, removed, added })
      this.#ends = spliced(this.#ends, { at: start.line, removed: removed - 1, added: ends })
    }
    this.#version++
    for (const listener of this.#listeners) listener({ line: start.line, removed, added: added.length })
    return gone
  }
}

function spliced<T>(
  items: T[],
  { at, removed, added }: { readonly at: number; readonly removed: number; readonly added: readonly T[] },
): T[] {
  // A call takes only so many arguments.
  if (added.length > 1_000) return items.slice(0, at).concat(added, items.slice(at + removed))
  items.splice(at, removed, ...added)
  return items
}
