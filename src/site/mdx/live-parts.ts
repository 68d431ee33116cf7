import type { Expression } from 'estree-jsx'
import { type NeedsScript, type Scope, dictionary, UnknownName, type Item } from './interpreter/values.ts'
import { isHandling, some } from './island-modules.ts'
import { isNarrow } from './nesting.ts'
import type { MdxAttribute, MdxElement, MdxSpread, Node } from './nodes.ts'

/*
 * Parts of a page that run where they stand: an element with a handler, a component that is given a function, an
 * expression that only a browser can evaluate. Each becomes a component of its own, which its page exports to an island.
 */

/** What only a browser knows, or knows anew whenever somebody reads. */
const known: ReadonlySet<string> = new Set(
  'window document navigator location localStorage sessionStorage Date Intl'.split(' '),
)

/** Whether a browser could do what cannot be done here: a name that nobody has is a mistake there, too. */
export function canRun(reason: NeedsScript, code: readonly (Expression | null | undefined)[]): boolean {
  if (reason instanceof UnknownName && !known.has(reason.unknown)) return false
  return code.some((tree) =>
    some(
      tree,
      (node) =>
        isHandling(node) || (node.type === 'Identifier' && typeof node.name === 'string' && known.has(node.name)),
    ),
  )
}

/** An element as JSX. What it holds is `$children`, but for what must stand in it directly. */
export function elementCode({ name, attributes, children }: MdxElement): string {
  const start = `<${name ?? ''}${attributes.map(attributeCode).join('')}`
  if (isNarrow(name)) return `${start}>${children.map(childCode).join('')}</${name}>`
  return children.length === 0 ? `${start} />` : `${start}>{$children}</${name}>`
}

function childCode(node: Node): string {
  switch (node.type) {
    case 'text':
      return node.value.trim() === '' ? '' : `{${JSON.stringify(node.value)}}`
    case 'mdxFlowExpression':
    case 'mdxTextExpression':
      return `{${node.value}\n}`
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement': {
      const { name } = node
      return `<${name ?? ''}${node.attributes.map(attributeCode).join('')}>${node.children.map(childCode).join('')}</${name ?? ''}>`
    }
    case 'element':
      return node.tagName === 'p' ? node.children.map(childCode).join('') : tagCode(node.tagName, node.children)
    default:
      return ''
  }
}

function tagCode(name: string, children: readonly Node[]): string {
  return `<${name}>${children.map(childCode).join('')}</${name}>`
}

function attributeCode(attribute: MdxAttribute | MdxSpread): string {
  if (attribute.type === 'mdxJsxExpressionAttribute') return ` {${attribute.value}\n}`
  const { name, value } = attribute
  if (value === null || value === undefined) return ` ${name}`
  return typeof value === 'string' ? ` ${name}={${JSON.stringify(value)}}` : ` ${name}={${value.value}\n}`
}

/** What code uses of the names that a snippet was given where it is used. */
export function namesUsed(code: string, scope: Scope, module: Scope): ReadonlyMap<string, Item> {
  const used = new Map<string, Item>()
  if (scope === module) return used
  const words = new Set(code.split(/[^\w$]+/))
  for (const name of scope.names) if (words.has(name)) used.set(name, scope.find(name)?.value)
  return used
}

/** The properties of a part. */
export function partProps(names: ReadonlyMap<string, Item>, children: Item): ReadonlyMap<string, Item> {
  const props = new Map<string, Item>()
  if (names.size > 0) props.set('$', dictionary(names))
  if (children !== undefined) props.set('children', children)
  return props
}
