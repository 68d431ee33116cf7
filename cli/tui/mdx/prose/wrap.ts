import type { Line, Span, Style } from '../../canvas/style.ts'
import { graphemesOf, graphemeWidth, shown, widthOf } from '../../canvas/width.ts'
import type { Row } from './row.ts'

/** A piece of a running text. `\n` in it is a line of the source; `break` ends the line that is shown. */
export interface Piece {
  readonly text: string
  readonly style: Style | undefined
  /** Line of the source that it begins on. */
  readonly source: number
  readonly break?: true
}

/** Pieces of one style that no line may be broken in. */
interface Word {
  spans: Span[]
  width: number
  source: number
}

const space = /([ \t\n\r]+)/
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]/

/** A running text in rows of at most this width: broken at spaces, between wide characters, and in words that are longer. */
export function wrapped(pieces: readonly Piece[], width: number): Row[] {
  const flow = new Flow(Math.max(1, width))
  for (const piece of pieces) flow.add(piece)
  return flow.end()
}

class Flow {
  readonly #width: number
  readonly #rows: Row[] = []
  #line: Span[] = []
  #column = 0
  #source = 0
  #word: Word = { spans: [], width: 0, source: 0 }
  #gap: Style | undefined
  #hasGap = false

  constructor(width: number) {
    this.#width = width
  }

  add(piece: Piece): void {
    if (piece.break === true) return this.#break(piece.source)
    let source = piece.source
    for (const part of piece.text.split(space)) {
      if (part === '') continue
      if (/^[ \t\n\r]/.test(part)) {
        this.#settle()
        this.#hasGap = true
        this.#gap = piece.style
        for (const character of part) if (character === '\n') source++
      } else this.#addText(shown(part), piece.style, source)
    }
  }

  end(): Row[] {
    this.#settle()
    if (this.#line.length > 0) this.#push()
    return this.#rows
  }

  #addText(text: string, style: Style | undefined, source: number): void {
    if (this.#word.spans.length === 0) this.#word.source = source
    if (!wide.test(text)) return this.#extend(text, widthOf(text), style)
    for (const grapheme of graphemesOf(text)) {
      const isWide = wide.test(grapheme)
      if (isWide) this.#settle()
      if (this.#word.spans.length === 0) this.#word.source = source
      this.#extend(grapheme, graphemeWidth(grapheme), style)
    }
  }

  #extend(text: string, width: number, style: Style | undefined): void {
    append(this.#word.spans, text, style)
    this.#word.width += width
  }

  /** Puts the word that has come to its end into the line. */
  #settle(): void {
    const word = this.#word
    if (word.spans.length === 0) return
    this.#word = { spans: [], width: 0, source: 0 }
    const gap = this.#hasGap && this.#column > 0 ? 1 : 0
    if (this.#column > 0 && this.#column + gap + word.width > this.#width) this.#push()
    else if (gap > 0) {
      append(this.#line, ' ', this.#gap)
      this.#column += 1
    }
    this.#hasGap = false
    if (this.#line.length === 0) this.#source = word.source
    if (word.width <= this.#width - this.#column) {
      for (const { text, style } of word.spans) append(this.#line, text, style)
      this.#column += word.width
    } else this.#cut(word)
  }

  #cut(word: Word): void {
    for (const { text, style } of word.spans) {
      for (const grapheme of graphemesOf(text)) {
        const width = graphemeWidth(grapheme)
        if (this.#column > 0 && this.#column + width > this.#width) {
          this.#push()
          this.#source = word.source
        }
        append(this.#line, grapheme, style)
        this.#column += width
      }
    }
  }

  #break(source: number): void {
    this.#settle()
    if (this.#line.length === 0) this.#source = source
    this.#push()
    this.#hasGap = false
  }

  #push(): void {
    this.#rows.push({ line: this.#line, source: this.#source })
    this.#line = []
    this.#column = 0
  }
}

function append(line: Span[], text: string, style: Style | undefined): void {
  const last = line.at(-1)
  if (last !== undefined && last.style === style) line[line.length - 1] = { ...last, text: last.text + text }
  else line.push(style === undefined ? { text } : { text, style })
}

/** A line of code in rows: as it is, broken where the width ends. */
export function hardWrapped(line: Line, width: number): Line[] {
  const rows: Span[][] = [[]]
  let column = 0
  for (const { text, style } of line) {
    if (column + widthOf(text) <= width) {
      append(rows.at(-1) ?? [], text, style)
      column += widthOf(text)
      continue
    }
    for (const grapheme of graphemesOf(text)) {
      const own = graphemeWidth(grapheme)
      if (column > 0 && column + own > width) {
        rows.push([])
        column = 0
      }
      append(rows.at(-1) ?? [], grapheme, style)
      column += own
    }
  }
  return rows
}
