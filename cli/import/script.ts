import { posix } from 'node:path'
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser } from 'acorn'
import type { CallExpression, Expression, Identifier, Node, Program, Property, SpreadElement } from 'estree-jsx'
import { placeOf } from '../../src/site/mdx/expression.ts'
import { bind } from '../../src/site/mdx/interpreter/functions.ts'
import { Interpreter } from '../../src/site/mdx/interpreter/interpreter.ts'
import {
  Budget,
  BudgetExceeded,
  dictionary,
  isDictionary,
  isList,
  NeedsScript,
  Scope,
  type Item,
} from '../../src/site/mdx/interpreter/values.ts'
import { callKey, dataOf } from './data.ts'
import type { Project } from './project.ts'
import type { Report } from './report.ts'

const scriptEndings = ['', '.ts', '.mts', '.js', '.mjs', '.cjs', '.tsx', '.jsx', '.json', '/index.ts', '/index.js']
/** A settings file imports some others; a circle ends here, too. */
const maxDepth = 12
const TsParser = Parser.extend(tsPlugin({ jsx: true }))

const silent = new Set(['prism', 'vite', 'webpack', 'search', 'copyright', 'sitemap', 'build', 'transformHead'])

/**
 * Settings files in JavaScript and TypeScript, read and never run: literals, names, templates, spreads, conditions, pure
 * functions, imports of files of the project. An object of which a part cannot be read keeps the others; what could not be
 * read is reported.
 */
