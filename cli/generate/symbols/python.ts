import type { Node } from 'web-tree-sitter'
import type { ModuleContents, Source } from './source.ts'
import { clean, isComment, oneLine, symbolLimits } from './source.ts'
import type { ExportedSymbol } from './symbol.ts'

/** Methods whose double underscores are not of the kind that everybody knows. */
const shownMagic = new Set(['__init__', '__call__', '__enter__', '__aenter__', '__iter__', '__getitem__', '__len__'])

/** Statements and their blocks, one in the other. */
const mostBlocks = 6

/** Reads a module of Python: the names of `__all__`, else those without an underscore. */
export function readPython(source: Source): ModuleContents {
  const reexports: string[] = []
  const imports: string[] = []
  const declarations: Node[] = []
  const lists: Node[] = []
  for (const node of statementsOf(source.root.namedChildren, 0)) {
    const list = listedBy(source, node)
    if (/^import(?:_from)?_statement$/.test(node.type)) noteImport(source, node, imports, reexports)
    else if (list === undefined) declarations.push(node)
    else lists.push(list)
  }
  const names = new Set(
    lists.flatMap((list) => list.descendantsOfType('string_content').map((text) => source.textOf(text))),
  )
  // Where the list is put together from others it cannot be known without running the module.
  const hasAll = lists.length > 0 && lists.every((list) => /^(?:list|tuple|string|argument_list)$/.test(list.type))
  const isPublic = (name: string): boolean => (hasAll ? names.has(name) : !name.startsWith('_'))
  const symbols = mergeByName(declarations.flatMap((node) => declared(source, node, isPublic, 0)))
  return {
    doc: docstring(source, source.root.namedChildren),
    symbols,
    // What a module imports is its own affair, unless it lists it.
    reexports: hasAll
      ? reexports.filter((text) => text.endsWith('*') || names.has(/\w+$/.exec(text)?.[0] ?? ''))
      : reexports.filter((text) => text.endsWith('*') && text.startsWith('from .')),
    imports,
  }
}

/** Statements, also those that stand in `if` and `try` at the top: of alternatives each is looked at. */
function statementsOf(nodes: readonly Node[], depth: number): Node[] {
  return nodes.flatMap((node) => {
    if (depth > mostBlocks || !/^(?:if|try|with)_statement$|_clause$|^block$/.test(node.type)) return [node]
    const isBlock = node.type === 'block'
    const inner = isBlock ? node.namedChildren : node.namedChildren.filter(({ type }) => /_clause$|^block$/.test(type))
    return statementsOf(inner, depth + 1)
  })
}

/** What a statement adds to `__all__`. */
function listedBy(source: Source, node: Node): Node | undefined {
  const assigned = assignmentOf(node)
  const left = assigned?.childForFieldName('left')
  if (left?.type === 'identifier' && source.textOf(left) === '__all__')
    return assigned?.childForFieldName('right') ?? undefined
  const call = node.type === 'expression_statement' ? node.namedChild(0) : null
  const callee = call?.type === 'call' ? call.childForFieldName('function') : null
  if (callee == null || !/^__all__\.(?:append|extend)$/.test(source.textOf(callee))) return undefined
  const [first] = call?.childForFieldName('arguments')?.namedChildren ?? []
  return first
}

const assignmentOf = (node: Node): Node | undefined => {
  const inner = node.type === 'expression_statement' ? node.namedChild(0) : null
  return inner?.type === 'assignment' || inner?.type === 'augmented_assignment' ? inner : undefined
}

function noteImport(source: Source, node: Node, imports: string[], reexports: string[]): void {
  const module = node.childForFieldName('module_name')
  if (module === null) {
    for (const name of node.namedChildren)
      imports.push(source.textOf(name.type === 'aliased_import' ? (name.childForFieldName('name') ?? name) : name))
    return
  }
  const from = source.textOf(module)
  imports.push(from)
  for (const name of node.namedChildren.slice(1)) {
    if (isComment(name)) continue
    const text = name.type === 'wildcard_import' ? '*' : oneLine(source.textOf(name))
    reexports.push(`from ${from} import ${text}`)
    // `from . import name` may name a module.
    if (/^\.+$/.test(from) && name.type === 'dotted_name') imports.push(from + text)
  }
}

