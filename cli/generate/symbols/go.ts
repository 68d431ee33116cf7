import type { Node } from 'web-tree-sitter'
import type { ModuleContents, Source } from './source.ts'
import { commentText, isComment, oneLine } from './source.ts'
import type { ExportedSymbol } from './symbol.ts'

const isExported = (name: string): boolean => /^\p{Lu}/u.test(name)

/** Reads a file of Go: what begins with a capital letter, methods below their type where that stands in the same file. */
export function readGo(source: Source): ModuleContents {
  const nodes = source.root.namedChildren
  const symbols: ExportedSymbol[] = []
  const methods = new Map<string, ExportedSymbol[]>()
  const imports: string[] = []
  let doc: string | undefined
  for (const [index, node] of nodes.entries()) {
    if (isComment(node)) continue
    const above = docAbove(source, nodes, index)
    if (node.type === 'package_clause') doc = above
    else if (node.type === 'import_declaration')
      for (const path of node.descendantsOfType(['interpreted_string_literal', 'raw_string_literal']))
        imports.push(source.textOf(path).slice(1, -1))
    else if (node.type === 'method_declaration') addMethod(source, node, above, methods)
    else symbols.push(...declared(source, node, above))
  }
  const typed = symbols.map((symbol) => withMethods(symbol, methods))
  // What is left belongs to types of other files of the package.
  return { doc, symbols: [...typed, ...[...methods.values()].flat()], reexports: [], imports }
}

function withMethods(symbol: ExportedSymbol, methods: Map<string, ExportedSymbol[]>): ExportedSymbol {
  const own = symbol.kind === 'function' ? undefined : methods.get(symbol.name)
  if (own === undefined) return symbol
  methods.delete(symbol.name)
  return { ...symbol, members: [...(symbol.members ?? []), ...own] }
}

/** The comment that ends on the line before, without directives. */
function docAbove(source: Source, nodes: readonly Node[], index: number): string | undefined {
  const lines: string[] = []
  let below = nodes[index]?.startPosition.row ?? 0
  for (let at = index - 1; at >= 0; at -= 1) {
    const node = nodes[at]
    if (node === undefined || !isComment(node) || node.endPosition.row !== below - 1) break
    // A comment at the end of a line of code is of that line.
    if (nodes[at - 1]?.endPosition.row === node.startPosition.row) break
    lines.unshift(source.textOf(node))
    below = node.startPosition.row
    if (lines.length > 500) break
  }
  if (lines[0]?.startsWith('/*') === true) return commentText(lines.join('\n'))
  const text = lines.filter((line) => !/^\/\/(?:go:|nolint|export |line |\s*\+build)/.test(line))
  return text.length === 0 ? undefined : commentText(text.join('\n'))
}

function addMethod(source: Source, node: Node, doc: string | undefined, methods: Map<string, ExportedSymbol[]>): void {
  const name = source.textOf(node.childForFieldName('name') ?? node)
  const receiver = node.childForFieldName('receiver')?.descendantsOfType('type_identifier')[0]
  const type = receiver === undefined ? '' : source.textOf(receiver)
  // Methods of a type that is not exported can still be called through an interface; that says what they are.
  if (!isExported(name) || !isExported(type) || !source.takes()) return
  const signature = source.header(node, node.childForFieldName('body'))
  const method = source.symbol(node, { name, exportedAs: `${type}.${name}`, kind: 'method', signature, doc })
  const before = methods.get(type)
  if (before === undefined) methods.set(type, [method])
  else before.push(method)
}

