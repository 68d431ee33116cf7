import type { Node } from 'web-tree-sitter'
import { classMembers, enumMembers, interfaceMembers } from './javascript-members.ts'
import { docOf, isInternal } from './jsdoc.ts'
import type { Source } from './source.ts'
import { isComment, oneLine } from './source.ts'
import type { ExportedSymbol, SymbolKind } from './symbol.ts'

interface Declaring {
  readonly doc: string | undefined
  /** What stands before the declaration: `export `. */
  readonly before: string
  readonly isDefault?: boolean
  readonly exportedAs?: string
  /** Of several variables of one statement. */
  readonly only?: string
  /** The statement, where the declaration is but its value. */
  readonly whole?: Node
  readonly depth?: number
}

const kinds: Readonly<Record<string, SymbolKind>> = {
  function_declaration: 'function',
  generator_function_declaration: 'function',
  function_signature: 'function',
  function_expression: 'function',
  generator_function: 'function',
  arrow_function: 'function',
  class_declaration: 'class',
  abstract_class_declaration: 'class',
  class: 'class',
  interface_declaration: 'interface',
  type_alias_declaration: 'type',
  enum_declaration: 'enum',
  internal_module: 'module',
  module: 'module',
  import_alias: 'variable',
}

/** The symbols of a declaration. */
export function declared(source: Source, node: Node, how: Declaring): ExportedSymbol[] {
  if (isInternal(how.doc)) return []
  if (node.type === 'ambient_declaration') {
    const inner = node.namedChildren.find((child) => !isComment(child))
    return inner === undefined || inner.type === node.type
      ? []
      : declared(source, inner, { ...how, before: `${how.before}declare ` })
  }
  if (node.type === 'expression_statement') {
    const inner = node.namedChild(0)
    return inner?.type === 'internal_module' ? declared(source, inner, how) : []
  }
  if (/^(?:lexical|variable)_declaration$/.test(node.type)) return variables(source, node, how)
  const kind = kinds[node.type]
  if (kind === undefined && how.isDefault !== true) return []
  if (!source.takes()) return []
  const nameNode = node.childForFieldName('name')
  const exportedAs = how.exportedAs ?? (how.isDefault === true ? 'default' : undefined)
  const name = nameNode === null ? (exportedAs ?? 'default') : source.textOf(nameNode).replace(/^['"]|['"]$/g, '')
  const members = membersOf(source, node, kind, how.depth ?? 0)
  const signature = kind === undefined ? how.before + valueText(source, node) : headerOf(source, node, how.before)
  return [
    source.symbol(how.whole ?? node, { name, kind: kind ?? 'constant', signature, doc: how.doc, exportedAs, members }),
  ]
}

/** What decorates a node, without long arguments. */
export function decoratorsOf(source: Source, node: Node): string {
  const decorators = node.namedChildren.filter(({ type }) => type === 'decorator').slice(0, 20)
  return decorators.map((decorator) => `${oneLine(source.textOf(decorator)).slice(0, 100)} `).join('')
}

/** Bodies are left out, those of types are what they are about. */
function headerOf(source: Source, node: Node, before: string): string {
  if (node.type === 'type_alias_declaration') return before + typeHeader(source, node)
  const body = node.childForFieldName('body')
  const first = node.children.find(({ type }) => type !== 'decorator')
  if (first === undefined || first.startIndex === node.startIndex) return before + source.header(node, body)
  const own = oneLine(source.text.slice(first.startIndex, body?.startIndex ?? node.endIndex))
  return decoratorsOf(source, node) + before + own
}

/** Line ends part the members of a type; in one line something else must. */
function typeHeader(source: Source, node: Node): string {
  let depth = 0
  return source
    .header(node, undefined, (text) =>
      text.replace(/[{}]|(?<=[^\s{([<,;|&=>?:])\n\s*(?=[\w$'"[(])/g, (match) => {
        if (match === '{') depth += 1
        else if (match === '}') depth -= 1
        else return depth > 0 ? '; ' : match
        return match
      }),
    )
    .replace('= | ', '= ')
}

function membersOf(source: Source, node: Node, kind: SymbolKind | undefined, depth: number): ExportedSymbol[] {
  if (kind === 'module') return namespaceMembers(source, node, depth)
  const body = node.childForFieldName('body') ?? (kind === 'type' ? node.childForFieldName('value') : null)
  if (body === null) return []
  if (kind === 'class') return classMembers(source, body)
  if (kind === 'interface' || (kind === 'type' && body.type === 'object_type')) return interfaceMembers(source, body)
  return kind === 'enum' ? enumMembers(source, body) : []
}

/** In a declaration everything counts as exported, unless something is. */
function namespaceMembers(source: Source, node: Node, depth: number): ExportedSymbol[] {
  if (depth >= 4) return []
  const nodes = node.childForFieldName('body')?.namedChildren ?? []
  const hasExports = nodes.some(({ type }) => type === 'export_statement')
  return nodes.flatMap((child, index) => {
    const doc = docOf(source, nodes, index)
    const declaration = child.type === 'export_statement' ? child.childForFieldName('declaration') : child
    if (declaration === null || (hasExports && declaration === child)) return []
    return declared(source, declaration, { doc, before: '', depth: depth + 1 })
  })
}

const functionTypes = new Set(['arrow_function', 'function_expression', 'generator_function'])

function variables(source: Source, node: Node, how: Declaring): ExportedSymbol[] {
  const word = node.childForFieldName('kind')?.text ?? source.text.slice(node.startIndex, node.startIndex + 3)
  const declarators = node.namedChildren.filter(({ type }) => type === 'variable_declarator')
  return declarators.flatMap((declarator) => {
    const nameNode = declarator.childForFieldName('name')
    if (nameNode === null || (how.only !== undefined && source.textOf(nameNode) !== how.only)) return []
    const whole = declarators.length === 1 ? node : declarator
    const value = declarator.childForFieldName('value')
    const names = nameNode.type.endsWith('_pattern') ? boundNames(source, nameNode) : [source.textOf(nameNode)]
    return names.flatMap((name) => {
      if (!source.takes()) return []
      const { kind, rest, members } = valueOf(source, declarator, value)
      const isConstant = kind === 'variable' && word === 'const'
      const signature = `${how.before}${word} ${rest}`
      const exportedAs = how.exportedAs
      return [
        source.symbol(whole, {
          name,
          kind: isConstant ? 'constant' : kind,
          signature,
          doc: how.doc,
          exportedAs,
          members,
        }),
      ]
    })
  })
}

function valueOf(
  source: Source,
  declarator: Node,
  value: Node | null,
): { kind: SymbolKind; rest: string; members?: readonly ExportedSymbol[] } {
  if (value !== null && functionTypes.has(value.type))
    return { kind: 'function', rest: source.header(declarator, value.childForFieldName('body')) }
  if (value?.type === 'class') {
    const body = value.childForFieldName('body')
    return {
      kind: 'class',
      rest: source.header(declarator, body),
      members: body === null ? [] : classMembers(source, body),
    }
  }
  const type = declarator.childForFieldName('type')
  const head = source.header(declarator, value).replace(/\s*=$/, '')
  // Of an annotated constant the type says enough.
  const isShown = value !== null && (type === null || value.endIndex - value.startIndex <= 40)
  return { kind: 'variable', rest: isShown ? `${head} = ${valueText(source, value)}` : head }
}

/** A value if it is short; of a call the function, of an object its keys. */
function valueText(source: Source, value: Node, depth = 0): string {
  const body = value.childForFieldName('body')
  if (functionTypes.has(value.type)) return source.header(value, body)
  if (value.endIndex - value.startIndex <= 100) return oneLine(source.textOf(value))
  if (value.type === 'object') {
    const keys = value.namedChildren.slice(0, 40).flatMap((child) => {
      const key = child.childForFieldName('key') ?? child.childForFieldName('name') ?? child
      return isComment(child) ? [] : [oneLine(source.textOf(key)).slice(0, 60)]
    })
    return `{ ${keys.join(', ')}${value.namedChildCount > 40 ? ', …' : ''} }`
  }
  if (value.type === 'call_expression' || value.type === 'new_expression')
    return `${source.header(value, value.childForFieldName('arguments')).slice(0, 100)}(…)`
  // `as unknown as T`; nobody writes many.
  if (depth < 3 && /^(?:as|satisfies)_expression$/.test(value.type)) {
    const [inner, type] = value.namedChildren
    const shown = type === undefined ? '' : ` ${value.type.slice(0, -11)} ${oneLine(source.textOf(type)).slice(0, 100)}`
    return inner === undefined ? '…' : `${valueText(source, inner, depth + 1)}${shown}`
  }
  return '…'
}

function boundNames(source: Source, pattern: Node): string[] {
  return pattern
    .descendantsOfType(['shorthand_property_identifier_pattern', 'identifier'])
    .slice(0, 100)
    .map((name) => source.textOf(name))
}
