import type { Node } from 'web-tree-sitter'
import type { ModuleContents, Source } from './source.ts'
import { commentText, isComment, oneLine, symbolLimits } from './source.ts'
import type { ExportedSymbol, SymbolKind } from './symbol.ts'

const types: Readonly<Record<string, SymbolKind>> = {
  class_declaration: 'class',
  record_declaration: 'class',
  interface_declaration: 'interface',
  annotation_type_declaration: 'interface',
  enum_declaration: 'enum',
}

const callables = new Set([
  'method_declaration',
  'constructor_declaration',
  'compact_constructor_declaration',
  'annotation_type_element_declaration',
])

/** Reads a file of Java: what is public or protected, in interfaces what is not private. */
export function readJava(source: Source): ModuleContents {
  const nodes = source.root.namedChildren
  const imports = nodes.flatMap((node) =>
    node.type === 'import_declaration'
      ? [
          source
            .textOf(node)
            .replace(/^import\s+(?:static\s+)?|\s*;$/g, '')
            .replace(/\s+/g, ''),
        ]
      : [],
  )
  const place = nodes.findIndex(({ type }) => type === 'package_declaration' || type === 'module_declaration')
  const symbols = nodes.flatMap((node, index) => typeSymbol(source, node, javadoc(source, nodes, index), false, 0))
  return { doc: place < 0 ? undefined : javadoc(source, nodes, place), symbols, reexports: [], imports }
}

function javadoc(source: Source, nodes: readonly Node[], index: number): string | undefined {
  const comment = nodes[index - 1]
  if (comment === undefined || !isComment(comment)) return undefined
  const text = source.textOf(comment)
  return text.startsWith('/**') ? commentText(text) : undefined
}

function modifiersOf(source: Source, node: Node): ReadonlySet<string> {
  const modifiers = node.namedChildren.find(({ type }) => type === 'modifiers')
  return new Set(modifiers?.children.flatMap((child) => (child.isNamed ? [] : [source.textOf(child)])))
}

function isVisible(source: Node, text: Source, inInterface: boolean): boolean {
  const modifiers = modifiersOf(text, source)
  return inInterface ? !modifiers.has('private') : modifiers.has('public') || modifiers.has('protected')
}

function typeSymbol(
  source: Source,
  node: Node,
  doc: string | undefined,
  inInterface: boolean,
  depth: number,
): ExportedSymbol[] {
  const kind = types[node.type]
  if (kind === undefined || depth > symbolLimits.depth || !isVisible(node, source, inInterface) || !source.takes())
    return []
  const body = node.childForFieldName('body')
  const members = body === null ? [] : membersOf(source, body, kind === 'interface', depth)
  const name = source.textOf(node.childForFieldName('name') ?? node)
  return [source.symbol(node, { name, kind, signature: source.header(node, body), doc, members })]
}

function membersOf(source: Source, body: Node, inInterface: boolean, depth: number): ExportedSymbol[] {
  const nodes = body.namedChildren
  return nodes.flatMap((node, index) => {
    if (node.type === 'enum_body_declarations') return membersOf(source, node, false, depth)
    const doc = javadoc(source, nodes, index)
    if (node.type === 'enum_constant') return source.takes() ? [enumConstant(source, node, doc)] : []
    if (types[node.type] !== undefined) return typeSymbol(source, node, doc, inInterface, depth + 1)
    if (isComment(node) || !isVisible(node, source, inInterface)) return []
    if (callables.has(node.type)) return source.takes() ? [callable(source, node, doc)] : []
    return /^(?:field|constant)_declaration$/.test(node.type) ? fields(source, node, doc, inInterface) : []
  })
}

function enumConstant(source: Source, node: Node, doc: string | undefined): ExportedSymbol {
  const name = source.textOf(node.childForFieldName('name') ?? node)
  return source.symbol(node, {
    name,
    kind: 'constant',
    signature: source.header(node, node.childForFieldName('body')),
    doc,
  })
}

/** `@Override` says nothing to callers. */
function callable(source: Source, node: Node, doc: string | undefined): ExportedSymbol {
  const name = source.textOf(node.childForFieldName('name') ?? node)
  const signature = source
    .header(node, node.childForFieldName('body'))
    .replace(/@(?:Override|SuppressWarnings(?:\([^)]{0,200}\))?) /g, '')
  return source.symbol(node, { name, kind: 'method', signature, doc })
}

function fields(source: Source, node: Node, doc: string | undefined, inInterface: boolean): ExportedSymbol[] {
  const declarators = node.childrenForFieldName('declarator').filter((child) => child?.type === 'variable_declarator')
  const head = source.header(node, declarators[0])
  const modifiers = modifiersOf(source, node)
  const isConstant = inInterface || (modifiers.has('static') && modifiers.has('final'))
  return declarators.flatMap((declarator) => {
    const name = source.textOf(declarator.childForFieldName('name') ?? declarator)
    if (!source.takes()) return []
    const value = declarator.childForFieldName('value')
    const isShort = value !== null && value.endIndex - value.startIndex <= 80
    const signature = `${head} ${name}${isShort ? ` = ${oneLine(source.textOf(value))}` : ''}`
    return [source.symbol(node, { name, kind: isConstant ? 'constant' : 'property', signature, doc })]
  })
}
