import type { MaybeNamedFunctionDeclaration, Program, Statement, Node } from 'estree-jsx'
import { calloutDrawings } from '../components/boxes.tsx'
import { icon } from '../components/icons.ts'
import { components as ofTheme } from '../components/registry.ts'
import type { IslandModule } from '../page.ts'
import { placeOf } from './expression.ts'
import type { ModuleNode } from './graph.ts'
import { type Item, NeedsScript } from './interpreter/values.ts'
import { snippetSlot } from './island-props.ts'
import { isScript } from './module.ts'
import { namesIn } from './scopes.ts'

/* What an island is bundled of, read of the syntax trees of its modules. */

/** What one island may be made of: UTF-16 units of code, and files. */
const most = { code: 512 * 1024, files: 100 } as const
export interface Syntax {
  readonly type?: string
  readonly name?: string | { readonly name?: unknown }
  readonly value?: {
    readonly type?: string
    readonly value?: unknown
    readonly expression?: { readonly type?: string; readonly value?: unknown }
  } | null
  readonly key?: { readonly name?: unknown }
  readonly attributes?: readonly Syntax[]
  readonly loc?: Node['loc']
  readonly callee?: { readonly name?: unknown; readonly property?: { readonly name?: unknown } }
}

/** A page that code imports, and the properties that it is given where these are written out. */
export interface SnippetUse {
  readonly node: ModuleNode
  readonly props: ReadonlyMap<string, Item>
}

interface Collected {
  readonly modules: readonly IslandModule[]
  /** Words of its code that name a drawing, by set and name; undefined where it uses no component of the theme. */
  readonly drawings: Drawings | undefined
  /** Pages that its code shows, by the names of their slots. */
  readonly snippets: Map<string, SnippetUse>
}

/** Whether it is an attribute that handles an event. */
export function isHandling({ type, name, value }: Syntax): boolean {
  if (type !== 'JSXAttribute' || typeof name !== 'object') return false
  return /^on[A-Z]/.test(String(name.name)) && value?.type === 'JSXExpressionContainer'
}

/** Whether something holds for a node of a tree. Without recursion. */
export function some(tree: unknown, holds: (node: Syntax) => boolean): boolean {
  const stack: unknown[] = [tree]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (!Array.isArray(node) && holds(node)) return true
    for (const [key, value] of Object.entries(node)) if (key !== 'loc') stack.push(value)
  }
  return false
}

/** A part of a page brings all that its page imports: what is not there would be an error of the whole page. */
export function requireExports(entry: ModuleNode): void {
  const seen = new Set<ModuleNode>()
  const stack = [entry]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    for (const target of node.imports.values()) {
      if (target.kind !== 'module') continue
      stack.push(target.node)
      if (!exportsName(target.node, target.imported))
        throw new NeedsScript(`imports \`${target.imported}\`, which \`${target.node.module.path}\` does not export`, {
          path: node.module.path,
          line: 1,
          column: 1,
        })
    }
  }
}

function exportsName({ module: { path, programs } }: ModuleNode, name: string): boolean {
  if (name === '*' || (name === 'default' && !isScript(path))) return true
  return programs.some(({ body }) =>
    body.some((statement) => {
      if (statement.type === 'ExportAllDeclaration') return true
      if (statement.type === 'ExportDefaultDeclaration') return name === 'default'
      if (statement.type !== 'ExportNamedDeclaration') return false
      return (
        statement.specifiers.some(({ exported }) => exported.type === 'Identifier' && exported.name === name) ||
        declaredBy(statement.declaration).includes(name)
      )
    }),
  )
}

/** All modules of a page by path. */
export function modulesOf(page: ModuleNode): ReadonlyMap<string, ModuleNode> {
  const nodes = new Map<string, ModuleNode>()
  const stack = [page]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (nodes.has(node.module.path)) continue
    nodes.set(node.module.path, node)
    stack.push(...node.snippets.values())
    for (const target of node.targets.values()) if (target.kind === 'module') stack.push(target.node)
  }
  return nodes
}

/** The module and all that it imports, itself first. */
export function collect(entry: ModuleNode): Collected {
  const modules: IslandModule[] = []
  const snippets = new Map<string, SnippetUse>()
  const seen = new Map<string, readonly Program[]>()
  let length = 0
  const stack = [entry]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { path, script, programs } = node.module
    if (seen.has(path)) continue
    seen.set(path, programs)
    length += script.length
    const place = { path, line: 1, column: 1 }
    if (length > most.code || seen.size > most.files)
      throw new NeedsScript(
        `has more than ${most.code / 1024} kB of code, or more than ${most.files} files, with all that it imports`,
        place,
      )
    for (const program of programs) refuseLoading(program)
    const imports: Record<string, string> = {}
    for (const [specifier, target] of node.targets) {
      if (target.kind === 'refused') throw new NeedsScript(target.reason, place)
      if (target.kind === 'module') {
        imports[specifier] = target.node.module.path
        stack.push(target.node)
      } else imports[specifier] = target.kind === 'react' ? 'react' : `asset:${target.href}`
    }
    for (const specifier of programs.flatMap(sourcesOf))
      if (!node.targets.has(specifier))
        throw new NeedsScript(`comes with an import of \`${specifier}\`, which is not there`, place)
    const statements = programs.flatMap(({ body }) => body.filter(({ type }) => type !== 'ImportDeclaration'))
    for (const [slot, use] of snippetsIn(node, statements)) snippets.set(slot, use)
    // What the page itself shows is rendered here.
    const content =
      isScript(path) || node === entry || hasDefault(programs) ? '' : `export default ${snippetOf(path)}\n`
    modules.push({ path, code: `${script}\n${exportsOf(programs)}${content}`, imports })
  }
  const statements = [...seen.values()]
  return { modules, snippets, drawings: usesTheme(statements) ? drawingsIn(statements) : undefined }
}

