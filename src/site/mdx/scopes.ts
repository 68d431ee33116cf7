import type {
  Declaration,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  FunctionDeclaration,
  Identifier,
  ModuleDeclaration,
  Program,
  Statement,
  VariableDeclarator,
} from 'estree-jsx'
import { placeOf } from './expression.ts'
import type { Import, ModuleNode } from './graph.ts'
import { bind } from './interpreter/functions.ts'
import type { Interpreter } from './interpreter/interpreter.ts'
import {
  reasonOf,
  Scope,
  Closure,
  dictionary,
  Imported,
  NeedsScript,
  type Item,
  type Origin,
} from './interpreter/values.ts'
import { isScript } from './module.ts'
import { type Node, startOf } from './nodes.ts'
import type { PageState } from './page-state.ts'
import type { SourceLocation } from './problem.ts'

type RenderImported = (node: ModuleNode) => Imported['render']

/**
 * The names that the modules of one page see: what they import, what they export, `frontmatter`, `props`. Exports are
 * evaluated when something uses them, so that one which needs JavaScript hurts only its users.
 */
export class Scopes {
  readonly #interpreter: Interpreter
  readonly #state: PageState
  readonly #render: RenderImported
  readonly #known = new Map<ModuleNode, { readonly scope: Scope; readonly exports: ReadonlySet<string> }>()

  constructor(interpreter: Interpreter, state: PageState, render: RenderImported) {
    this.#interpreter = interpreter
    this.#state = state
    this.#render = render
  }

  of(node: ModuleNode): Scope {
    return this.#open(node).scope
  }

  /** A scope for one use of a snippet: its module’s, and the attributes of the use as names. */
  withProps(node: ModuleNode, props: ReadonlyMap<string, Item>): Scope {
    const scope = new Scope(this.of(node))
    for (const [name, value] of props) scope.define(name, value)
    scope.define('props', dictionary(props))
    return scope
  }

