import type { Node } from 'web-tree-sitter'
import { docOf, isInternal } from './jsdoc.ts'
import { mergeOverloads } from './overloads.ts'
import type { Source } from './source.ts'
import { isComment, oneLine } from './source.ts'
import type { ExportedSymbol } from './symbol.ts'

const methodTypes = new Set(['method_definition', 'method_signature', 'abstract_method_signature'])
const fieldTypes = new Set(['public_field_definition', 'field_definition', 'property_signature'])
const functionTypes = new Set(['arrow_function', 'function_expression', 'generator_function'])

/** What others can reach of a class; what is left is for classes that extend it. */
export function classMembers(source: Source, body: Node): ExportedSymbol[] {
  const nodes = body.namedChildren
  const members = nodes.flatMap((node, index) => {
    const name = node.childForFieldName('name') ?? node.childForFieldName('property')
    if (name === null || (!methodTypes.has(node.type) && !fieldTypes.has(node.type))) return []
    if (name.type === 'private_property_identifier') return []
    if (node.children.some((child) => child.type === 'accessibility_modifier' && source.textOf(child) === 'private'))
      return []
    const doc = docOf(source, nodes, index)
    return isInternal(doc) || !source.takes()
      ? []
      : [member(source, node, { name, doc, decorators: decoratorsAbove(source, nodes, index) })]
  })
  return mergeOverloads(withoutImplementations(members, nodes))
}

/** Where signatures are overloaded, that of the implementation is none for callers. */
function withoutImplementations(members: readonly ExportedSymbol[], nodes: readonly Node[]): ExportedSymbol[] {
  const signatures = new Set(
    nodes.flatMap((node) => (node.type === 'method_signature' ? [node.childForFieldName('name')?.text ?? ''] : [])),
  )
  if (signatures.size === 0) return [...members]
  const implementations = new Set(
    nodes.flatMap((node) => {
      const isOverloaded =
        node.type === 'method_definition' && signatures.has(node.childForFieldName('name')?.text ?? '')
      return isOverloaded ? [node.startPosition.row + 1] : []
    }),
  )
  return members.filter(({ line }) => !implementations.has(line))
}

export function interfaceMembers(source: Source, body: Node): ExportedSymbol[] {
  const nodes = body.namedChildren
  const members = nodes.flatMap((node, index) => {
    if (isComment(node)) return []
    const doc = docOf(source, nodes, index)
    if (isInternal(doc) || !source.takes()) return []
    const name = node.childForFieldName('name')
    if (name !== null && node.type !== 'index_signature') return [member(source, node, { name, doc, decorators: '' })]
    const signature = source.header(node)
    const isCall = node.type === 'call_signature' || node.type === 'construct_signature'
    const named = node.type === 'construct_signature' ? 'new' : isCall ? '()' : '[]'
    return [source.symbol(node, { name: named, kind: isCall ? 'method' : 'property', signature, doc })]
  })
  return mergeOverloads(members)
}

/** Those of methods stand beside them. */
function decoratorsAbove(source: Source, nodes: readonly Node[], index: number): string {
  let text = ''
  for (let at = index - 1; at >= index - 10; at -= 1) {
    const node = nodes[at]
    if (node?.type !== 'decorator') break
    text = `${oneLine(source.textOf(node)).slice(0, 100)} ${text}`
  }
  return text
}

interface Named {
  readonly name: Node
  readonly doc: string | undefined
  readonly decorators: string
}

function member(source: Source, node: Node, { name, doc, decorators }: Named): ExportedSymbol {
  const value = node.childForFieldName('value')
  const isFunction = methodTypes.has(node.type) || (value !== null && functionTypes.has(value.type))
  const isShort = value !== null && value.endIndex - value.startIndex <= 60
  const body =
    node.childForFieldName('body') ?? (isFunction ? value?.childForFieldName('body') : isShort ? null : value)
  return source.symbol(node, {
    name: source.textOf(name).replace(/^['"]|['"]$/g, ''),
    kind: isFunction ? 'method' : 'property',
    signature: decorators + source.header(node, body),
    doc,
  })
}

export function enumMembers(source: Source, body: Node): ExportedSymbol[] {
  const nodes = body.namedChildren
  return nodes.flatMap((node, index) => {
    if (isComment(node) || !source.takes()) return []
    const name = node.childForFieldName('name') ?? node
    const signature = oneLine(source.textOf(node))
    return [
      source.symbol(node, { name: source.textOf(name), kind: 'constant', signature, doc: docOf(source, nodes, index) }),
    ]
  })
}
