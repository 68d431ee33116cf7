import type { Node } from 'web-tree-sitter'
import type { ModuleContents, Source } from './source.ts'
import { commentText, isComment, oneLine, symbolLimits } from './source.ts'
import type { ExportedSymbol, SymbolKind } from './symbol.ts'

const kinds: Readonly<Record<string, SymbolKind>> = {
  function_item: 'function',
  function_signature_item: 'function',
  struct_item: 'class',
  union_item: 'class',
  enum_item: 'enum',
  trait_item: 'interface',
  type_item: 'type',
  associated_type: 'type',
  const_item: 'constant',
  static_item: 'variable',
  mod_item: 'module',
  macro_definition: 'macro',
}

/** An item with the comments and attributes above it. */
interface Item {
  readonly node: Node
  readonly doc: string | undefined
  readonly attributes: readonly string[]
}

/** Reads a file of Rust: what is `pub`, the methods of `impl` blocks below their type, macros that are exported. */
export function readRust(source: Source): ModuleContents {
  const nodes = source.root.namedChildren
  const imports: string[] = []
  const reexports: string[] = []
  for (const node of nodes) {
    if (node.type === 'mod_item' && node.childForFieldName('body') === null)
      imports.push(`mod ${source.textOf(node.childForFieldName('name') ?? node)}`)
    if (node.type !== 'use_declaration') continue
    const path = oneLine(source.textOf(node.childForFieldName('argument') ?? node))
    imports.push(path)
    if (isPublic(source, node)) reexports.push(`pub use ${path}`)
  }
  return { doc: innerDoc(source, nodes), symbols: readItems(source, nodes, 0), reexports, imports }
}

/** `//!` and `/*!`: of what they stand in. */
function innerDoc(source: Source, nodes: readonly Node[]): string | undefined {
  const texts: string[] = []
  for (const node of nodes) {
    if (!isComment(node) && node.type !== 'inner_attribute_item') break
    if (isComment(node) && node.childForFieldName('inner') !== null) texts.push(source.textOf(node).trimEnd())
  }
  return texts.length === 0 ? undefined : texts.map(commentText).join('\n')
}

function itemsOf(source: Source, nodes: readonly Node[]): Item[] {
  const items: Item[] = []
  let docs: string[] = []
  let attributes: string[] = []
  for (const node of nodes) {
    if (isComment(node)) {
      if (node.childForFieldName('outer') !== null) docs.push(source.textOf(node).trimEnd())
    } else if (node.type === 'attribute_item') {
      attributes.push(oneLine(source.textOf(node)))
    } else {
      const isBlock = docs[0]?.startsWith('/*') === true
      const doc =
        docs.length === 0 ? undefined : isBlock ? docs.map(commentText).join('\n') : commentText(docs.join('\n'))
      items.push({ node, doc, attributes })
      docs = []
      attributes = []
    }
  }
  return items
}

/** `pub`; not `pub(crate)`, which is for the crate's own modules. */
const isPublic = (source: Source, node: Node): boolean =>
  node.namedChildren.some((child) => child.type === 'visibility_modifier' && source.textOf(child) === 'pub')

