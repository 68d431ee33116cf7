import { span, wrapText } from '../../canvas/lines.ts'
import type { Line, Style } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { wrapped, type Piece } from '../../mdx/prose/wrap.ts'

type Kind = 'text' | 'heading' | 'fence' | 'code'

/** Characters after which a line without an end is taken as ended: it is laid out anew with each word that comes. */
const longestLine = 2_000

interface SourceLine {
  readonly text: string
  readonly kind: Kind
}

const styles: Readonly<Record<Kind, Style | undefined>> = {
  text: undefined,
  heading: { color: 'heading', bold: true },
  fence: { color: 'muted' },
  code: { color: 'code' },
}

/**
 * Markdown that comes bit by bit, as lines: words are wrapped, headings, bold, code and lists styled. What a model wrote
 * is looked at line by line alone, so that it takes no parser to show it, and a new word costs one line.
 */
export class AnswerText {
  readonly #lines: SourceLine[] = []
  #last = ''
  #inFence = false
  #ready: { readonly width: number; readonly count: number; readonly lines: readonly Line[] } | undefined

  constructor(text = '') {
    this.add(text)
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0 && this.#last.trim() === ''
  }

  add(text: string): void {
    const all = (this.#last + text).replaceAll('\r\n', '\n')
    // Models begin with empty lines now and then.
    const lines = (this.#lines.length === 0 ? all.replace(/^\s+/, '') : all).split('\n')
    const pieces = lines.flatMap(piecesOf)
    this.#last = pieces.pop() ?? ''
    for (const line of pieces) this.#lines.push(this.#kindOf(line, true))
  }

  lines(width: number): readonly Line[] {
    const kept = this.#ready?.width === width ? this.#ready : { width, count: 0, lines: [] }
    const lines = [...kept.lines, ...this.#lines.slice(kept.count).flatMap((line) => linesOf(line, width))]
    this.#ready = { width, count: this.#lines.length, lines }
    return this.#last === '' ? lines : [...lines, ...linesOf(this.#kindOf(this.#last, false), width)]
  }

  #kindOf(text: string, isWhole: boolean): SourceLine {
    const isFence = /^\s*(?:```|~~~)/.test(text)
    const kind = isFence ? 'fence' : this.#inFence ? 'code' : /^#{1,6}\s/.test(text) ? 'heading' : 'text'
    if (isFence && isWhole) this.#inFence = !this.#inFence
    return { text, kind }
  }
}

/** Broken behind a space where there is one. */
function piecesOf(line: string): string[] {
  const pieces: string[] = []
  let rest = line
  while (rest.length > longestLine) {
    const space = rest.lastIndexOf(' ', longestLine - 1)
    const end = space > 0 ? space + 1 : longestLine - (isHighSurrogate(rest, longestLine - 1) ? 1 : 0)
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...pieces, rest]
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800
}

function linesOf({ text, kind }: SourceLine, width: number): Line[] {
  const style = styles[kind]
  if (kind !== 'text') {
    const words = kind === 'heading' ? text.replace(/^#+\s+/, '') : text
    return wrapText(shown(words), width).map((piece) => [span(piece, style)])
  }
  const [, indent = '', mark = '', rest = ''] = /^(\s*)((?:[-*+]|\d{1,3}[.)]|>)\s+)?(.*)$/s.exec(text) ?? []
  const first = shown(indent.slice(0, Math.max(0, width >> 1))) + mark.replace(/^[-*+]/, '•')
  const rows = rest === '' ? [{ line: [] }] : wrapped(inline(rest), Math.max(8, width - first.length))
  return rows.map(({ line }, index) => [
    span(index === 0 ? first : ' '.repeat(first.length), { color: 'muted' }),
    ...line,
  ])
}

/** Bold, code and links; anything else is as it was written. */
function inline(text: string): Piece[] {
  const pieces: Piece[] = []
  const add = (part: string, style: Style | undefined): void => void pieces.push({ text: part, style, source: 0 })
  let from = 0
  for (const match of text.matchAll(/\*\*([^*]+)\*\*|`([^`]+)`|\[([^[\]]+)\]\(([^()\s]*)\)/g)) {
    if (match.index > from) add(text.slice(from, match.index), undefined)
    const [whole, bold, code, label = ''] = match
    if (bold !== undefined) add(bold, { bold: true })
    else if (code !== undefined) add(code, { color: 'code' })
    else add(label, { color: 'link', underline: true })
    from = match.index + whole.length
  }
  if (from < text.length) add(text.slice(from), undefined)
  return pieces
}
