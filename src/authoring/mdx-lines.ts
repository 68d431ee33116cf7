import { codeLanguage, expressionLanguage, frontMatterLanguage } from './code-languages.ts'
import { tokenizeCode, tokenizeDiff } from './code-tokens.ts'
import { InlineTokens } from './mdx-inline.ts'
import {
  comment,
  fence,
  flow,
  type Format,
  fresh,
  frontMatter,
  math,
  type MdxState,
  moduleCode,
  start,
} from './mdx-state.ts'
import { tokenizeAttributes, tokenizeExpression, tokenizeQuoted } from './mdx-tags.ts'
import { bold, type Paint } from './painting.ts'

type Fence = Extract<MdxState, { mode: 'fence' }>

const containers = /(?:\s{0,50}(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)))?/y
const opener = /^(`{3,}|~{3,})(.*)$/
const heading = /^(#{1,6})(?:\s|$)/
const setext = /^(?:={1,500}|-{2,500})\s*$/
const delimiterRow = /^[\s:|-]+$/
const definition = /^\[[^\]]{1,500}\]:/
const task = /^\s{1,4}\[[ xX]\](?=\s|$)/

/** A line of a page: MDX, or Markdown. */
export function tokenizePage(format: Format, text: string, state: MdxState, paint: Paint): MdxState {
  switch (state.mode) {
    case 'start':
      if (/^---\s*$/.test(text)) {
        paint.color(0, text.length, 'punctuation')
        return frontMatter
      }
      return block(text, format, true, paint)
    case 'text':
      return block(text, format, state.fresh, paint)
    case 'frontMatter':
      return frontMatterLine(text, paint)
    case 'fence':
      return fenceLine(text, state, paint)
    case 'math':
      paint.color(0, text.length, 'code')
      return /^\s*\$\$\s*$/.test(text) ? fresh : math
    case 'comment': {
      const close = text.indexOf('-->')
      paint.color(0, close === -1 ? text.length : close + 3, 'comment')
      return close === -1 ? comment : new InlineTokens(text, format, paint).read(close + 3)
    }
    case 'module': {
      if (text.trim() === '') return fresh
      const result = tokenizeCode(text, { from: 0, state: state.code, language: expressionLanguage, depth: 0 }, paint)
      return moduleCode(result.state)
    }
    default:
      return goOn(text, format, state, paint)
  }
}

function frontMatterLine(text: string, paint: Paint): MdxState {
  if (/^(?:---|\.\.\.)\s*$/.test(text)) {
    paint.color(0, text.length, 'punctuation')
    return fresh
  }
  tokenizeCode(text, { from: 0, state: 0, language: frontMatterLanguage, depth: 0 }, paint)
  return frontMatter
}

function fenceLine(text: string, state: Fence, paint: Paint): MdxState {
  const from = state.quoted ? (/^\s{0,50}>[\s>]{0,50}/.exec(text)?.[0].length ?? -1) : 0
  // A quote that has ended has ended the code in it.
  if (from === -1) return block(text, 'mdx', true, paint)
  const rest = text.slice(from)
  const close = /^\s*(`{3,}|~{3,})\s*$/.exec(rest)?.[1]
  if (close !== undefined && close.startsWith(state.mark)) {
    paint.color(from, text.length, 'punctuation')
    return fresh
  }
  if (state.language === 'diff') tokenizeDiff(rest, paint)
  else if (state.language !== undefined) {
    const part = { from, state: state.code, language: state.language, depth: 0 }
    return fence({ ...state, code: tokenizeCode(text, part, paint).state })
  } else paint.color(from, text.length, 'code')
  return state
}

