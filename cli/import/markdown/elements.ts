import { endOf, startOf, type Node } from './tree.ts'

/** A value in a tag: text, `{code}`, or nothing but the name. */
export type Value = string | { readonly code: string } | true

/** A tag as a page has it, and its place. */
export interface Element {
  readonly name: string
  readonly attributes: ReadonlyMap<string, Value>
  readonly isSelfClosing: boolean
  readonly isInline: boolean
  readonly node: Node
  /** Offsets: of the tag, of what stands in it, and behind it. */
  readonly start: number
  readonly innerStart: number
  readonly innerEnd: number
  readonly end: number
}

export function elementOf(node: Node, text: string): Element {
  const start = startOf(node)
  const end = endOf(node)
  const innerStart = tagEnd(text, start)
  const closing = `</${node.name ?? ''}`
  const isSelfClosing = text[innerStart - 2] === '/' || innerStart >= end
  const innerEnd = isSelfClosing ? end : Math.max(innerStart, text.lastIndexOf(closing, end))
  const attributes = new Map<string, Value>()
  for (const { name, value } of node.attributes ?? []) {
    if (name === undefined) continue
    attributes.set(
      name,
      value === null || value === undefined ? true : typeof value === 'string' ? value : { code: value.value },
    )
  }
  return {
    name: node.name ?? '',
    attributes,
    isSelfClosing,
    isInline: node.type === 'mdxJsxTextElement',
    node,
    start,
    innerStart,
    innerEnd,
    end,
  }
}

/** Behind the `>` of the tag that begins at an offset: quotes and braces are passed over. */
function tagEnd(text: string, start: number): number {
  let depth = 0
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'" || (character === '`' && depth > 0)) quote = character
    else if (character === '{') depth++
    else if (character === '}') depth--
    else if (character === '>' && depth === 0 && text[at - 1] !== '=') return at + 1
  }
  return text.length
}

/** The text of a value, where it can be known without running anything. */
export function textOfValue(value: Value | undefined): string | undefined {
  if (value === undefined || value === true) return undefined
  if (typeof value === 'string') return value
  const [, double, single, template] =
    /^\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\$]|\\[\s\S]|\$(?!\{))*)`)\s*$/.exec(value.code) ?? []
  const text = double ?? single ?? template
  return text?.replaceAll(/\\([\s\S])/g, (_match, character: string) => ({ n: '\n', t: '\t' })[character] ?? character)
}

export function writeTag(
  name: string,
  attributes: Iterable<readonly [string, Value | undefined]>,
  isSelfClosing = false,
): string {
  let text = `<${name}`
  for (const [key, value] of attributes) {
    if (value === undefined || (value === '' && key !== 'alt')) continue
    if (value === true) text += ` ${key}`
    else if (typeof value === 'string') text += ` ${key}="${value.replaceAll('"', '&quot;')}"`
    else text += ` ${key}={${value.code}}`
  }
  return `${text}${isSelfClosing ? ' /' : ''}>`
}