const isHidden = ({ attributes }: Item): boolean =>
  attributes.some((attribute) => /^#\[(?:doc\(hidden\)|cfg\(test\)|test)\]/.test(attribute))

function readItems(source: Source, nodes: readonly Node[], depth: number): ExportedSymbol[] {
  const symbols: ExportedSymbol[] = []
  const items = itemsOf(source, nodes)
  for (const item of items) {
    const isExportedMacro =
      item.node.type === 'macro_definition' && item.attributes.some((attribute) => /\bmacro_export\b/.test(attribute))
    if (isHidden(item) || !(isExportedMacro || isPublic(source, item.node))) continue
    if (kinds[item.node.type] !== undefined && source.takes()) symbols.push(itemSymbol(source, item, depth))
  }
  return symbols.concat(addImplementations(source, items, symbols))
}

/** What `impl` blocks add to the types of this file; what is left are those of types of other files. */
function addImplementations(source: Source, items: readonly Item[], symbols: ExportedSymbol[]): ExportedSymbol[] {
  const others: ExportedSymbol[] = []
  const here = new Set(items.map(({ node }) => node.childForFieldName('name')?.text))
  for (const { node, doc } of items) {
    if (node.type !== 'impl_item') continue
    const type = node.childForFieldName('type')
    const body = node.childForFieldName('body')
    const name = type === null ? '' : (type.childForFieldName('type') ?? type).text.replace(/^.*::|<.*$/gs, '')
    const trait = node.childForFieldName('trait')
    const place = symbols.findIndex((symbol) => symbol.name === name && /^(?:class|enum|type)$/.test(symbol.kind))
    const known = symbols[place]
    // Methods of a type that others do not see are none of theirs; a type of another file may be one that they see.
    const isOfTrait = trait !== null && symbols.some((symbol) => symbol.name === trait.text)
    if (known === undefined && !isOfTrait && (here.has(name) || trait !== null)) continue
    if (!source.takes()) break
    const members = trait === null ? membersOf(source, body, true) : []
    if (trait === null && members.length === 0) continue
    if (trait !== null || known === undefined) {
      const header = source.header(node, body)
      const implementation = source.symbol(node, { name: header, kind: 'type', signature: header, doc, members })
      if (known === undefined) others.push(implementation)
      else symbols[place] = { ...known, members: [...(known.members ?? []), implementation] }
    } else symbols[place] = { ...known, members: [...(known.members ?? []), ...members] }
  }
  return others
}

function itemSymbol(source: Source, { node, doc, attributes }: Item, depth: number): ExportedSymbol {
  const kind = kinds[node.type] ?? 'type'
  const body = node.childForFieldName('body')
  const name = source.textOf(node.childForFieldName('name') ?? node)
  const marks = attributes
    .filter((attribute) => /^#\[(?:derive|non_exhaustive|deprecated|must_use|cfg|repr|proc_macro)/.test(attribute))
    .map((attribute) => `${attribute.slice(0, 150)} `)
    .join('')
  const isModule = kind === 'module'
  const inner = isModule && body !== null ? innerDoc(source, body.namedChildren) : undefined
  const members =
    body === null
      ? []
      : isModule
        ? depth < symbolLimits.depth
          ? readItems(source, body.namedChildren, depth + 1)
          : []
        : membersOf(source, body, kind !== 'interface' && kind !== 'enum')
  return source.symbol(node, {
    name,
    kind,
    signature: marks + signatureOf(source, node, kind, body),
    doc: doc ?? inner,
    members,
  })
}

function signatureOf(source: Source, node: Node, kind: SymbolKind, body: Node | null): string {
  if (kind === 'macro') return macroSignature(source, node)
  // The fields of a tuple are part of what it looks like.
  if (body?.type === 'ordered_field_declaration_list') return source.header(node)
  const value = node.childForFieldName('value')
  const isLong = value !== null && value.endIndex - value.startIndex > 80
  return source.header(node, body ?? (isLong ? value : null)).replace(/ ?=$/, '')
}

/** The patterns of its rules. */
function macroSignature(source: Source, node: Node): string {
  const name = source.textOf(node.childForFieldName('name') ?? node)
  const rules = node.namedChildren.filter(({ type }) => type === 'macro_rule').slice(0, 8)
  const patterns = rules.map((rule) => oneLine(source.textOf(rule.childForFieldName('left') ?? rule)).slice(0, 100))
  return `macro_rules! ${name} { ${patterns.join('; ')} }`
}

/** Fields, variants, methods, associated types and constants. */
function membersOf(source: Source, body: Node | null, onlyPublic: boolean): ExportedSymbol[] {
  if (body === null || body.type === 'block') return []
  return itemsOf(source, body.namedChildren).flatMap((item) => {
    const { node, doc } = item
    if (isHidden(item) || (onlyPublic && !isPublic(source, node))) return []
    const nameNode = node.childForFieldName('name')
    if (nameNode === null || !source.takes()) return []
    const isFunction = kinds[node.type] === 'function'
    const isField = node.type === 'field_declaration'
    const kind = isFunction ? 'method' : isField ? 'property' : (kinds[node.type] ?? 'constant')
    const signature =
      node.type === 'enum_variant'
        ? source.header(node)
        : signatureOf(source, node, kind, node.childForFieldName('body'))
    return [source.symbol(node, { name: source.textOf(nameNode), kind, signature, doc })]
  })
}