export class ScriptReader {
  readonly #project: Project
  readonly #report: Report
  readonly #modules = new Map<string, Scope>()
  readonly #interpreter = new Interpreter(new Budget(), {
    jsx: (node) => {
      throw new NeedsScript('has an element', node)
    },
  })
  #depth = 0

  constructor(project: Project, report: Report) {
    this.#project = project
    this.#report = report
  }

  /** What a file exports by default; undefined where that cannot be read. */
  read(path: string, name = 'default'): Item {
    if (path.endsWith('.json')) return this.#json(path)
    try {
      return this.#module(path)?.find(name === 'default' ? '*default*' : name)?.value
    } catch (error) {
      this.#unreadable(error, path)
      return undefined
    }
  }

  #json(path: string): Item {
    try {
      return dataOf(JSON.parse(this.#project.text(path) ?? 'null'))
    } catch {
      this.#report.add('config', path, 'It is no JSON, and was not read.')
      return undefined
    }
  }

  #module(path: string): Scope | undefined {
    const known = this.#modules.get(path)
    if (known !== undefined) return known
    const text = this.#project.text(path)
    if (text === undefined || this.#depth > maxDepth) return undefined
    const program = this.#parse(path, text)
    if (program === undefined) return undefined
    const scope = new Scope()
    this.#modules.set(path, scope)
    scope.define('process', dictionary([['env', dictionary()]]))
    scope.define('__dirname', posix.dirname(path))
    for (const statement of program.body) this.#declare(statement, scope, path)
    return scope
  }

  #parse(path: string, text: string): Program | undefined {
    try {
      return plain(parseScript(text, path)) as Program
    } catch (error) {
      const { loc, message } = error as Error & { loc?: { line: number } }
      this.#report.add(
        'config',
        path,
        `It cannot be read as a script: ${message.replace(/ \(\d+:\d+\)$/, '')}.`,
        loc?.line,
      )
      return undefined
    }
  }

  #declare(statement: Program['body'][number], scope: Scope, path: string): void {
    switch (statement.type) {
      case 'ImportDeclaration': {
        for (const specifier of statement.specifiers) {
          const name =
            specifier.type === 'ImportSpecifier'
              ? (specifier.imported as Identifier).name
              : specifier.type === 'ImportDefaultSpecifier'
                ? 'default'
                : '*'
          this.#import(specifier.local.name, { from: String(statement.source.value), name, scope, path })
        }
        return
      }
      case 'ExportDefaultDeclaration':
        if (statement.declaration.type === 'FunctionDeclaration') {
          this.#declareFunction(statement.declaration as never, scope, '*default*')
          return
        }
        scope.defer('*default*', () => this.#evaluate(statement.declaration as Expression, scope))
        return
      case 'ExportNamedDeclaration':
        if (statement.declaration) this.#declare(statement.declaration, scope, path)
        return
      case 'FunctionDeclaration':
        this.#declareFunction(statement as never, scope, statement.id.name)
        return
      case 'VariableDeclaration':
        for (const { id, init } of statement.declarations) {
          if (id.type === 'Identifier') {
            if (init) scope.defer(id.name, () => this.#evaluate(init, scope))
          } else if (init && id.type === 'ObjectPattern') {
            for (const property of id.properties)
              if (property.type === 'Property' && property.value.type === 'Identifier')
                scope.defer(property.value.name, () => {
                  const inner = new Scope()
                  bind(this.#interpreter, id, this.#evaluate(init, scope), inner)
                  return inner.find((property.value as Identifier).name)?.value
                })
          }
        }
        return
      case 'ExpressionStatement': {
        const { expression } = statement
        if (expression.type !== 'AssignmentExpression' || expression.left.type !== 'MemberExpression') return
        const { object, property } = expression.left
        if ((object as Identifier).name === 'module' && (property as Identifier).name === 'exports')
          scope.defer('*default*', () => this.#evaluate(expression.right, scope))
        else if ((object as Identifier).name === 'exports')
          scope.defer((property as Identifier).name, () => this.#evaluate(expression.right, scope))
        return
      }
      default:
    }
  }

  #declareFunction(node: Expression, scope: Scope, name: string): void {
    scope.defer(name, () => this.#interpreter.evaluate({ ...node, type: 'FunctionExpression' } as Expression, scope))
  }

  #import(local: string, wanted: { from: string; name: string; scope: Scope; path: string }): void {
    const { from, name, scope, path } = wanted
    const target = this.#find(from, path)
    if (target === undefined) {
      // A package: its calls are kept as calls, under the name that the file gives it.
      if (from.startsWith('.')) this.#report.add('config', path, `It imports ${from}, which is not there.`)
      return
    }
    scope.defer(local, () => this.read(target, name === '*' ? 'default' : name))
  }

  #find(from: string, path: string): string | undefined {
    if (!from.startsWith('.')) return undefined
    const base = posix.join(posix.dirname(path), from)
    return scriptEndings.map((ending) => base + ending).find((candidate) => this.#project.has(candidate))
  }

  /** As the interpreter does, but an object or a list of which a part cannot be read keeps the rest. */
  #evaluate(node: Expression, scope: Scope): Item {
    switch (node.type) {
      case 'ObjectExpression':
        return this.#object(node.properties, scope)
      case 'ArrayExpression':
        return node.elements.flatMap((element) => this.#element(element, scope))
      case 'ConditionalExpression':
        return this.#evaluate(this.#pure(node.test, scope) ? node.consequent : node.alternate, scope)
      case 'LogicalExpression':
        if (node.operator === '&&') return this.#pure(node.left, scope) ? this.#evaluate(node.right, scope) : undefined
        return this.#pure(node, scope)
      case 'CallExpression':
        return this.#call(node, scope)
      case 'TemplateLiteral':
        return node.quasis
          .map(({ value }, index) => (value.cooked ?? '') + this.#textOf(node.expressions[index], scope))
          .join('')
      // Where a text was meant, such as the title of a page: its words.
      case 'JSXElement':
      case 'JSXFragment':
        return wordsOf(node)
      case 'AwaitExpression':
        return this.#evaluate(node.argument, scope)
      default:
        return this.#pure(node, scope)
    }
  }

  #pure(node: Expression, scope: Scope): Item {
    return this.#interpreter.evaluate(node, scope)
  }

  /** A part of a text: what cannot be read is left out of it. */
  #textOf(node: Expression | undefined, scope: Scope): string {
    if (node === undefined) return ''
    try {
      return this.#interpreter.text(this.#evaluate(node, scope), node)
    } catch (error) {
      this.#unreadable(error, placeOf(node).path, node)
      return ''
    }
  }

  #object(properties: readonly (Property | SpreadElement)[], scope: Scope): Item {
    const result = dictionary()
    for (const property of properties) {
      try {
        if (property.type === 'SpreadElement') {
          const value = this.#evaluate(property.argument, scope)
          if (isDictionary(value)) Object.assign(result, value)
        } else {
          const key = this.#interpreter.key(property.key, property.computed, scope)
          // What a setting does is not data, and nobody misses it in a report; nor what only a framework’s tools read.
          if (silent.has(key) && /config/.test(placeOf(property).path)) continue
          if (property.method || /Function/.test(property.value.type)) continue
          result[key] = this.#evaluate(property.value as Expression, scope)
        }
      } catch (error) {
        this.#unreadable(error, placeOf(property).path, property)
      }
    }
    return result
  }

  #element(element: Expression | SpreadElement | null, scope: Scope): readonly Item[] {
    if (element === null) return []
    try {
      if (element.type !== 'SpreadElement') return [this.#evaluate(element, scope)]
      const value = this.#evaluate(element.argument, scope)
      return isList(value) ? value : []
    } catch (error) {
      this.#unreadable(error, placeOf(element).path, element)
      return []
    }
  }

  #call(node: CallExpression, scope: Scope): Item {
    const { callee } = node
    const args = (): Item[] => node.arguments.flatMap((argument) => this.#element(argument, scope))
    if (callee.type === 'Identifier' && callee.name === 'require') {
      const [from] = args()
      const target = typeof from === 'string' ? this.#find(from, placeOf(node).path) : undefined
      return target === undefined ? from : this.read(target)
    }
    // `[a, isProduction && b].filter(Boolean)`: each of them may be a call.
    if (callee.type === 'MemberExpression' && (callee.property as Identifier).name === 'filter') {
      const list = this.#evaluate(callee.object as Expression, scope)
      const [test] = node.arguments
      if (isList(list) && test?.type === 'Identifier' && test.name === 'Boolean') return list.filter(Boolean)
    }
    const isUnknown = callee.type === 'Identifier' && scope.find(callee.name) === undefined
    const isOfUnknown = callee.type === 'MemberExpression' || callee.type === 'CallExpression'
    if (!isUnknown) {
      try {
        return this.#pure(node, scope)
      } catch (error) {
        if (!(error instanceof NeedsScript) || !isOfUnknown) throw error
      }
    }
    return dictionary([
      [callKey, callee.type === 'Identifier' ? callee.name : nameOf(callee)],
      ['arguments', args()],
    ])
  }

  #unreadable(error: unknown, path: string, node?: Node): void {
    if (error instanceof NeedsScript || error instanceof BudgetExceeded) {
      const { line } = error.place ?? {}
      const key = node?.type === 'Property' ? `\`${(node.key as Identifier).name}\` ` : 'A part of it '
      const reason =
        error instanceof NeedsScript
          ? `it ${error.message.replace('which the page does not define', 'which is not known here')}`
          : error.message
      this.#report.add('config', path, `${key}can only be known by running it: ${reason}.`, line)
      return
    }
    throw error
  }
}

