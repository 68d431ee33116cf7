import type { CodeLanguage } from './code-languages.ts'
import type { Paint } from './painting.ts'

/** 0, or one more than the index of the block of the language that is open. */
export type CodeState = number

export interface CodeResult {
  readonly state: CodeState
  /** Braces that are open, where they are counted. */
  readonly depth: number
  /** Behind the brace that closed them all, or the end of the line. */
  readonly end: number
}

export interface CodePart {
  readonly from: number
  readonly state: CodeState
  readonly language: CodeLanguage
  /** Braces that are open: the code ends where the last of them closes. 0: it goes on to the end of the line. */
  readonly depth: number
}

const patterns = new WeakMap<CodeLanguage, RegExp>()

/** Groups: comment, block, quote, tag, variable, word, number, brace. */
function patternOf(language: CodeLanguage): RegExp {
  const known = patterns.get(language)
  if (known !== undefined) return known
  const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
  const group = (items: readonly string[]): string => (items.length === 0 ? '((?!))' : `(${items.join('|')})`)
  const pattern = new RegExp(
    [
      // A `#` or `//` in a word or an address is none.
      group((language.comment ?? []).map((mark) => `(?<![^\\s;{}()\\],])${escape(mark)}`)),
      group((language.blocks ?? []).map(({ open }) => escape(open))),
      group(language.quotes === undefined ? [] : [`[${language.quotes}]`]),
      group(language.tags === undefined ? [] : ['</?[A-Za-z][\\w.:-]*', '/>']),
      group(language.variables === undefined ? [] : ['\\$\\{?[\\w@#?*]+\\}?']),
      '([A-Za-z_$][\\w$-]*)',
      '(\\d[\\w.]*)',
      '([{}])',
    ].join('|'),
    'g',
  )
  patterns.set(language, pattern)
  return pattern
}

/** Colours the code of one line from a column on. Linear in the line. */
export function tokenizeCode(text: string, { from, state, language, depth }: CodePart, paint: Paint): CodeResult {
  let at = from
  let open = depth
  if (state > 0) {
    const block = language.blocks?.[state - 1]
    const close = block === undefined ? from : text.indexOf(block.close, from)
    const end = close === -1 ? text.length : close + (block?.close.length ?? 0)
    if (block !== undefined) paint.color(from, end, block.color)
    if (close === -1) return { state, depth, end }
    at = end
  }
  const key = depth === 0 && at === 0 ? language.key?.exec(text) : undefined
  if (key !== undefined && key !== null) {
    const begin = (key[1] ?? '').length
    at = begin + (key[2] ?? '').length
    paint.color(begin, at, 'attribute')
  }
  const pattern = patternOf(language)
  for (;;) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) return { state: 0, depth: open, end: text.length }
    const [token, comment, block, quote, tag, variable, word, number] = match
    const begin = match.index
    at = begin + token.length
    if (comment !== undefined) {
      paint.color(begin, text.length, 'comment')
      return { state: 0, depth: open, end: text.length }
    }
    if (block !== undefined) {
      const index = language.blocks?.findIndex((candidate) => candidate.open === block) ?? 0
      const close = endOfBlock(text, at, language.blocks?.[index]?.close ?? '')
      paint.color(begin, close ?? text.length, language.blocks?.[index]?.color ?? 'string')
      if (close === undefined) return { state: index + 1, depth: open, end: text.length }
      at = close
    } else if (quote !== undefined) {
      at = endOfString(text, at, quote)
      const isKey = language.quotedKeys === true && /^\s*:/.test(text.slice(at, at + 20))
      paint.color(begin, at, isKey ? 'attribute' : 'string')
    } else if (tag !== undefined) paint.color(begin, at, 'tag')
    else if (variable !== undefined) paint.color(begin, at, 'attribute')
    else if (word !== undefined) {
      if (language.keywords?.has(word) === true) paint.color(begin, at, 'keyword')
      else if (language.tags === true && text[at] === '=') paint.color(begin, at, 'attribute')
    } else if (number !== undefined) paint.color(begin, at, 'code')
    else if (open > 0) {
      open += token === '{' ? 1 : -1
      if (open === 0) return { state: 0, depth: 0, end: at }
    }
  }
}

function endOfBlock(text: string, from: number, close: string): number | undefined {
  const found = text.indexOf(close, from)
  return found === -1 ? undefined : found + close.length
}

/** Behind the quote that closes a string, or at the end of the line: a string does not go on. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at + 1
  }
  return text.length
}

/** A diff in colours: by the first character of its lines. */
export function tokenizeDiff(text: string, paint: Paint): void {
  if (text.startsWith('+')) paint.color(0, text.length, 'added')
  else if (text.startsWith('-')) paint.color(0, text.length, 'deleted')
  else if (text.startsWith('@@')) paint.color(0, text.length, 'accent')
}
