import type { Node } from 'web-tree-sitter'
import { declared } from './javascript-declarations.ts'
import { type Statement, docOf } from './jsdoc.ts'
import type { Source } from './source.ts'
import type { ExportedSymbol } from './symbol.ts'

/** `module.exports` and what is set on it at the top of a file. */
export class CommonJs {
  readonly reexports: string[] = []
  readonly imports: string[] = []
  readonly #source: Source
  readonly #local: (name: string, exportedAs: string) => ExportedSymbol[]
  /** Declared names that are exported already: many modules set themselves as their `default`, too. */
  readonly #exported = new Set<string>()

  constructor(source: Source, local: (name: string, exportedAs: string) => ExportedSymbol[]) {
    this.#source = source
    this.#local = local
  }

  read(statements: readonly Statement[]): ExportedSymbol[] {
    const symbols: ExportedSymbol[] = []
    for (const { node, doc } of statements) {
      this.#noteRequires(node)
      const expression = node.type === 'expression_statement' ? node.namedChild(0) : null
      if (expression?.type === 'assignment_expression') symbols.push(...this.#assigned(node, expression, doc))
      else if (expression?.type === 'call_expression') symbols.push(...this.#called(expression))
    }
    return symbols
  }

  #noteRequires(node: Node): void {
    if (!/^(?:lexical|variable)_declaration$/.test(node.type)) return
    for (const declarator of node.namedChildren) this.#required(declarator.childForFieldName('value'))
  }

  /** What a `require('…')` names, also where a member of it is taken. */
  #required(value: Node | null): string | undefined {
    const call = value?.type === 'member_expression' ? value.childForFieldName('object') : value
    if (call?.type !== 'call_expression' || call.childForFieldName('function')?.text !== 'require') return undefined
    const argument = call.childForFieldName('arguments')?.namedChild(0)
    if (argument?.type !== 'string') return undefined
    const name = this.#source.textOf(argument).slice(1, -1)
    this.imports.push(name)
    return name
  }

  #assigned(statement: Node, expression: Node, doc: string | undefined): ExportedSymbol[] {
    const names: string[] = []
    let value: Node | null = expression
    while (value?.type === 'assignment_expression' && names.length < 100) {
      const left = value.childForFieldName('left')
      const name = left === null ? undefined : exportedName(this.#source.textOf(left))
      if (name !== undefined) names.push(name)
      value = value.childForFieldName('right')
    }
    if (names.length === 0 || value === null) return []
    // Of `exports = module.exports = x` it is one thing.
    return [...new Set(names)].slice(0, 1).flatMap((name) => this.#value(name, value, statement, doc))
  }

  #value(name: string, value: Node, statement: Node, doc: string | undefined): ExportedSymbol[] {
    const text = this.#source.textOf(value)
    if (value.type === 'unary_expression' && text.startsWith('void')) return []
    if (value.type === 'identifier' || value.type === 'shorthand_property_identifier') {
      if (this.#exported.has(text)) return []
      this.#exported.add(text)
      const found = this.#local(text, name)
      if (found.length > 0) return found
    }
    const required = this.#required(value)
    if (required !== undefined) {
      this.reexports.push(name === 'module.exports' ? `* from '${required}'` : `${name} from '${required}'`)
      return []
    }
    if (value.type === 'object' && name === 'module.exports') return this.#properties(value)
    const before = name === 'module.exports' ? 'module.exports = ' : `exports.${name} = `
    return declared(this.#source, value, { doc, before, isDefault: true, exportedAs: name, whole: statement })
  }

  #properties(object: Node): ExportedSymbol[] {
    const nodes = object.namedChildren
    return nodes.flatMap((node, index) => {
      const doc = docOf(this.#source, nodes, index)
      if (node.type === 'shorthand_property_identifier') return this.#value(this.#source.textOf(node), node, node, doc)
      if (node.type === 'spread_element') {
        const required = this.#required(node.namedChild(0))
        if (required !== undefined) this.reexports.push(`* from '${required}'`)
        return []
      }
      const key = node.childForFieldName('key') ?? node.childForFieldName('name')
      if (key === null) return []
      const name = this.#source.textOf(key).replace(/^['"]|['"]$/g, '')
      if (node.type === 'pair') {
        const value = node.childForFieldName('value')
        return value === null ? [] : this.#value(name, value, node, doc)
      }
      if (node.type !== 'method_definition' || !this.#source.takes()) return []
      const signature = this.#source.header(node, node.childForFieldName('body'))
      return [this.#source.symbol(node, { name, kind: 'function', signature, doc })]
    })
  }

  /** What compilers write: `Object.defineProperty(exports, "name", …)`, `__exportStar(require("./x"), exports)`. */
  #called(call: Node): ExportedSymbol[] {
    const callee = call.childForFieldName('function')?.text ?? ''
    const [first, second] = call.childForFieldName('arguments')?.namedChildren ?? []
    if (callee.endsWith('__exportStar') && first !== undefined) {
      const required = this.#required(first)
      if (required !== undefined) this.reexports.push(`* from '${required}'`)
    }
    if (callee !== 'Object.defineProperty' || second?.type !== 'string') return []
    if (!/^(?:module\.)?exports$/.test(first?.text ?? '')) return []
    const name = second.text.slice(1, -1)
    if (name === '__esModule' || !this.#source.takes()) return []
    return [this.#source.symbol(call, { name, kind: 'variable', signature: `exports.${name}` })]
  }
}

/** `a` of `exports.a` and `module.exports.a`; `module.exports` itself. */
function exportedName(target: string): string | undefined {
  if (target === 'module.exports') return target
  const name = /^(?:module\.)?exports\.([\w$]+)$/.exec(target)?.[1]
  return name === '__esModule' ? undefined : name
}