function declared(source: Source, node: Node, doc: string | undefined): ExportedSymbol[] {
  if (node.type === 'function_declaration') {
    const name = source.textOf(node.childForFieldName('name') ?? node)
    if (!isExported(name) || !source.takes()) return []
    return [
      source.symbol(node, {
        name,
        kind: 'function',
        signature: source.header(node, node.childForFieldName('body')),
        doc,
      }),
    ]
  }
  if (!/^(?:type|const|var)_declaration$/.test(node.type)) return []
  const word = node.type.slice(0, -'_declaration'.length)
  const list = node.namedChildren.find(({ type }) => type === 'var_spec_list')
  const specs = (list ?? node).namedChildren
  const isGroup = source.text.startsWith('(', node.startIndex + word.length + 1) || list !== undefined
  return specs.flatMap((spec, index) => {
    if (isComment(spec)) return []
    // The comment of a group of constants is of all of them.
    const own = docAbove(source, specs, index) ?? lineComment(source, specs, index) ?? (isGroup ? undefined : doc)
    return word === 'type' ? typeSpec(source, spec, own) : values(source, spec, word, own ?? doc)
  })
}

/** A comment at the end of the line. */
function lineComment(source: Source, nodes: readonly Node[], index: number): string | undefined {
  const next = nodes[index + 1]
  if (next === undefined || !isComment(next)) return undefined
  return next.startPosition.row === nodes[index]?.endPosition.row ? commentText(source.textOf(next)) : undefined
}

function values(source: Source, spec: Node, word: string, doc: string | undefined): ExportedSymbol[] {
  // The commas between names are children with the same field.
  const names = spec.childrenForFieldName('name').filter((name) => name?.type === 'identifier')
  return names.flatMap((nameNode) => {
    const name = source.textOf(nameNode)
    if (!isExported(name) || !source.takes()) return []
    const value = spec.childForFieldName('value')
    const isShort = value === null || value.endIndex - value.startIndex <= 80
    const head = isShort ? source.header(spec) : source.header(spec, value).replace(/ ?=$/, '')
    const kind = word === 'const' ? 'constant' : 'variable'
    return [source.symbol(spec, { name, kind, signature: `${word} ${head}`, doc })]
  })
}

function typeSpec(source: Source, spec: Node, doc: string | undefined): ExportedSymbol[] {
  const name = source.textOf(spec.childForFieldName('name') ?? spec)
  if (!isExported(name) || !source.takes()) return []
  const type = spec.childForFieldName('type')
  const isStruct = type?.type === 'struct_type'
  const isInterface = type?.type === 'interface_type'
  const list = isStruct
    ? type.namedChildren.find((child) => child.type === 'field_declaration_list')
    : isInterface
      ? type
      : undefined
  const head = list == null ? source.header(spec) : source.header(spec, isInterface ? null : list)
  const signature = isInterface ? `${source.header(spec, type)} interface` : head
  const nodes = list?.namedChildren ?? []
  const members = nodes.flatMap((node, index) =>
    member(source, node, docAbove(source, nodes, index) ?? lineComment(source, nodes, index)),
  )
  return [
    source.symbol(spec, {
      name,
      kind: isStruct ? 'class' : isInterface ? 'interface' : 'type',
      signature: `type ${signature}`,
      doc,
      members,
    }),
  ]
}

/** An exported field, an embedded type, a method or a type set of an interface. */
function member(source: Source, node: Node, doc: string | undefined): ExportedSymbol[] {
  if (isComment(node)) return []
  const names = node.childrenForFieldName('name').filter((name) => name?.type === 'field_identifier')
  const isMethod = node.type === 'method_elem' || node.type === 'method_spec'
  const embedded = node.childForFieldName('type') ?? node
  const shown =
    names.length > 0 ? names.map((name) => source.textOf(name)) : [oneLine(source.textOf(embedded)).slice(0, 100)]
  return shown.flatMap((name) => {
    if (!isExported(names.length > 0 ? name : name.replace(/^.*\.|^\*/, '')) && node.type === 'field_declaration')
      return []
    if (isMethod && !isExported(name)) return []
    if (!source.takes()) return []
    return [source.symbol(node, { name, kind: isMethod ? 'method' : 'property', signature: source.header(node), doc })]
  })
}
