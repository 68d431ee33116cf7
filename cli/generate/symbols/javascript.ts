import type { Node } from 'web-tree-sitter'
import { CommonJs } from './commonjs.ts'
import { declared, decoratorsOf } from './javascript-declarations.ts'
import { type Statement, docOf } from './jsdoc.ts'
import { mergeOverloads } from './overloads.ts'
import type { ModuleContents, Source } from './source.ts'
import { commentText, isComment, oneLine } from './source.ts'
import type { ExportedSymbol } from './symbol.ts'

/** Reads TypeScript and JavaScript: ES modules, CommonJS, declarations. */
export function readJavaScript(source: Source): ModuleContents {
  const nodes = source.root.namedChildren.filter((node) => node !== null)
  const reader = new ModuleReader(source, statementsOf(source, nodes))
  const symbols = reader.read()
  return { doc: fileDoc(source, nodes), symbols, reexports: reader.reexports, imports: reader.imports }
}

function statementsOf(source: Source, nodes: readonly Node[]): Statement[] {
  return nodes.flatMap((node, index) => (isComment(node) ? [] : [{ node, doc: docOf(source, nodes, index) }]))
}

/** The first comment, unless it is that of the first declaration. */
function fileDoc(source: Source, nodes: readonly Node[]): string | undefined {
  const index = nodes.findIndex(({ type }) => type !== 'hash_bang_line')
  const first = nodes[index]
  if (first === undefined || !isComment(first)) return undefined
  const text = source.textOf(first)
  if (!text.startsWith('/**')) return undefined
  const next = nodes[index + 1]
  const isOfFile =
    next === undefined || isComment(next) || /^(?:import_statement|expression_statement)$/.test(next.type)
  return isOfFile || /@(?:module|packageDocumentation|file|fileoverview)\b/.test(text) ? commentText(text) : undefined
}