function declared(source: Source, node: Node, isPublic: (name: string) => boolean, depth: number): ExportedSymbol[] {
  const inner = node.type === 'decorated_definition' ? node.childForFieldName('definition') : node
  if (inner?.type === 'function_definition' || inner?.type === 'class_definition') {
    const name = source.textOf(inner.childForFieldName('name') ?? inner)
    if (!isPublic(name) || !source.takes()) return []
    return [definition(source, node, inner, name, depth)]
  }
  if (node.type === 'type_alias_statement') {
    const name = oneLine(source.textOf(node.childForFieldName('left') ?? node)).replace(/\[.*/, '')
    return isPublic(name) && source.takes()
      ? [source.symbol(node, { name, kind: 'type', signature: source.header(node) })]
      : []
  }
  return variable(source, node, isPublic)
}

function definition(source: Source, whole: Node, inner: Node, name: string, depth: number): ExportedSymbol {
  const body = inner.childForFieldName('body')
  const decorators = whole.namedChildren.filter(({ type }) => type === 'decorator')
  const marks = decorators.map((decorator) => `${oneLine(source.textOf(decorator)).slice(0, 100)} `).join('')
  const isClass = inner.type === 'class_definition'
  const statements = body === null ? [] : statementsOf(body.namedChildren, 0)
  const isMember = (member: string): boolean => !member.startsWith('_') || shownMagic.has(member)
  const members =
    isClass && depth < symbolLimits.depth
      ? mergeByName(statements.flatMap((child) => declared(source, child, isMember, depth + 1)))
      : []
  const constructor = members.find((member) => member.name === '__init__')
  return source.symbol(whole, {
    name,
    kind: isClass ? 'class' : depth > 0 ? 'method' : 'function',
    signature: marks + source.header(inner, body),
    doc: docstring(source, body?.namedChildren ?? []) ?? (isClass ? constructor?.doc : undefined),
    members,
  })
}

function variable(source: Source, node: Node, isPublic: (name: string) => boolean): ExportedSymbol[] {
  const assigned = assignmentOf(node)
  if (assigned?.type !== 'assignment') return []
  const { names, value } = targetsOf(source, assigned)
  return names.flatMap((name) => {
    if (!isPublic(name) || !source.takes()) return []
    const isShort = value === null || value.endIndex - value.startIndex <= 80
    const signature = isShort ? source.header(assigned) : source.header(assigned, value)
    return [source.symbol(node, { name, kind: /^[A-Z\d_]+$/.test(name) ? 'constant' : 'variable', signature })]
  })
}

/** The names of `a = b = value` and `a, b = value`. */
function targetsOf(source: Source, assigned: Node): { names: readonly string[]; value: Node | null } {
  const names: string[] = []
  let value: Node | null = assigned
  while (value?.type === 'assignment' && names.length < 100) {
    const left = value.childForFieldName('left')
    const targets = left?.type === 'pattern_list' ? left.namedChildren : left === null ? [] : [left]
    for (const target of targets) if (target.type === 'identifier') names.push(source.textOf(target))
    value = value.childForFieldName('right')
  }
  return { names, value }
}

/** The first statement, where it is a text and nothing else. */
function docstring(source: Source, nodes: readonly Node[]): string | undefined {
  const first = nodes.find((node) => !isComment(node))
  const text = first?.type === 'expression_statement' ? first.namedChild(0) : undefined
  if (text?.type !== 'string' && text?.type !== 'concatenated_string') return undefined
  return clean(
    text
      .descendantsOfType('string_content')
      .map((part) => source.textOf(part))
      .join('')
      .replace(/^\s+/, '')
      .split(/\r?\n/),
  )
}

/** `@overload`s, setters of properties and alternatives in `try` share a name. */
function mergeByName(symbols: readonly ExportedSymbol[]): ExportedSymbol[] {
  const merged = new Map<string, ExportedSymbol>()
  for (const symbol of symbols) {
    const before = merged.get(symbol.name)
    if (before === undefined) {
      merged.set(symbol.name, symbol)
      continue
    }
    const doc = before.doc ?? symbol.doc
    const wasOverload = /@(?:typing\.|t\.)?overload\b/.test(before.signature)
    const isOverload = /@(?:typing\.|t\.)?overload\b/.test(symbol.signature)
    const isLong = before.signature.length > 2_000
    merged.set(symbol.name, {
      ...before,
      ...(wasOverload && isOverload && !isLong ? { signature: `${before.signature}; ${symbol.signature}` } : {}),
      ...(wasOverload || isOverload ? { endLine: symbol.endLine } : {}),
      ...(doc === undefined ? {} : { doc }),
    })
  }
  return [...merged.values()]
}
