import type { Value } from '../components/component.tsx'

/** The trees that parsing yields: hast with MDX’s nodes, and ours for code and math, which have renderers of their own. */

export interface Point {
  readonly line: number
  readonly column: number
  readonly offset?: number
}

export interface Position {
  readonly start: Point
  readonly end: Point
}

interface Base {
  readonly position?: Position
}

export interface Root extends Base {
  readonly type: 'root'
  readonly children: readonly Node[]
}

export interface Text extends Base {
  readonly type: 'text'
  readonly value: string
}

export interface Comment extends Base {
  readonly type: 'comment' | 'doctype' | 'raw'
  readonly value?: string
}

export type PropertyValue = string | number | boolean | null | undefined | readonly (string | number)[]

export interface Element extends Base {
  readonly type: 'element'
  readonly tagName: string
  readonly properties: Readonly<Record<string, PropertyValue>>
  readonly children: readonly Node[]
}

export interface MdxAttribute {
  readonly type: 'mdxJsxAttribute'
  readonly name: string
  readonly value?: null | string | { readonly type: 'mdxJsxAttributeValueExpression'; readonly value: string }
}

export interface MdxSpread {
  readonly type: 'mdxJsxExpressionAttribute'
  /** With its dots: `...props`. */
  readonly value: string
}

export interface MdxElement extends Base {
  readonly type: 'mdxJsxFlowElement' | 'mdxJsxTextElement'
  readonly name: string | null
  readonly attributes: readonly (MdxAttribute | MdxSpread)[]
  readonly children: readonly Node[]
}

export interface MdxExpression extends Base {
  readonly type: 'mdxFlowExpression' | 'mdxTextExpression'
  readonly value: string
}

export interface MdxEsm extends Base {
  readonly type: 'mdxjsEsm'
  readonly value: string
}

export interface Code extends Base {
  readonly type: 'code'
  readonly lang?: string | null
  readonly meta?: string | null
  readonly value: string
}

export interface Maths extends Base {
  readonly type: 'math' | 'inlineMath'
  readonly value: string
}

/** A component that no author wrote: its props are data already. */
export interface Component extends Base {
  readonly type: 'component'
  readonly name: string
  readonly props: ReadonlyMap<string, Value>
  readonly children: readonly Node[]
}

export type Node = Root | Text | Comment | Element | MdxElement | MdxExpression | MdxEsm | Code | Maths | Component

const origin: Point = { line: 1, column: 1 }

export function startOf(node: Base): Point {
  return node.position?.start ?? origin
}

export function childrenOf(node: Node): readonly Node[] {
  return 'children' in node ? node.children : []
}

/** Visible text of a subtree, for slugs and titles. Expressions have none before they are evaluated. */
export function textOf(node: Node): string {
  if (node.type === 'text' || node.type === 'inlineMath') return node.value
  return childrenOf(node).map(textOf).join('')
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The visible text of HTML that was written here. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_match, name: string) => entities[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
