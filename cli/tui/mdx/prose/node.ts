/** A node of a parsed page, as far as anybody looks at it: mdast with MDX, GFM and formulas. */
export interface Node {
  readonly type: string
  readonly name?: string | null
  readonly value?: string
  readonly children?: readonly Node[]
  readonly depth?: number
  readonly ordered?: boolean
  readonly start?: number | null
  readonly spread?: boolean | null
  readonly checked?: boolean | null
  readonly lang?: string | null
  readonly meta?: string | null
  readonly url?: string
  readonly title?: string | null
  readonly alt?: string | null
  readonly identifier?: string
  readonly label?: string | null
  readonly align?: readonly (string | null)[]
  readonly attributes?: readonly Attribute[]
  readonly position?: { readonly start: Point; readonly end: Point }
}

interface Point {
  readonly line: number
  readonly column: number
  readonly offset?: number
}

interface Attribute {
  readonly type: string
  readonly name?: string
  readonly value?: string | null | { readonly value: string }
}

/** The line that a node begins on, from 0. */
export function lineOf(node: Node): number {
  return (node.position?.start.line ?? 1) - 1
}

/** A property as text: `cols="2"` and `cols={2}` are `2`, `required` is `true`; undefined where it has no such value. */
export function attribute(node: Node, name: string): string | undefined {
  const found = node.attributes?.find((candidate) => candidate.name === name)
  if (found === undefined) return undefined
  if (found.value === null || found.value === undefined) return 'true'
  if (typeof found.value === 'string') return found.value
  return literal(found.value.value) ?? found.value.value.trim()
}

/** Of an expression that is a string, its text; undefined for others. */
export function literal(expression: string): string | undefined {
  const [, quote, text = ''] = /^\s*(["'`])([\s\S]*)\1\s*$/.exec(expression) ?? []
  if (quote === undefined || text.includes(quote) || text.includes('${')) return undefined
  return text.replaceAll(/\\(.)/g, '$1')
}

export function isComment(expression: string): boolean {
  return /^\s*(?:\/\*[\s\S]*\*\/\s*|\/\/.*)?$/.test(expression)
}

const phrasing = new Set([
  'text',
  'emphasis',
  'strong',
  'delete',
  'inlineCode',
  'inlineMath',
  'break',
  'link',
  'linkReference',
  'image',
  'imageReference',
  'footnoteReference',
  'mdxTextExpression',
  'mdxJsxTextElement',
])

/** It stands in a line of text. */
export function isPhrasing(node: Node): boolean {
  return phrasing.has(node.type)
}

/** All text in a node, without its marks. */
export function textOf(node: Node): string {
  if (node.children === undefined) return node.type === 'mdxTextExpression' ? '' : (node.value ?? '')
  return node.children.map(textOf).join('')
}
