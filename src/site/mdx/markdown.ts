import { childrenOf, type Comment, type Node, type Root } from './nodes.ts'

/** A part of the source that the page’s Markdown does not have. */
export interface LeftOut {
  /** UTF-16 offsets. */
  readonly start: number
  readonly end: number
  /** Block quotes around it: so many `>` may stand before it on its line. */
  readonly quotes: number
  /** Its line separates two blocks, and stays as an empty one. */
  readonly separates?: boolean
  /** What follows it in its list item must not stand after an empty line, or the item would end before. */
  readonly opensItem?: boolean
}

interface Place {
  readonly node: Node
  readonly parent: Node
  readonly index: number
  readonly quotes: number
}

/** What a paragraph’s text could go on after a line that is gone. */
const continuable = new Set(['p', 'ul', 'ol', 'blockquote'])
const containers = new Set(['li', 'blockquote'])
/** Lists and quotes move what stands in them to the right by less. */
const drift = 1024
/** How many `<!--` are looked at for one comment: more than stand in `drift` by mere chance. */
const attempts = 64

/** Where the comments of HTML stand, and what else is left out. In order. */
export function partsToLeaveOut(tree: Root, text: string, isLeftOut: (node: Node) => boolean): LeftOut[] {
  const parts: LeftOut[] = []
  const stack: Place[] = [{ node: tree, parent: tree, index: 0, quotes: 0 }]
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { node } = place
    const range =
      node.type === 'comment' ? rangeOfComment(node, text) : isLeftOut(node) ? rangeOf(node, text) : undefined
    if (range !== undefined) parts.push({ ...range, ...surroundings(place) })
    const quotes = place.quotes + (node.type === 'element' && node.tagName === 'blockquote' ? 1 : 0)
    for (const [index, child] of childrenOf(node).entries()) stack.push({ node: child, parent: node, index, quotes })
  }
  return parts.toSorted((one, other) => one.start - other.start)
}

type Range = Pick<LeftOut, 'start' | 'end'>

/** Without the line break at its end, which is not its own. */
function rangeOf({ position }: Node, text: string): Range | undefined {
  const start = position?.start?.offset
  const last = position?.end?.offset
  if (start === undefined || last === undefined) return undefined
  return { start, end: start + text.slice(start, last).trimEnd().length }
}

/**
 * Raw HTML is parsed without the markers of the lists and quotes around it: on later lines, a comment begins further
 * right than its position says, and ends elsewhere. So its own text says where it really stands.
 */
function rangeOfComment({ position, value = '' }: Comment, text: string): Range | undefined {
  const offset = position?.start?.offset
  if (offset === undefined) return undefined
  const near = text.slice(offset, offset + drift)
  let at = near.indexOf('<!--')
  for (let attempt = 0; attempt < attempts && at !== -1; attempt++) {
    const end = endOfComment(text, offset + at + 4, value)
    if (end !== undefined) return { start: offset + at, end }
    at = near.indexOf('<!--', at + 1)
  }
  return undefined
}

/** The end of a comment whose text begins here, if it is this text, on each line but the first after any markers. */
function endOfComment(text: string, from: number, value: string): number | undefined {
  const [first = '', ...others] = value.split('\n')
  if (!text.startsWith(first, from)) return undefined
  let at = from + first.length
  for (const [index, line] of others.entries()) {
    const begin = afterLineBreak(text, at)
    if (begin === undefined) return undefined
    const rest = text.slice(begin, begin + line.length + drift)
    const length = rest.search(index === others.length - 1 ? /--!?>/ : /[\r\n]/)
    const shown = line.trimStart()
    if (length === -1 || !rest.slice(0, length).endsWith(shown)) return undefined
    if (!/^[\s>]*$/.test(rest.slice(0, length - shown.length))) return undefined
    at = begin + length
  }
  const closer = (value === '' ? /^(?:--!?|-)?>/ : /^--!?>/).exec(text.slice(at, at + 4))
  return closer === null ? undefined : at + closer[0].length
}

function afterLineBreak(text: string, at: number): number | undefined {
  if (text.startsWith('\r\n', at)) return at + 2
  return text[at] === '\n' || text[at] === '\r' ? at + 1 : undefined
}

function surroundings({ node, parent, index, quotes }: Place): Omit<LeftOut, 'start' | 'end'> {
  const inItem = parent.type === 'element' && parent.tagName === 'li'
  if (!inItem && node.type !== 'comment') return { quotes }
  const siblings = childrenOf(parent)
  const before = nearest(siblings, index, -1)
  const inContainer = parent.type === 'root' || (parent.type === 'element' && containers.has(parent.tagName))
  const separates =
    node.type === 'comment' && inContainer && before?.type === 'element' && continuable.has(before.tagName)
  return { quotes, separates, opensItem: inItem && before === undefined && nearest(siblings, index, 1) !== undefined }
}