function nameOf(node: unknown): string {
  const { type, property, callee, name } = node as {
    type: string
    property?: { name?: string }
    callee?: unknown
    name?: string
  }
  if (type === 'MemberExpression') return property?.name ?? ''
  return type === 'CallExpression' ? nameOf(callee) : (name ?? '')
}

function wordsOf(node: unknown): string {
  const { type, value, children = [] } = node as { type: string; value?: unknown; children?: readonly unknown[] }
  const own = type === 'JSXText' ? String(value) : children.map(wordsOf).join('')
  return own.replaceAll(/&\w+;|\s+/g, ' ').trim()
}

const options = { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, locations: true } as const

/** A script, with the places of its parts. @throws Error with `loc` where it is none */
export const parseScript = (text: string, sourceFile: string): Program =>
  TsParser.parse(text, { ...options, allowReturnOutsideFunction: true, sourceFile }) as Program

/** Types are for compilers: `x as T`, `x satisfies T`, `x!`, `f<T>` are what stands in them. */
function plain(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map(plain)
  const { type, expression } = node as { type?: string; expression?: unknown }
  if (/^TS(?:As|Satisfies|NonNull|Instantiation|TypeAssertion)/.test(type ?? '') || type === 'ParenthesizedExpression')
    return plain(expression)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc' || typeof value !== 'object' || value === null) continue
    ;(node as Record<string, unknown>)[key] = plain(value)
  }
  return node
}