/** Inside of a tag or an expression that began on a line above. */
function goOn(
  text: string,
  format: Format,
  state: Extract<MdxState, { mode: 'tag' | 'expression' }>,
  paint: Paint,
): MdxState {
  let at = 0
  if (state.mode === 'expression') {
    const ended = tokenizeExpression(text, { from: 0, depth: state.depth, code: state.code, inTag: state.inTag }, paint)
    if (ended.state !== undefined) return ended.state
    at = ended.at
    if (!state.inTag) return new InlineTokens(text, format, paint).read(at)
  } else if (text.trim() === '' || (state.quote === '' && /^\s*(?:<|#{1,6}\s|`{3})/.test(text))) {
    // A tag that nobody has closed yet must not colour the rest of the page.
    return block(text, format, true, paint)
  } else if (state.quote !== '') {
    const ended = tokenizeQuoted(text, 0, state.quote, paint)
    if (ended.state !== undefined) return ended.state
    at = ended.at
  }
  const ended = tokenizeAttributes(text, at, paint)
  return ended.state ?? new InlineTokens(text, format, paint).read(ended.at)
}

function block(text: string, format: Format, isFresh: boolean, paint: Paint): MdxState {
  if (text.trim() === '') return fresh
  if (isFresh && format === 'mdx' && /^(?:import|export)\b/.test(text)) {
    const result = tokenizeCode(text, { from: 0, state: 0, language: expressionLanguage, depth: 0 }, paint)
    return moduleCode(result.state)
  }
  if (isThematicBreak(text) || setext.test(text.trim())) {
    paint.color(0, text.length, text.includes('=') ? 'heading' : 'punctuation')
    return fresh
  }
  const at = afterContainers(text, paint)
  const rest = text.slice(at)
  const opened = opener.exec(rest)
  if (opened !== null && !(rest.startsWith('`') && (opened[2] ?? '').includes('`')))
    return openFence(text, at, opened, paint)
  if (rest.startsWith('$$')) {
    paint.color(at, text.length, 'code')
    return /^\$\$.*\$\$\s*$/.test(rest) ? fresh : math
  }
  return proseLine(text, at, format, paint)
}

function isThematicBreak(text: string): boolean {
  return /^\s*[-*_]/.test(text) && /^([-*_])\1{2,}$/.test(text.replaceAll(/\s/g, ''))
}

/** Behind the markers of quotes, lists and tasks. */
function afterContainers(text: string, paint: Paint): number {
  let at = 0
  for (let markers = 0; markers < 50; markers++) {
    containers.lastIndex = at
    const [marker = ''] = containers.exec(text) ?? []
    if (marker === '') break
    const isQuote = marker.endsWith('>')
    paint.color(at, at + marker.length, isQuote ? 'muted' : 'accent')
    at += marker.length
    const box = isQuote ? null : task.exec(text.slice(at, at + 10))
    if (box === null) continue
    paint.color(at, at + box[0].length, 'accent')
    at += box[0].length
    break
  }
  return at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)
}

function openFence(text: string, at: number, [, mark = '', info = '']: RegExpExecArray, paint: Paint): MdxState {
  const name = /^\s*([^\s{]*)/.exec(info)
  const begin = at + mark.length + ((name?.[0].length ?? 0) - (name?.[1] ?? '').length)
  const end = begin + (name?.[1] ?? '').length
  paint.color(at, at + mark.length, 'punctuation')
  paint.color(begin, end, 'keyword')
  paint.color(end, text.length, 'attribute')
  const language = name?.[1] === 'diff' ? 'diff' : codeLanguage(name?.[1] ?? '')
  return fence({ mark, quoted: text.slice(0, at).includes('>'), language, code: 0 })
}

function proseLine(text: string, at: number, format: Format, paint: Paint): MdxState {
  const rest = text.slice(at)
  const inline = (from: number): MdxState => new InlineTokens(text, format, paint).read(from)
  const hashes = heading.exec(rest)?.[1]
  if (hashes !== undefined) {
    paint.color(at, text.length, 'heading')
    paint.mark(at, text.length, bold)
    paint.color(at, at + hashes.length, 'punctuation')
    const state = inline(at + hashes.length)
    return state === flow ? fresh : state
  }
  const defined = definition.exec(rest)
  if (defined !== null) {
    paint.color(at, at + defined[0].length, 'link')
    return inline(at + defined[0].length)
  }
  if (rest.includes('|') && rest.includes('-') && delimiterRow.test(rest)) {
    paint.color(at, text.length, 'punctuation')
    return flow
  }
  if (rest.startsWith('|'))
    for (let pipe = at; pipe !== -1; pipe = text.indexOf('|', pipe + 1)) paint.color(pipe, pipe + 1, 'punctuation')
  return inline(at)
}

export { start }
