import { expressionLanguage } from './code-languages.ts'
import { tokenizeCode } from './code-tokens.ts'
import { inExpression, inTag, type MdxState } from './mdx-state.ts'
import type { Paint } from './painting.ts'

/** Where a tag or an expression ends on its line; with a state, it goes on on the next one. */
export interface Ended {
  readonly at: number
  readonly state?: MdxState
}

const tagStart = /<\/?(?:[A-Za-z][\w.:-]*)?/y
const attributeName = /[A-Za-z_:@][\w.:-]*/y

/** A tag, from its `<`. Undefined where there is none: `a < b`. */
export function tokenizeTag(text: string, at: number, paint: Paint): Ended | undefined {
  tagStart.lastIndex = at
  const [name = ''] = tagStart.exec(text) ?? []
  const end = at + name.length
  const next = text[end]
  const isNamed = /[\w.:-]$/.test(name)
  const isOne = isNamed ? next === undefined || /[\s/>{]/.test(next) : next === '>'
  if (!isOne) return undefined
  paint.color(at, end, 'tag')
  return tokenizeAttributes(text, end, paint)
}

/** The rest of a tag, from inside. */
export function tokenizeAttributes(text: string, from: number, paint: Paint): Ended {
  let at = from
  while (at < text.length) {
    const character = text[at] ?? ''
    if (character === '>') {
      paint.color(at, at + 1, 'tag')
      return { at: at + 1 }
    }
    if (character === '"' || character === "'") {
      const ended = tokenizeQuoted(text, at + 1, character, paint)
      if (ended.state !== undefined) return ended
      at = ended.at
    } else if (character === '{') {
      const ended = tokenizeExpression(text, { from: at + 1, depth: 1, code: 0, inTag: true }, paint)
      paint.color(at, at + 1, 'punctuation')
      if (ended.state !== undefined) return ended
      at = ended.at
    } else {
      attributeName.lastIndex = at
      const [name] = attributeName.exec(text) ?? []
      if (name !== undefined) paint.color(at, at + name.length, 'attribute')
      else if (character === '/') paint.color(at, at + 1, 'tag')
      else if (character === '=') paint.color(at, at + 1, 'punctuation')
      at += name?.length ?? 1
    }
  }
  return { at, state: inTag('') }
}

/** A value, from behind its quote; or from the start of a line on which it goes on. */
export function tokenizeQuoted(text: string, from: number, quote: string, paint: Paint): Ended {
  const close = text.indexOf(quote, from)
  const end = close === -1 ? text.length : close + 1
  paint.color(from === 0 || text[from - 1] !== quote ? from : from - 1, end, 'string')
  return close === -1 ? { at: end, state: inTag(quote) } : { at: end }
}

interface Expression {
  readonly from: number
  readonly depth: number
  readonly code: number
  readonly inTag: boolean
}

/** JavaScript, from behind the brace that opens it. */
export function tokenizeExpression(text: string, expression: Expression, paint: Paint): Ended {
  const { from, depth, code } = expression
  const result = tokenizeCode(text, { from, state: code, language: expressionLanguage, depth }, paint)
  if (result.depth > 0) return { at: text.length, state: inExpression(result.depth, result.state, expression.inTag) }
  paint.color(result.end - 1, result.end, 'punctuation')
  return { at: result.end }
}
