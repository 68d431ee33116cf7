import { chordText, type Input } from '../../canvas/input.ts'
import type { Hint, Pane, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { lineText } from '../../canvas/width.ts'
import { chordIn, paragraphs, widthFor, type Content, type DialogBox } from './box.ts'

/** Lines that scroll. */
export class LinesPane implements Pane {
  readonly #lines: (width: number) => readonly Line[]
  #top = 0
  #height = 1
  #total = 0

  /** @param lines the lines for a width; cheap, as they are asked for on every repaint */
  constructor(lines: (width: number) => readonly Line[]) {
    this.#lines = lines
  }

  /** Rows that all of it takes. */
  rows(width: number): number {
    return this.#lines(width).length
  }

  draw({ width, height }: Size): readonly Line[] {
    const lines = this.#lines(width)
    this.#height = height
    this.#total = lines.length
    this.#scroll(0)
    return lines.slice(this.#top, this.#top + height)
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') {
      if (!input.mouse.action.startsWith('wheel')) return false
      this.#scroll(input.mouse.action === 'wheelUp' ? -3 : 3)
      return true
    }
    const chord = chordIn(input) ?? ''
    const steps: Readonly<Record<string, number>> = {
      up: -1,
      down: 1,
      pageup: -this.#height,
      pagedown: this.#height,
      space: this.#height,
      home: -this.#total,
      end: this.#total,
    }
    const step = steps[chord]
    if (step !== undefined) this.#scroll(step)
    return step !== undefined
  }

  spoken(): string {
    return this.#lines(1000).map(lineText).join(' ')
  }

  #scroll(step: number): void {
    this.#top = Math.max(0, Math.min(this.#top + step, this.#total - this.#height))
  }
}

/** Something to be read. */
export class ReaderBox implements DialogBox {
  readonly title: string
  readonly width: number
  hints: readonly Hint[] = []
  readonly focused: Pane
  readonly #close: () => void
  readonly #isText: boolean

  constructor({ title, body }: { readonly title: string; readonly body: readonly string[] | Pane }, close: () => void) {
    this.title = title
    this.#close = close
    this.#isText = isParagraphs(body)
    this.focused = isParagraphs(body) ? new LinesPane((width) => paragraphs(body, width)) : body
    this.width = isParagraphs(body) ? widthFor(body, 72) : 100
  }

  content(width: number, height: number): Content {
    // Counted, not drawn: drawn higher than it is, it would be scrolled back.
    const total = this.focused instanceof LinesPane ? this.focused.rows(width) : height
    const rows = Math.max(1, Math.min(this.#isText ? total : height, height))
    const isLonger = this.focused instanceof LinesPane && total > rows
    this.hints = [...(isLonger ? [{ chord: 'down', word: 'more' }] : []), { chord: 'escape', word: 'close' }]
    return { lines: Array.from({ length: rows }, () => []), slots: [{ pane: this.focused, row: 0, height: rows }] }
  }

  input(input: Input): void {
    const chord = chordIn(input)
    if (chord === 'escape' || (chord === 'enter' && !this.focused.input(input))) this.#close()
    else if (chord !== 'enter') this.focused.input(input)
  }

  spoken(): string {
    return `${this.title}. ${this.focused.spoken()} ${chordText('escape')}: close.`
  }

  stands(): readonly string[] {
    // All of these was read when they were opened.
    return this.focused instanceof LinesPane ? [] : [this.focused.spoken()]
  }
}

function isParagraphs(body: readonly string[] | Pane): body is readonly string[] {
  return Array.isArray(body)
}