/** SVG by set and name: `:rocket`, `lucide:info`. */
export type Drawings = ReadonlyMap<string, string>

const mostDrawings = 60

/** Whether code uses components of the theme. */
export function usesTheme(code: readonly unknown[]): boolean {
  return some(code, ({ type, name }) => type === 'JSXIdentifier' && typeof name === 'string' && ofTheme.has(name))
}

/** Icons that code names: in `icon` first, as other words may be names of icons by chance. */
export function drawingsIn(code: readonly unknown[]): Drawings {
  const found = new Map<string, string>()
  const add = (name: unknown): void => {
    const svg = typeof name === 'string' && found.size < mostDrawings ? icon(name) : undefined
    if (svg !== undefined) found.set(`:${String(name).trim().toLowerCase()}`, svg)
  }
  const addAll = (tree: unknown): void => {
    some(tree, ({ type, value }) => {
      if (type === 'Literal') add(value)
      return false
    })
  }
  let isComputed = false
  some(code, (node) => {
    const key = node.type === 'Property' ? node.key : node.name
    if ((node.type !== 'JSXAttribute' && node.type !== 'Property') || typeof key !== 'object') return false
    if (key?.name !== 'icon') return false
    addAll(node.value)
    isComputed ||= node.type === 'JSXAttribute' && node.value?.type === 'JSXExpressionContainer'
    return false
  })
  if (isComputed) addAll(code)
  for (const name of calloutDrawings) found.set(`lucide:${name}`, icon(name, 'lucide') ?? '')
  return found
}

/** A component that shows the content of a page: `snippet` of the runtime. */
const snippetOf = (path: string): string => `/* #__PURE__ */ $quireSnippet(${JSON.stringify(path)})`

/** Pages that a module imports, as its code shows them. */
export function snippetsIn(node: ModuleNode, code: readonly unknown[]): ReadonlyMap<string, SnippetUse> {
  const uses = new Map<string, SnippetUse>()
  const pages = new Map<unknown, ModuleNode>()
  for (const [local, target] of node.imports)
    if (target.kind === 'module' && target.imported === 'default' && !isScript(target.node.module.path))
      pages.set(local, target.node)
  if (pages.size === 0) return uses
  const add = (page: ModuleNode, props: SnippetUse['props']): void => {
    if (uses.size < most.files) uses.set(snippetSlot(page.module.path, props), { node: page, props })
  }
  some(code, ({ type, name, attributes }) => {
    const local = typeof name === 'object' ? name.name : name
    const page = pages.get(local)
    if (page === undefined) return false
    if (type === 'Identifier') add(page, new Map())
    if (type === 'JSXOpeningElement') add(page, literalsOf(attributes ?? []))
    return false
  })
  return uses
}

/** Attributes that are written out; none where one of them is computed. */
function literalsOf(attributes: readonly Syntax[]): ReadonlyMap<string, Item> {
  const props = new Map<string, Item>()
  for (const { type, name, value } of attributes) {
    if (type !== 'JSXAttribute' || typeof name !== 'object') return new Map()
    const written = value?.type === 'JSXExpressionContainer' ? value.expression : value
    if (written !== null && written?.type !== 'Literal') return new Map()
    props.set(String(name.name), written === null ? true : (written?.value as Item))
  }
  return props
}

function hasDefault(programs: readonly Program[]): boolean {
  return programs.some(({ body }) => body.some(({ type }) => type === 'ExportDefaultDeclaration'))
}

/** What a module imports from. */
function sourcesOf({ body }: Program): readonly string[] {
  return body.flatMap((statement) => {
    const source = 'source' in statement ? statement.source : undefined
    return source === undefined || source === null ? [] : [String(source.value)]
  })
}

/** Everything is there from the beginning: nothing is loaded while it runs. */
export function refuseLoading(code: unknown): void {
  some(code, (node) => {
    if (node.type === 'ImportExpression' || node.type === 'MetaProperty')
      throw new NeedsScript(
        node.type === 'ImportExpression' ? 'imports while it runs' : 'reads `import.meta`',
        placeOf(node),
      )
    return false
  })
}

/** Exports all components of a module by names of ours, those that only the module itself uses, too. */
function exportsOf(programs: readonly Program[]): string {
  const names = programs.flatMap(({ body }) =>
    body.flatMap((statement) => {
      const isExport = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
      return declaredBy(isExport ? statement.declaration : statement)
    }),
  )
  const components = names.filter((name) => /^[A-Z]/.test(name))
  return `export { ${components.map((name) => `${name} as $${name}`).join(', ')} }\n`
}

function declaredBy(declaration: { readonly type: string } | null | undefined): readonly string[] {
  const statement = declaration as Statement | MaybeNamedFunctionDeclaration | null | undefined
  if (statement?.type === 'FunctionDeclaration') return statement.id === null ? [] : [statement.id.name]
  if (statement?.type === 'ClassDeclaration') return statement.id === null ? [] : [statement.id.name]
  return statement?.type === 'VariableDeclaration' ? statement.declarations.flatMap(({ id }) => namesIn(id)) : []
}
