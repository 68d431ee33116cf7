import { createHash } from 'node:crypto'
import type { Node, Program } from 'estree-jsx'
import { escapeHtml } from '../../lib/html.ts'
import type { IslandModule, IslandSource } from '../page.ts'
import { placeOf } from './expression.ts'
import type { ModuleNode } from './graph.ts'
import { pureHooks } from './interpreter/hooks.ts'
import { type Closure, type FunctionNode, NeedsScript, type Origin } from './interpreter/values.ts'
import { namesIn } from './scopes.ts'

/** What one island may be made of: UTF-16 units of code, and files. */
const most = { code: 512 * 1024, files: 100 } as const
/** What all islands of one page may be made of, and how many different ones there may be. */
const mostOfPage = { code: 2 * 1024 * 1024, islands: 50 } as const

interface Syntax {
  readonly type?: string
  readonly name?: { readonly name?: unknown }
  readonly value?: { readonly type?: string }
  readonly loc?: Node['loc']
  readonly callee?: { readonly name?: unknown; readonly property?: { readonly name?: unknown } }
}

const known = new WeakMap<FunctionNode, boolean>()

/** Whether a component has a state, an effect or a handler of an event: by what is written, before anything is evaluated. */
export function isInteractive({ node }: Closure): boolean {
  let found = known.get(node)
  if (found === undefined) {
    found = some(node, ({ type, name, value, callee }) => {
      if (type === 'JSXAttribute')
        return /^on[A-Z]/.test(String(name?.name)) && value?.type === 'JSXExpressionContainer'
      const hook = type === 'CallExpression' ? String(callee?.name ?? callee?.property?.name) : ''
      return /^use[A-Z]/.test(hook) && !pureHooks.has(hook)
    })
    known.set(node, found)
  }
  return found
}

/** Whether something holds for a node of a tree. Without recursion. */
function some(tree: unknown, holds: (node: Syntax) => boolean): boolean {
  const stack: unknown[] = [tree]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (!Array.isArray(node) && holds(node)) return true
    for (const [key, value] of Object.entries(node)) if (key !== 'loc') stack.push(value)
  }
  return false
}

/** What the islands of one page are made of: each set of modules once, whichever and however many components use it. */
export class IslandSources {
  /** By path of the module that components are imported from. */
  readonly #sources = new Map<string, IslandSource>()
  readonly #page: ModuleNode
  /** Length of the code so far. */
  #code = 0
  /** All modules of the page by path. */
  #nodes: ReadonlyMap<string, ModuleNode> | undefined

  constructor(page: ModuleNode) {
    this.#page = page
  }

  get all(): readonly IslandSource[] {
    return [...this.#sources.values()]
  }

  /** @throws NeedsScript where it cannot be bundled */
  sourceOf(origin: Origin): IslandSource {
    const found = this.#sources.get(origin.path)
    if (found !== undefined) return found
    this.#nodes ??= modulesOf(this.#page)
    const node = this.#nodes.get(origin.path)
    const place = { path: origin.path, line: 1, column: 1 }
    if (node === undefined) throw new NeedsScript('is in a file that is not there', place)
    const modules = collect(node)
    this.#code += modules.reduce((sum, { code }) => sum + code.length, 0)
    if (this.#sources.size >= mostOfPage.islands || this.#code > mostOfPage.code)
      throw new NeedsScript(
        `comes after ${mostOfPage.islands} files, or ${mostOfPage.code >> 20} MB, of components with JavaScript on one page`,
        place,
      )
    const id = createHash('sha256').update(JSON.stringify(modules)).digest('hex').slice(0, 16)
    const source = { id, modules }
    this.#sources.set(origin.path, source)
    return source
  }
}

function modulesOf(page: ModuleNode): ReadonlyMap<string, ModuleNode> {
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
function collect(entry: ModuleNode): readonly IslandModule[] {
  const modules: IslandModule[] = []
  const seen = new Set<string>()
  let length = 0
  const stack = [entry]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { path, script, programs } = node.module
    if (seen.has(path)) continue
    seen.add(path)
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
    modules.push({ path, code: `${script}\n${exportsOf(programs)}`, imports })
  }
  return modules
}

/** Everything is there from the beginning: nothing is loaded while it runs. */
function refuseLoading(program: Program): void {
  some(program, (node) => {
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
      const isDefault = statement.type === 'ExportDefaultDeclaration'
      const declaration = statement.type === 'ExportNamedDeclaration' || isDefault ? statement.declaration : statement
      if (declaration?.type === 'FunctionDeclaration') return declaration.id === null ? [] : [declaration.id.name]
      if (declaration?.type !== 'VariableDeclaration') return []
      return declaration.declarations.flatMap(({ id }) => namesIn(id))
    }),
  )
  const components = names.filter((name) => /^[A-Z]/.test(name))
  return `export { ${components.map((name) => `${name} as $${name}`).join(', ')} }\n`
}

/** The element that stands for an island in a page: what it shows first, and all that the browser needs to go on. */
export function islandElement(
  { id }: IslandSource,
  { name }: Origin,
  { props, shown, hidden }: { readonly props: string; readonly shown: string; readonly hidden: string },
): string {
  const from = name === 'default' ? name : `$${name}`
  return (
    `<q-island style="display:contents" data-quire-island="${id}" data-quire-export="${escapeHtml(from)}"` +
    `${props === '{}' ? '' : ` data-quire-props="${escapeHtml(props)}"`}>${shown}${hidden}</q-island>`
  )
}
