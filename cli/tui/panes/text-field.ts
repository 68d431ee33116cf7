import { chordOf, type Input, typedBy } from '../canvas/input.ts'
import { span } from '../canvas/lines.ts'
import type { Cursor, Pane, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { type Cell, cellsOf, graphemeBoundary, graphemeEnd, graphemeStart } from '../text/graphemes.ts'
import { wordEnd, wordStart } from '../text/words.ts'

/** More than anyone types, less than would slow a key down. */
const maxLength = 10_000

export interface TextFieldOptions {
  readonly value?: string
  /** Shown in the empty field. */
  readonly placeholder?: string
  /** The characters are not shown, nor said. */
  readonly secret?: boolean
  readonly onChange?: (value: string) => void
  /** Enter; absent: Enter is left to whoever comes next. */
  readonly onSubmit?: (value: string) => void
}

interface State {
  readonly value: string
  readonly at: number
}

/** One line of text to type into: it scrolls sideways, and pasted line ends become spaces. */
export class TextField implements Pane {
  readonly typing = true
  readonly #options: TextFieldOptions
  #state: State
  /** What was there before each change, the newest last; typing goes back at once. */
  #past: State[] = []
  #future: State[] = []
  #isTyping = false
  #isCut = false
  /** The first cell that is seen. */
  #first = 0
  #starts: readonly { readonly from: number; readonly to: number; readonly index: number }[] = []
  #cursor: Cursor = { row: 0, column: 0 }

  constructor(options: TextFieldOptions = {}) {
    this.#options = options
    const value = oneLine(options.value ?? '')
    this.#state = { value, at: value.length }
  }

  get value(): string {
    return this.#state.value
  }

  /** The cursor goes to the end; it cannot be undone, and `onChange` is not told. */
  set value(value: string) {
    const line = oneLine(value)
    this.#state = { value: line, at: line.length }
    this.#past = []
    this.#future = []
  }

  /** Of what was typed or pasted last, not all had room; undefined where it had. */
  get cut(): string | undefined {
    if (!this.#isCut) return undefined
    return `There is room for ${maxLength.toLocaleString('en')} characters: the end of what you put in is left out.`
  }

  get cursor(): Cursor {
    return this.#cursor
  }

  draw({ width }: Size): readonly Line[] {
    const { value, at } = this.#state
    if (value === '') {
      this.#cursor = { row: 0, column: 0 }
      this.#starts = []
      return [[span(this.#options.placeholder ?? '', { color: 'muted' })]]
    }
    const cells = this.#options.secret === true ? hidden(cellsOf(value)) : cellsOf(value)
    const current = cells.findIndex(({ index }) => index >= at)
    const caret = current === -1 ? cells.length : current
    this.#first = firstSeen(cells, { caret, first: this.#first, width })
    const seen: Cell[] = []
    const starts: { from: number; to: number; index: number }[] = []
    let column = 0
    this.#cursor = { row: 0, column: 0 }
    for (const [order, cell] of cells.slice(this.#first).entries()) {
      if (column + cell.width > width) break
      if (this.#first + order === caret) this.#cursor = { row: 0, column }
      starts.push({ from: column, to: column + cell.width, index: cell.index })
      seen.push(cell)
      column += cell.width
    }
    if (caret === cells.length) this.#cursor = { row: 0, column }
    this.#starts = starts
    return [seen.map(({ text, symbol }) => span(text, symbol ? { color: 'muted' } : undefined))]
  }

  input(input: Input): boolean {
    // What does not fit need not be gone through.
    if (input.type === 'paste') return this.#insert(oneLine(input.text.slice(0, 2 * maxLength + 2)), false)
    if (input.type === 'mouse') {
      if (input.mouse.action !== 'press' || input.mouse.button !== 'left') return false
      const hit = this.#starts.find(({ to }) => input.mouse.column < to)
      return this.#move(hit?.index ?? this.value.length)
    }
    const typed = typedBy(input.key)
    if (typed !== undefined) return this.#insert(oneLine(typed), true)
    return this.#act(chordOf(input.key))
  }

  spoken(): string {
    if (this.value === '') return this.#options.placeholder ?? 'empty'
    return this.#options.secret === true ? `${Array.from(this.value).length} hidden characters` : this.value
  }

  get behindCursor(): string | undefined {
    return this.#options.secret === true ? undefined : this.value.slice(this.#state.at)
  }

  #act(chord: string): boolean {
    const { value, at } = this.#state
    switch (chord) {
      case 'left':
        return this.#move(graphemeStart(value, at))
      case 'right':
        return this.#move(graphemeEnd(value, at))
      case 'ctrl+left':
      case 'alt+left':
      case 'alt+b':
        return this.#move(this.#options.secret === true ? 0 : wordStart(value, at))
      case 'ctrl+right':
      case 'alt+right':
      case 'alt+f':
        return this.#move(this.#options.secret === true ? value.length : wordEnd(value, at))
      case 'home':
      case 'ctrl+a':
        return this.#move(0)
      case 'end':
      case 'ctrl+e':
        return this.#move(value.length)
      case 'backspace':
        return this.#remove(graphemeStart(value, at), at)
      case 'delete':
        return this.#remove(at, graphemeEnd(value, at))
      case 'ctrl+w':
      case 'ctrl+backspace':
      case 'alt+backspace':
        return this.#remove(this.#options.secret === true ? 0 : wordStart(value, at), at)
      case 'ctrl+delete':
      case 'alt+d':
        return this.#remove(at, this.#options.secret === true ? value.length : wordEnd(value, at))
      case 'ctrl+u':
        return this.#remove(0, at)
      case 'ctrl+k':
        return this.#remove(at, value.length)
      case 'ctrl+z':
        return this.#travel(this.#past, this.#future)
      case 'ctrl+y':
        return this.#travel(this.#future, this.#past)
      case 'enter':
        this.#options.onSubmit?.(value)
        return this.#options.onSubmit !== undefined
      default:
        return false
    }
  }

  #move(at: number): boolean {
    this.#isTyping = false
    this.#state = { value: this.value, at }
    return true
  }

  #insert(text: string, isTyping: boolean): boolean {
    const { value, at } = this.#state
    const room = maxLength - value.length
    const fits = text.slice(0, graphemeBoundary(text, room))
    this.#isCut = fits.length < text.length
    if (fits === '') return true
    this.#keep(isTyping && this.#isTyping)
    this.#isTyping = isTyping
    this.#become({ value: value.slice(0, at) + fits + value.slice(at), at: at + fits.length })
    return true
  }

  #remove(from: number, to: number): boolean {
    if (from === to) return true
    this.#isCut = false
    this.#keep(false)
    this.#isTyping = false
    const { value } = this.#state
    this.#become({ value: value.slice(0, from) + value.slice(to), at: from })
    return true
  }

  /** @param isOneStep goes on with the last step */
  #keep(isOneStep: boolean): void {
    if (!isOneStep) this.#past = [...this.#past.slice(-99), this.#state]
    this.#future = []
  }

  #travel(from: State[], to: State[]): boolean {
    const state = from.pop()
    this.#isTyping = false
    if (state === undefined) return true
    this.#isCut = false
    to.push(this.#state)
    this.#become(state)
    return true
  }

  #become(state: State): void {
    this.#state = state
    this.#options.onChange?.(state.value)
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\r\n|[\r\n\u2028\u2029]/g, ' ')
}

function hidden(cells: readonly Cell[]): readonly Cell[] {
  return cells.map(({ index, length }) => ({ index, length, text: '•', width: 1, symbol: false }))
}

/** Which cell is the first to be seen, so that the caret is, and no more moves than must. */
function firstSeen(
  cells: readonly Cell[],
  { caret, first, width }: { readonly caret: number; readonly first: number; readonly width: number },
): number {
  const least = firstBefore(cells, caret, width)
  // After a long text was cleared, a short one is seen from its beginning.
  const most = firstBefore(cells, cells.length, width)
  return Math.min(most, Math.max(caret < first ? caret - 1 : first, least))
}

/** The first cell that is seen where a caret stands in the last column. */
function firstBefore(cells: readonly Cell[], caret: number, width: number): number {
  // The caret takes a column behind the text, too.
  let from = caret
  let columns = cells[caret]?.width ?? 1
  for (; from > 0; from--) {
    columns += cells[from - 1]?.width ?? 0
    if (columns > width) break
  }
  return from
}
