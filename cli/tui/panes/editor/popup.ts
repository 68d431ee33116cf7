import { fit, overlay, span } from '../../canvas/lines.ts'
import type { Cursor, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown, widthOf } from '../../canvas/width.ts'
import type { TextBuffer } from '../../text/buffer.ts'
import type { Completer, Completion, CompletionList } from '#authoring/language.ts'
import type { Position } from '#authoring/lines.ts'
import { cursorAt } from '../../text/positions.ts'

/** Rows of the list that are seen at once. */
const rows = 8

/** Beside what is chosen: the key that writes it. */
const takes = ' Tab '

/** The list of what could be written here, under the cursor. */
export class Popup {
  readonly #completer: Completer | undefined
  #list: CompletionList | undefined
  #chosen = 0
  /** The person pressed the key for it. */
  #isAsked = false
  /** An arrow went to what is chosen. */
  #isMoved = false

  constructor(completer: Completer | undefined) {
    this.#completer = completer
  }

  get isOpen(): boolean {
    return this.#list !== undefined
  }

  /** What is chosen, for those who cannot see it. */
  get spoken(): string | undefined {
    const item = this.#item
    return item === undefined
      ? undefined
      : `${shown(item.label)}, ${this.#chosen + 1} of ${this.#list?.items.length ?? 0}`
  }

  /** It is open because the person pressed the key for it. */
  get isAsked(): boolean {
    return this.isOpen && this.#isAsked
  }

  /**
   * @param asked the person presses the key for it
   * @param wasAsked the person did so before, and goes on typing
   */
  ask(buffer: TextBuffer, asked: boolean, wasAsked = asked): void {
    const list = this.#completer?.complete(buffer, buffer.selection.head, asked)
    this.#list = list === undefined || list.items.length === 0 ? undefined : list
    this.#chosen = 0
    this.#isAsked = wasAsked
    this.#isMoved = false
  }

  close(): void {
    this.#list = undefined
  }

  /**
   * Takes a key, or closes and leaves it to the editor. Enter ends a line as ever while nobody asked for the list: it
   * opens by itself, and must not be in the way of who just writes.
   */
  key(chord: string, buffer: TextBuffer): boolean {
    const count = this.#list?.items.length ?? 0
    if (chord === 'up' || chord === 'down') {
      this.#chosen = (this.#chosen + (chord === 'up' ? count - 1 : 1)) % count
      this.#isMoved = true
      return true
    }
    if (chord === 'escape') this.close()
    const isTaking = chord === 'tab' || (chord === 'enter' && (this.#isAsked || this.#isMoved))
    const isTaken = chord === 'escape' || (isTaking && this.#take(buffer))
    if (!isTaken) this.close()
    return isTaken
  }

  /** @returns false where what is chosen stands there already: the key means something else then */
  #take(buffer: TextBuffer): boolean {
    const item = this.#item
    const { head } = buffer.selection
    const from = this.#list?.from ?? head.column
    this.close()
    if (item === undefined || buffer.at(head.line).slice(from, head.column) === item.insert) return false
    buffer.step(() => {
      const start: Position = { line: head.line, column: from }
      const end = buffer.replace({ start, end: head }, item.insert)
      buffer.selection = cursorAt(item.caret === undefined ? end : caretIn(start, item.insert.slice(0, item.caret)))
    })
    return true
  }

  get #item(): Completion | undefined {
    return this.#list?.items[this.#chosen]
  }

  /** Lays the list over lines: under the cursor, or above it where there is more room. */
  over(lines: readonly Line[], cursor: Cursor, size: Size): readonly Line[] {
    const list = this.#list
    if (list === undefined) return lines
    const below = size.height - cursor.row - 1
    const height = Math.min(rows, list.items.length, Math.max(below, cursor.row))
    if (height <= 0) return lines
    const first = Math.max(0, Math.min(this.#chosen - Math.floor(height / 2), list.items.length - height))
    const items = list.items.slice(first, first + height)
    const own = Math.max(
      ...items.map(
        ({ label, detail }) => widthOf(shown(label)) + (detail === undefined ? 0 : 2 + widthOf(shown(detail))),
      ),
    )
    const width = Math.min(own + 2 + takes.length, size.width)
    const column = Math.max(0, Math.min(cursor.column - 1, size.width - width))
    const top = below >= height ? cursor.row + 1 : cursor.row - height
    const result = lines.slice()
    while (result.length < Math.min(size.height, top + height)) result.push([])
    for (const [index, item] of items.entries())
      result[top + index] = overlay(result[top + index] ?? [], this.#row(item, width, first + index), { column, width })
    return result
  }

  #row({ label, detail }: Completion, width: number, index: number): Line {
    const background = index === this.#chosen ? 'selected' : 'raised'
    const isChosen = index === this.#chosen
    const line = [
      span(` ${shown(label)}`, { background, bold: isChosen }),
      span(detail === undefined ? ' ' : `  ${shown(detail)} `, { background, color: 'muted' }),
    ]
    if (!isChosen) return fit(line, width, { background })
    return [
      ...fit(line, Math.max(0, width - takes.length), { background }),
      span(takes, { background, color: 'accent' }),
    ]
  }
}

function caretIn(start: Position, text: string): Position {
  const lines = text.split('\n')
  const last = lines.at(-1) ?? ''
  return lines.length === 1
    ? { line: start.line, column: start.column + last.length }
    : { line: start.line + lines.length - 1, column: last.length }
}