/** The next sibling that is more than the blanks between blocks. */
function nearest(siblings: readonly Node[], index: number, step: 1 | -1): Node | undefined {
  for (let at = index + step; ; at += step) {
    const sibling = siblings[at]
    if (sibling?.type !== 'text' || sibling.value.trim() !== '') return sibling
  }
}

/**
 * Text of a page as machines read it: from `from` on, without these parts, which are in order. Where only they stood on
 * a line, it goes whole, and after an empty line so do those that follow. Linear in the text.
 */
export function withoutParts(text: string, from: number, parts: readonly LeftOut[]): string {
  const lines = new Lines(text, from)
  const kept: string[] = []
  let at = from
  for (const group of grouped(text, parts)) {
    if (group.end <= at) continue
    const { start, end } = lines.without(group)
    kept.push(text.slice(at, Math.max(at, start)))
    at = Math.max(at, end)
  }
  return `${kept.join('')}${text.slice(at)}`.trim() + '\n'
}

/** Parts with nothing but blanks between them on a line are left out together. */
function* grouped(text: string, parts: readonly LeftOut[]): Generator<LeftOut> {
  let group: LeftOut | undefined
  for (const part of parts) {
    if (group !== undefined && part.start < group.end) {
      group = { ...group, end: Math.max(group.end, part.end) }
    } else if (group !== undefined && afterBlanks(text, group.end) === part.start) {
      group = { ...group, end: part.end }
    } else {
      if (group !== undefined) yield group
      group = part
    }
  }
  if (group !== undefined) yield group
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text[at])) at++
  return at
}

/** Removes parts from first to last, and remembers what stands before a line when those before it are gone. */
class Lines {
  readonly #text: string
  readonly #from: number
  /** Where the last line ended that went whole, and the line before what is gone with it. */
  #gone: { readonly end: number; readonly before: number | undefined } | undefined

  constructor(text: string, from: number) {
    this.#text = text
    this.#from = from
  }

  without(part: LeftOut): Range {
    const start = this.#startOfLine(part.start, part.quotes)
    const end = this.#endOfLine(part.end)
    if (end === undefined) return part
    if (start === undefined) {
      if (part.opensItem !== true) return part
      const next = this.#emptyLines(end, part.quotes)
      return { start: part.start, end: this.#text[next - 2] === '\r' ? next - 2 : next - 1 }
    }
    const before = this.#gone?.end === start ? this.#gone.before : this.#emptyBefore(start, part.quotes)
    if (before === undefined) {
      const next = this.#emptyAt(end, part.quotes)
      if (part.separates === true && next === undefined && end < this.#text.length) return part
    }
    const range = before === undefined ? { start, end } : { start, end: this.#emptyLines(end, part.quotes, before) }
    this.#gone = { end: range.end, before }
    return range
  }

  /** Where the line begins, if before this there are only blanks and markers of quotes. */
  #startOfLine(from: number, quotes: number): number | undefined {
    let left = quotes
    for (let at = from; ; at--) {
      const character = this.#text[at - 1]
      if (at <= this.#from || character === '\n') return at
      if (character === '>') left--
      if (left < 0 || (character !== '>' && !isBlank(character))) return undefined
    }
  }

  /** Where the next line begins, if after this there are only blanks. */
  #endOfLine(from: number): number | undefined {
    const blanks = afterBlanks(this.#text, from)
    const at = this.#text.startsWith('\r\n', blanks) ? blanks + 1 : blanks
    if (at >= this.#text.length) return at
    return this.#text[at] === '\n' ? at + 1 : undefined
  }

  /** How many quotes the line before has, if it is empty. What stands before the page’s first line counts as empty. */
  #emptyBefore(start: number, quotes: number): number | undefined {
    if (start <= this.#from) return 0
    const end = this.#text[start - 2] === '\r' ? start - 2 : start - 1
    const begin = this.#startOfLine(end, quotes)
    return begin === undefined ? undefined : this.#emptyAt(begin, quotes)?.quotes
  }

  /** The line that begins here, if it is empty: its quotes, and where the next one begins. */
  #emptyAt(from: number, quotes: number): { readonly quotes: number; readonly end: number } | undefined {
    if (from >= this.#text.length) return undefined
    let count = 0
    let at = from
    for (; isBlank(this.#text[at]) || (this.#text[at] === '>' && count < quotes); at++) {
      if (this.#text[at] === '>') count++
    }
    const end = this.#endOfLine(at)
    return end === undefined ? undefined : { quotes: count, end }
  }

  /** Where the empty lines end that begin here, of as many quotes as told. */
  #emptyLines(from: number, quotes: number, count?: number): number {
    let at = from
    for (let line = this.#emptyAt(at, quotes); line !== undefined; line = this.#emptyAt(at, quotes)) {
      if (count !== undefined && line.quotes !== count) break
      at = line.end
    }
    return at
  }
}
