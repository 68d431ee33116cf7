import type { Output } from '../output.ts'
import { widthOf } from '../tui/canvas/width.ts'

type Kind = 'text' | 'heading' | 'fence' | 'verbatim'

/**
 * Markdown that comes bit by bit, for people: words are wrapped, and headings, bold, code and lists are styled where
 * there are colours. A program that reads it gets it as it is.
 */
export class Prose {
  readonly #output: Output
  readonly #columns: number | undefined
  readonly #styled: boolean
  #word = ''
  /** White space before the word. */
  #gap = ''
  #column = 0
  /** Of lines that a wrapped one goes on in. */
  #indent = ''
  #atStart = true
  #kind: Kind = 'text'
  #inFence = false
  #bold = false
  #code = false

  constructor(output: Output) {
    this.#output = output
    this.#columns = output.environment.columns
    this.#styled = this.#columns !== undefined && output.environment.color
  }

  add(text: string): void {
    for (const character of text.replaceAll('\r\n', '\n')) {
      if (character === '\n') this.#endLine()
      else if (character === ' ' || character === '\t') {
        if (this.#word !== '') this.#flush()
        this.#gap += character
      } else this.#word += character
    }
  }

  /** Ends the line that has begun, if one has. */
  settle(): void {
    if (this.#word !== '') this.#flush()
    this.#gap = ''
    if (this.#column > 0) this.#endLine()
  }

  #endLine(): void {
    if (this.#word !== '') this.#flush()
    this.#gap = ''
    this.#output.write('\n')
    this.#column = 0
    this.#indent = ''
    this.#atStart = true
    this.#kind = 'text'
    this.#bold = false
    this.#code = false
  }

  /** Writes the word that has come to its end. */
  #flush(): void {
    const word = this.#word
    this.#word = ''
    if (this.#atStart) this.#begin(word)
    else this.#go(word, this.#gap)
    this.#gap = ''
  }

  /** The first word of a line says what the line is. */
  #begin(word: string): void {
    this.#atStart = false
    const isFence = /^(?:```|~~~)/.test(word)
    if (isFence) this.#inFence = !this.#inFence
    this.#kind = isFence ? 'fence' : this.#inFence || word.startsWith('|') ? 'verbatim' : 'text'
    if (this.#kind === 'text' && /^#{1,6}$/.test(word)) this.#kind = 'heading'
    const isItem = this.#kind === 'text' && /^(?:[-*+]|\d{1,3}[.)]|>)$/.test(word)
    this.#indent = this.#gap + ' '.repeat(isItem ? word.length + 1 : 0)
    this.#go(this.#styled && /^[-*+]$/.test(word) && isItem ? '•' : word, this.#gap)
  }

  #go(word: string, gap: string): void {
    const width = widthOf(this.#styled ? word.replaceAll(/\*\*|`+/g, '') : word)
    const wraps = this.#columns !== undefined && (this.#kind === 'text' || this.#kind === 'heading')
    let before = gap
    if (wraps && this.#column > this.#indent.length && this.#column + gap.length + width >= (this.#columns ?? 0)) {
      this.#output.write('\n')
      this.#column = 0
      before = this.#indent
    }
    this.#output.write(before + this.#paint(word))
    this.#column += before.length + width
  }

  #paint(word: string): string {
    if (!this.#styled) return word
    const { paint } = this
    if (this.#kind === 'fence') return paint('dim', word)
    if (this.#kind === 'verbatim') return this.#inFence ? paint('cyan', word) : word
    if (this.#kind === 'heading') return /^#+$/.test(word) ? paint('dim', word) : paint('bold', word)
    return this.#inline(word)
  }

  /** Bold and code may begin in one word and end in another. */
  #inline(word: string): string {
    const { paint } = this
    let text = ''
    for (const part of word.split(/(\*\*|`+)/)) {
      if (part === '**' && !this.#code) this.#bold = !this.#bold
      else if (part.startsWith('`')) this.#code = !this.#code
      else if (this.#code) text += paint('cyan', part)
      else text += this.#bold ? paint('bold', part) : part
    }
    return text
  }

  readonly paint: Output['paint'] = (style, text) => this.#output.paint(style, text)
}