  #open(node: ModuleNode): { readonly scope: Scope; readonly exports: ReadonlySet<string> } {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    const scope = new Scope()
    const exports = new Set<string>()
    const opened = { scope, exports }
    this.#known.set(node, opened)
    scope.define('frontmatter', node.module.frontMatter.data)
    scope.define('props', dictionary())
    for (const [local, entry] of node.imports) this.#import(local, entry, scope, node)
    for (const program of node.module.programs) this.#declare(program, scope, exports, node)
    return opened
  }

  #import(local: string, entry: Import, scope: Scope, importer: ModuleNode): void {
    const place = { path: importer.module.path, line: 1, column: 1 }
    if (entry.kind === 'asset') scope.define(local, entry.href)
    else if (entry.kind === 'script') {
      scope.defer(local, () => {
        throw new NeedsScript(entry.reason, place)
      })
    } else if (entry.kind === 'react') scope.defer(local, () => this.#react(entry.imported, place))
    else if (entry.imported === 'default' && !isScript(entry.node.module.path))
      scope.define(local, new Imported(entry.node.module.path, this.#render(entry.node)))
    else scope.defer(local, () => this.#exported(entry.node, entry.imported, place))
  }

  #react(name: string, place: SourceLocation): Item {
    const { react } = this.#interpreter
    if (name === 'default' || name === '*') return react
    const member = react.members.get(name)
    if (member === undefined) throw new NeedsScript(`uses \`${name}\` of React`, place)
    return member
  }

  #exported(node: ModuleNode, name: string, place: { path: string; line: number; column: number }): Item {
    const { scope, exports } = this.#open(node)
    if (name === '*') {
      const members = [...exports].map((key) => [key, scope.find(key)?.value] as const)
      if (isScript(node.module.path)) return dictionary(members)
      return dictionary([...members, ['default', new Imported(node.module.path, this.#render(node))]])
    }
    const found = exports.has(name) ? scope.find(name) : undefined
    if (found === undefined)
      throw new NeedsScript(`imports \`${name}\`, which \`${node.module.path}\` does not export`, place)
    return found.value
  }

  #declare(program: Program, scope: Scope, exports: Set<string>, node: ModuleNode): void {
    const { path } = node.module
    for (const statement of program.body) {
      if (statement.type === 'ImportDeclaration') continue
      if (statement.type === 'ExportNamedDeclaration') {
        this.#exportNamed(statement, scope, exports, node)
        continue
      }
      if (statement.type === 'ExportDefaultDeclaration' && isScript(path)) {
        this.#exportDefault(statement.declaration, scope, path)
        exports.add('default')
        continue
      }
      const declared = this.#declaration(statement, scope, path)
      if (declared === undefined) this.#ignore(statement, path)
    }
  }

  #exportDefault(declaration: ExportDefaultDeclaration['declaration'], scope: Scope, path: string): void {
    const origin = { path, name: 'default' }
    scope.defer('default', () => {
      if (declaration.type === 'ClassDeclaration') throw new NeedsScript('has a class', placeOf(declaration))
      if (declaration.type !== 'FunctionDeclaration')
        return named(this.#interpreter.evaluate(declaration, scope), origin)
      return named(new Closure(declaration as FunctionDeclaration, scope), origin)
    })
    if (declaration.type === 'FunctionDeclaration' && declaration.id !== null)
      this.#declaration(declaration as FunctionDeclaration, scope, path)
  }

  #exportNamed(statement: ExportNamedDeclaration, scope: Scope, exports: Set<string>, node: ModuleNode): void {
    const { path } = node.module
    if (statement.declaration) {
      const names = this.#declaration(statement.declaration, scope, path)
      for (const name of names ?? []) exports.add(name)
      if (names === undefined) this.#ignore(statement, path)
      return
    }
    if (statement.source) {
      const target = node.targets.get(String(statement.source.value))
      if (target?.kind !== 'module') this.#ignore(statement, path)
      else
        for (const { local, exported } of statement.specifiers) {
          const [from, to] = [(local as Identifier).name, (exported as Identifier).name]
          exports.add(to)
          scope.defer(to, () => this.#exported(target.node, from, placeOf(statement)))
        }
      return
    }
    for (const { local, exported } of statement.specifiers) {
      const [from, to] = [(local as Identifier).name, (exported as Identifier).name]
      exports.add(to)
      if (from !== to) scope.defer(to, () => scope.find(from)?.value)
    }
  }

  #ignore(statement: Statement | ModuleDeclaration, path: string): void {
    // What a script does beside its components, its island does, too.
    if (isScript(path)) return
    const what =
      statement.type === 'ExportDefaultDeclaration'
        ? 'A layout (`export default`)'
        : `Something that ${reasonOf(statement)}`
    this.#state.warn('script-needed', placeOf(statement), `${what} beside the content has no effect here.`)
  }

  /** Binds what a declaration names; undefined when it is none. */
  #declaration(
    statement: Declaration | Statement | ModuleDeclaration,
    scope: Scope,
    path: string,
  ): readonly string[] | undefined {
    if (statement.type === 'FunctionDeclaration') {
      const { name } = statement.id
      scope.define(name, named(new Closure(statement, scope), { path, name }))
      return [name]
    }
    if (statement.type === 'VariableDeclaration')
      return statement.declarations.flatMap((item) => this.#variable(item, scope, path))
    if (statement.type !== 'ClassDeclaration') return undefined
    scope.defer(statement.id.name, () => {
      throw new NeedsScript('has a class', statement)
    })
    return [statement.id.name]
  }

  #variable({ id, init }: VariableDeclarator, scope: Scope, path: string): readonly string[] {
    const names = namesIn(id)
    let bound: Scope | undefined
    let running = false
    const evaluate = (): Scope => {
      if (bound !== undefined) return bound
      if (running) throw new NeedsScript(`uses \`${names.join('`, `')}\` before it has a value`, id)
      running = true
      try {
        const inner = new Scope()
        const value = init ? this.#interpreter.evaluate(init, scope) : undefined
        bind(this.#interpreter, id, id.type === 'Identifier' ? named(value, { path, name: id.name }) : value, inner)
        bound = inner
        return inner
      } finally {
        running = false
      }
    }
    for (const name of names) scope.defer(name, () => evaluate().find(name)?.value)
    return names
  }
}

/** A component remembers the first name that it is declared by. */
function named(item: Item, origin: Origin): Item {
  if (item instanceof Closure) item.origin ??= origin
  return item
}

/** The names that a pattern binds. */
export function namesIn(pattern: unknown): string[] {
  if (typeof pattern !== 'object' || pattern === null) return []
  const { type, name, left, argument, elements, properties, value } = pattern as Record<string, unknown>
  if (type === 'Identifier') return [String(name)]
  if (type === 'AssignmentPattern') return namesIn(left)
  if (type === 'RestElement') return namesIn(argument)
  if (type === 'Property') return namesIn(value)
  return [...((elements ?? properties ?? []) as unknown[])].flatMap(namesIn)
}

/** What surrounds a node: its module and the names that are bound there. */
export interface NodeContext {
  readonly node: ModuleNode
  readonly scope: Scope
}

/** Where a node begins. */
export function placeIn(node: Node, context: NodeContext): SourceLocation {
  const { line, column } = startOf(node)
  return { path: context.node.module.path, line, column }
}
