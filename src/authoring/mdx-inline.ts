import { bold, italic, strikethrough, underline, type Paint } from './painting.ts'
import { comment, flow, type Format, type MdxState } from './mdx-state.ts'
import { tokenizeExpression, tokenizeTag } from './mdx-tags.ts'

const special = /[\\`*_~<{[!$]|https?:\/\//g
const label = /!?\[(?:[^[\]\\]|\\.){0,1000}\]/y
const target = /\((?:[^()\s\\]|\\.|\([^()\s]{0,200}\)){0,2000}(?:\s+(?:"[^"]{0,500}"|'[^']{0,500}'))?\s{0,20}\)/y
const address = /https?:\/\/[^\s<>"'`)\]}]{1,2000}/y
const autolink = /<(?:https?:\/\/|mailto:)[^\s<>]{1,2000}>/y
const formula = /\$(?=[^\s$])(?:[^$\\]|\\.){0,1000}\$(?!\d)/y
/** Marks that are open at once; more is no prose. */
const mostOpen = 64

interface Mark {
  readonly character: string
  readonly from: number
  length: number
}

/** What stands in a line of text, from a column on. Linear, but for bounded looks ahead. */
export class InlineTokens {
  readonly #text: string
  readonly #format: Format
  readonly #paint: Paint
  readonly #open: Mark[] = []
  /** Lengths of runs of backticks that nothing closes further right. */
  readonly #lonely = new Set<number>()
  #ends: MdxState = flow

  constructor(text: string, format: Format, paint: Paint) {
    this.#text = text
    this.#format = format
    this.#paint = paint
  }

  /** @returns the state in which the next line begins */
  read(from: number): MdxState {
    let at = from
    while (at < this.#text.length) {
      special.lastIndex = at
      const match = special.exec(this.#text)
      if (match === null) break
      at = this.#one(match.index, match[0])
    }
    return this.#ends
  }

  /** Reads what begins here; answers where to go on. */
  #one(at: number, character: string): number {
    if (character === '\\') {
      this.#paint.color(at, at + 1, 'punctuation')
      return at + 2
    }
    if (character === '`') return this.#code(at)
    if (character === '*' || character === '_' || character === '~') return this.#emphasis(at, character)
    if (character === '<') return this.#angle(at)
    if (character === '{') return this.#format === 'mdx' ? this.#expression(at) : at + 1
    if (character === '[' || character === '!') return this.#link(at)
    if (character === '$') return this.#whole(formula, at, 'code')
    return this.#whole(address, at, 'link')
  }

  #whole(pattern: RegExp, at: number, color: 'code' | 'link'): number {
    pattern.lastIndex = at
    const [found] = pattern.exec(this.#text) ?? []
    if (found === undefined) return at + 1
    this.#paint.color(at, at + found.length, color)
    if (color === 'link') this.#paint.mark(at, at + found.length, underline)
    return at + found.length
  }

  #code(at: number): number {
    const text = this.#text
    let length = 1
    while (text[at + length] === '`') length++
    if (this.#lonely.has(length)) return at + length
    for (let from = at + length; ;) {
      const begin = text.indexOf('`', from)
      if (begin === -1) break
      let end = begin + 1
      while (text[end] === '`') end++
      if (end - begin === length) {
        this.#paint.color(at, end, 'code')
        return end
      }
      from = end
    }
    this.#lonely.add(length)
    return at + length
  }

  #emphasis(at: number, character: string): number {
    const text = this.#text
    let end = at + 1
    while (text[end] === character) end++
    const before = text[at - 1] ?? ' '
    const after = text[end] ?? ' '
    const isWord = (one: string): boolean => /[\p{L}\p{N}]/u.test(one)
    const closes = !/\s/.test(before) && !(character === '_' && isWord(after))
    const opens = !/\s/.test(after) && !(character === '_' && isWord(before))
    let left = end - at
    if (closes) left = this.#close(character, at, left)
    if (opens && left > 0 && this.#open.length < mostOpen)
      this.#open.push({ character, from: end - left, length: left })
    return end
  }

  /** Closes marks of this kind with a run of them; answers how much of the run is left. */
  #close(character: string, at: number, run: number): number {
    let left = run
    while (left > 0) {
      const index = this.#open.findLastIndex((mark) => mark.character === character)
      const mark = this.#open[index]
      if (mark === undefined) return left
      const length = Math.min(mark.length, left, character === '~' ? 2 : 3)
      const end = at + run - left + length
      const begin = mark.from + mark.length - length
      const marks = character === '~' ? strikethrough : (length & 1 ? italic : 0) | (length > 1 ? bold : 0)
      this.#paint.mark(begin, end, marks)
      this.#paint.color(begin, begin + length, 'punctuation')
      this.#paint.color(end - length, end, 'punctuation')
      left -= length
      mark.length -= length
      // What was opened inside and not closed is text.
      this.#open.length = mark.length > 0 ? index + 1 : index
    }
    return 0
  }

  #angle(at: number): number {
    const text = this.#text
    if (text.startsWith('<!--', at)) {
      const close = text.indexOf('-->', at + 4)
      this.#paint.color(at, close === -1 ? text.length : close + 3, 'comment')
      if (close === -1) this.#ends = comment
      return close === -1 ? text.length : close + 3
    }
    autolink.lastIndex = at
    if (autolink.test(text)) return this.#whole(autolink, at, 'link')
    const ended = tokenizeTag(text, at, this.#paint)
    if (ended === undefined) return at + 1
    this.#ends = ended.state ?? this.#ends
    return ended.at
  }

  #expression(at: number): number {
    const ended = tokenizeExpression(this.#text, { from: at + 1, depth: 1, code: 0, inTag: false }, this.#paint)
    this.#paint.color(at, at + 1, 'punctuation')
    this.#ends = ended.state ?? this.#ends
    return ended.at
  }

  #link(at: number): number {
    label.lastIndex = at
    const [text] = label.exec(this.#text) ?? []
    if (text === undefined) return at + 1
    const begin = at + text.indexOf('[') + 1
    const close = at + text.length
    if (text.startsWith('[^')) {
      this.#paint.color(at, close, 'link')
      return close
    }
    const isTarget = this.#text[close] === '('
    if (isTarget) target.lastIndex = close
    const [to] = (isTarget ? target.exec(this.#text) : undefined) ?? []
    const reference = this.#text[close] === '[' ? /^\[[^[\]]{0,200}\]/.exec(this.#text.slice(close, close + 202)) : null
    const rest = to ?? reference?.[0]
    if (rest === undefined) return at + 1
    this.#paint.color(at, close + rest.length, 'punctuation')
    this.#paint.color(begin, close - 1, 'link')
    this.#paint.mark(begin, close - 1, underline)
    this.#paint.color(close + 1, close + rest.length - 1, 'string')
    return close + rest.length
  }
}
