import { codeSpan } from './text.ts'

/** UTF-16 units of a page’s Markdown; what comes after is left out, with a line that says so. */
const longest = 2 * 1024 * 1024
const leftOut = '(The rest of this page is left out: it is too long.)'

/** A list item or a quote: what stands before its first line, and before the others together with what is around it. */
interface Container {
  readonly first: string
  readonly rest: string
  /** There is an empty line in it: the next one stands after another. */
  isLong: boolean
}

/** Something around words, such as `**`: written before the first of them, and closed after the last. */
export interface Mark {
  readonly open: string
  readonly close: string
  state: 'waiting' | 'written' | 'done'
}

/** What would begin a block of Markdown, though it is text. */
const blockStart = /^(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|={3,}\s*$|-{3,}|~{3})/gm
const numberStart = /^(\d{1,9})([.)])(?=\s|$)/gm
/** Marks of Markdown within text; `_` and `*` between blanks are none, and neither is `_` within a word. */
const inlineMark =
  /\\(?=[!-/:-@[-`{-~])|`|\*(?!\s)|(?<=\S)\*|(?<![\p{L}\p{N}])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}])|<(?=[A-Za-z/!?])|&(?=#?\w{1,31};)|(?<=\])\(|\[(?=\^)|~(?=~)/gu
const special = /[\\`*_<&[~]/

function escapeText(text: string): string {
  return special.test(text) ? text.replace(inlineMark, (mark) => `\\${mark}`) : text
}

/** Writes Markdown block by block, in lists and quotes in each other. Linear in what it writes, and bounded. */
export class MarkdownWriter {
  #out = ''
  /** The block that is being written, in pieces; breaks within it are `\n`. */
  #line: string[] = []
  #length = 0
  /** Blanks came, and are written before the next word. */
  #hasSpace = false
  /** Line breaks before the next block: 2 leave an empty line. */
  #gap = 0
  /** At most so many, up to the next block. */
  #mostGap = 2
  /** Before the next words, if they are a paragraph: they go on in the same line. */
  #join: string | undefined
  readonly #containers: Container[] = []
  /** How many of them have a line: the outer ones. */
  #begun = 0
  #marks: Mark[] = []
  /** Lines around a cell of a table, from the outside in. */
  readonly #around: string[][] = []

  get isFull(): boolean {
    return this.#out.length + this.#length > longest
  }

  get #isInCell(): boolean {
    return this.#around.length > 0
  }

  /** Words, with blanks as a browser shows them. */
  text(text: string): void {
    const words = text.trim()
    if (words === '') {
      this.#hasSpace ||= text !== ''
      return
    }
    if (/^\s/.test(text)) this.#hasSpace = true
    this.write(escapeText(words.replaceAll(/\s+/g, ' ')))
    this.#hasSpace = /\s$/.test(text)
  }

  /** A blank before what comes next. */
  space(): void {
    this.#hasSpace = true
  }

  /** Markdown that brings its own blanks. */
  tight(markdown: string): void {
    this.#hasSpace = false
    this.write(markdown)
  }

  /** Markdown within a block. */
  write(markdown: string): void {
    if (this.#join !== undefined) this.#add(this.#join)
    else if (this.#hasSpace && this.#line.length > 0 && this.#line.at(-1) !== '\\\n') this.#add(' ')
    this.#join = undefined
    this.#hasSpace = false
    for (const mark of this.#marks) {
      if (mark.state !== 'waiting') continue
      this.#add(mark.open)
      mark.state = 'written'
    }
    this.#add(markdown)
  }

  #add(piece: string): void {
    this.#line.push(piece)
    this.#length += piece.length
  }

  /** Begins what stands around words. Undefined where the same does already. */
  open(open: string, close: string): Mark | undefined {
    if (this.#marks.some((mark) => mark.state !== 'done' && mark.open === open)) return undefined
    const mark: Mark = { open, close, state: 'waiting' }
    this.#marks.push(mark)
    return mark
  }

  close(mark: Mark | undefined): void {
    if (mark === undefined) return
    this.#end(mark)
    this.#marks = this.#marks.filter((other) => other !== mark)
  }

  /** Gives up what was opened, where no word has come yet. */
  drop(open: string): void {
    for (const mark of this.#marks) if (mark.open === open && mark.state === 'waiting') mark.state = 'done'
  }

  #end(mark: Mark): void {
    if (mark.state === 'written') this.#add(mark.close)
    mark.state = 'done'
  }

  /** Ends whatever stands around the words. */
  endMarks(): void {
    for (const mark of this.#marks.toReversed()) this.#end(mark)
    this.#marks = []
  }

  break(): void {
    this.#hasSpace = false
    if (this.#line.length > 0) this.#add(this.#isInCell ? '<br>' : '\\\n')
  }

  /** The next words are a paragraph of their own, or go on behind what `join` has said. */
  paragraph(): void {
    if (this.#join === undefined) this.block()
  }

  /** The next words begin a block. @param gap line breaks before it */
  block(gap = 2): void {
    this.#join = undefined
    this.endMarks()
    if (this.#isInCell) {
      if (this.#line.length > 0 && this.#line.at(-1) !== '<br>') this.#add('<br>')
      this.#hasSpace = false
      return
    }
    this.#flush((line) => line.replace(blockStart, '\\$&').replace(numberStart, '$1\\$2'))
    this.#gap = Math.min(Math.max(this.#gap, gap), this.#mostGap)
  }

  /** The next paragraph goes on in the line that is being written. */
  join(separator: string): void {
    if (!this.#isInCell && this.#line.length > 0) this.#join = separator
  }

  /** What was written since the last block is a heading. */
  heading(level: number): void {
    this.endMarks()
    if (!this.#isInCell) this.#flush((line) => `${'#'.repeat(level)} ${line.replaceAll(/\\?\n/g, ' ')}`)
    this.block()
  }

  /** Lines as they are, as one block. */
  lines(text: string): void {
    this.block()
    if (this.#isInCell) return this.write(codeSpan(text.replaceAll('\n', ' ')))
    for (const line of text.split('\n')) {
      if (this.isFull) break
      this.#put(line)
      this.#gap = 1
    }
    this.block()
  }

  /** Begins a list item or a quote. */
  enter(first: string, rest: string, gap: number): void {
    this.block(gap)
    this.#containers.push({ first, rest: (this.#containers.at(-1)?.rest ?? '') + rest, isLong: false })
    this.#mostGap = this.#gap
  }

  /** Ends it. An item without content is a line, too. */
  leave(): void {
    this.block(1)
    if (this.#begun < this.#containers.length && !this.#isInCell) this.#put('')
    const container = this.#containers.pop()
    this.#begun = Math.min(this.#begun, this.#containers.length)
    this.#gap = container?.isLong === true ? 2 : 1
  }

  /** What follows stands right under what was written. */
  keepTogether(): void {
    this.block(1)
    this.#gap = 1
    this.#mostGap = 1
  }

  enterCell(): void {
    if (!this.#isInCell) this.block()
    this.#around.push(this.#line)
    this.#line = []
    this.#hasSpace = false
  }

  /** What the cell holds. */
  leaveCell(): string {
    this.endMarks()
    while (this.#line.at(-1) === '<br>') this.#line.pop()
    const cell = this.#line.join('')
    this.#line = this.#around.pop() ?? []
    this.#hasSpace = false
    return cell
  }

  finish(): string {
    while (this.#around.length > 0) this.leaveCell()
    this.block()
    const isWhole = this.#out.length <= longest
    return isWhole ? `${this.#out.trim()}\n` : `${this.#out.slice(0, longest).toWellFormed()}\n\n${leftOut}\n`
  }

  #flush(shape: (line: string) => string): void {
    if (this.#line.length === 0) return
    if (this.#line.at(-1) === '\\\n') this.#line.pop()
    const line = this.#line.join('')
    this.#line = []
    this.#length = 0
    this.#hasSpace = false
    for (const part of shape(line).split('\n')) {
      this.#put(part)
      this.#gap = 1
    }
  }

  /** A line, after as many line breaks as were asked for. */
  #put(line: string): void {
    if (this.isFull) return
    const around = this.#containers[this.#begun - 1]
    if (around !== undefined && this.#begun === this.#containers.length) around.isLong ||= this.#gap > 1
    let before = around?.rest ?? ''
    if (this.#out !== '') for (let at = 1; at <= this.#gap; at++) this.#out += at === 1 ? '\n' : `${before.trimEnd()}\n`
    for (; this.#begun < this.#containers.length; this.#begun++) before += this.#containers[this.#begun]?.first ?? ''
    this.#out += line === '' ? before.trimEnd() : before + line
    this.#gap = 0
    this.#mostGap = 2
  }
}