const literal = (text: string): string => text.replace(/^['"`]|['"`]$/g, '')

/** Of one name: overloads, and what TypeScript merges. */
const mostDeclarations = 50

class ModuleReader {
  readonly reexports: string[] = []
  readonly imports: string[] = []
  readonly #source: Source
  readonly #statements: readonly Statement[]
  /** Declarations that are not exported where they stand, by name. */
  readonly #locals = new Map<string, Statement[]>()
  /** Where names come from that were imported. */
  readonly #imported = new Map<string, string>()

  constructor(source: Source, statements: readonly Statement[]) {
    this.#source = source
    this.#statements = statements
  }

  read(): ExportedSymbol[] {
    for (const statement of this.#statements) this.#note(statement)
    const symbols: ExportedSymbol[] = []
    for (const statement of this.#statements) {
      if (statement.node.type === 'export_statement') symbols.push(...this.#exported(statement))
      else if (statement.node.type === 'ambient_declaration') symbols.push(...this.#ambient(statement))
    }
    const isModule = this.#statements.some(({ node }) => /^(?:import|export)_statement$/.test(node.type))
    if (isModule && symbols.length + this.reexports.length > 0) return mergeOverloads(symbols)
    const commonJs = new CommonJs(this.#source, (name, exportedAs) => this.#local(name, exportedAs))
    symbols.push(...commonJs.read(this.#statements))
    this.reexports.push(...commonJs.reexports)
    this.imports.push(...commonJs.imports)
    return mergeOverloads(symbols)
  }

  #note(statement: Statement): void {
    const { node } = statement
    if (node.type === 'import_statement') this.#noteImport(node)
    for (const name of namesOf(this.#source, node)) {
      const before = this.#locals.get(name)
      if (before === undefined) this.#locals.set(name, [statement])
      else if (before.length < mostDeclarations) before.push(statement)
    }
  }

  #noteImport(node: Node): void {
    const from = node.childForFieldName('source')
    if (from === null) return
    this.imports.push(literal(this.#source.textOf(from)))
    const clause = node.namedChildren.find((child) => child.type === 'import_clause')
    for (const child of clause?.namedChildren ?? []) {
      const bound = child.type === 'named_imports' ? child.namedChildren : [child]
      for (const name of bound) {
        const local = name.childForFieldName('alias') ?? name.childForFieldName('name') ?? name.namedChild(0) ?? name
        this.#imported.set(this.#source.textOf(local), this.#source.textOf(from))
      }
    }
  }

  #exported({ node, doc }: Statement): ExportedSymbol[] {
    const from = node.childForFieldName('source')
    if (from !== null) {
      this.imports.push(literal(this.#source.textOf(from)))
      this.reexports.push(oneLine(this.#source.textOf(node)).replace(/^export (?:type (?=\*|\{))?/, ''))
      return []
    }
    const isDefault = node.children.some(({ type }) => type === 'default')
    const declaration = node.childForFieldName('declaration')
    if (declaration !== null)
      return declared(this.#source, declaration, {
        doc,
        before: `${decoratorsOf(this.#source, node)}export ${isDefault ? 'default ' : ''}`,
        isDefault,
        whole: node,
      })
    const value = node.childForFieldName('value')
    if (value !== null) return this.#defaultValue(node, value, doc)
    const clause = node.namedChildren.find(({ type }) => type === 'export_clause')
    if (clause !== undefined) return clause.namedChildren.flatMap((specifier) => this.#specified(specifier))
    // `export = name`; `export as namespace name` says nothing of what there is.
    const isAssignment = node.children.some(({ type }) => type === '=')
    const assigned = node.namedChildren.findLast((child) => !isComment(child))
    return isAssignment && assigned !== undefined ? this.#defaultValue(node, assigned, doc, 'export =') : []
  }

  #defaultValue(node: Node, value: Node, doc: string | undefined, exportedAs = 'default'): ExportedSymbol[] {
    if (value.type === 'identifier') {
      const found = this.#local(this.#source.textOf(value), exportedAs)
      if (found.length > 0) return found
    }
    const before = exportedAs === 'default' ? 'export default ' : 'export = '
    if (value.type === 'identifier') {
      // Imported, or exported by its name, too: that says what it is.
      const name = this.#source.textOf(value)
      if (!this.#source.takes()) return []
      return [this.#source.symbol(node, { name, exportedAs, kind: 'variable', signature: before + name, doc })]
    }
    return declared(this.#source, value, { doc, before, isDefault: true, exportedAs, whole: node })
  }

  #specified(specifier: Node): ExportedSymbol[] {
    const name = specifier.childForFieldName('name')
    if (name === null) return []
    const local = this.#source.textOf(name)
    const alias = specifier.childForFieldName('alias')
    const exportedAs = alias === null ? local : this.#source.textOf(alias)
    const found = this.#local(local, exportedAs)
    if (found.length > 0) return found
    const from = this.#imported.get(local)
    if (from !== undefined) {
      this.reexports.push(`{ ${local === exportedAs ? local : `${local} as ${exportedAs}`} } from ${from}`)
      return []
    }
    if (!this.#source.takes()) return []
    const signature = `export { ${oneLine(this.#source.textOf(specifier))} }`
    return [this.#source.symbol(specifier, { name: local, exportedAs, kind: 'variable', signature })]
  }

  #ambient({ node, doc }: Statement): ExportedSymbol[] {
    const inner = node.namedChildren.find((child) => !isComment(child))
    if (inner === undefined || (inner.type !== 'module' && inner.type !== 'statement_block')) return []
    if (inner.type === 'module') return declared(this.#source, inner, { doc, before: 'declare ' })
    if (!this.#source.takes()) return []
    const members = inner.namedChildren.flatMap((child) =>
      declared(this.#source, child, { doc: undefined, before: '' }),
    )
    return [this.#source.symbol(node, { name: 'global', kind: 'module', signature: 'declare global', doc, members })]
  }

  /** What a name stands for that is declared in the module, as it is exported. */
  #local(name: string, exportedAs: string): ExportedSymbol[] {
    return (this.#locals.get(name) ?? []).flatMap(({ node, doc }) =>
      declared(this.#source, node, { doc, before: '', exportedAs, only: name }),
    )
  }
}

/** The names that a statement declares. */
function namesOf(source: Source, node: Node): string[] {
  if (node.type === 'ambient_declaration')
    return node.namedChildren.flatMap((child) => (child.type === node.type ? [] : namesOf(source, child)))
  if (/^(?:lexical|variable)_declaration$/.test(node.type))
    return node.namedChildren.flatMap((child) => {
      const name = child.childForFieldName('name')
      return name === null ? [] : [source.textOf(name)]
    })
  if (node.type === 'expression_statement') {
    const inner = node.namedChild(0)
    return inner?.type === 'internal_module' ? namesOf(source, inner) : []
  }
  if (!/_declaration$|^function_signature$|^(?:internal_)?module$/.test(node.type)) return []
  const name = node.childForFieldName('name')
  return name === null ? [] : [source.textOf(name)]
}
