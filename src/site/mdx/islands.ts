import { createHash } from 'node:crypto'
import { escapeHtml } from '../../lib/html.ts'
import type { IslandModule, IslandSource } from '../page.ts'
import type { ModuleNode } from './graph.ts'
import { pureHooks } from './interpreter/hooks.ts'
import { type Closure, type FunctionNode, NeedsScript, type Origin } from './interpreter/values.ts'
import {
  collect,
  drawingsIn,
  usesTheme,
  isHandling,
  modulesOf,
  refuseLoading,
  requireExports,
  some,
  snippetsIn,
  type SnippetUse,
} from './island-modules.ts'

/** What all islands of one page may be made of, and how many different ones there may be. */
const mostOfPage = { code: 2 * 1024 * 1024, islands: 50 } as const

const known = new WeakMap<FunctionNode, boolean>()

/** Whether a component has a state, an effect or a handler of an event: by what is written, before anything is evaluated. */
export function isInteractive({ node }: Closure): boolean {
  let found = known.get(node)
  if (found === undefined) {
    found = some(node, (part) => {
      if (isHandling(part)) return true
      const { type, callee } = part
      const hook = type === 'CallExpression' ? String(callee?.name ?? callee?.property?.name) : ''
      return /^use[A-Z]/.test(hook) && !pureHooks.has(hook)
    })
    known.set(node, found)
  }
  return found
}

/** The islands of one module, while its page is rendered. */
interface Entry {
  readonly modules: readonly IslandModule[]
  readonly snippets: Map<string, SnippetUse>
  readonly drawings: Map<string, string>
  usesTheme: boolean
  /** Parts of the page that are islands by themselves, by what they were read of: an expression that makes each. */
  readonly parts: Map<object, { readonly name: string; readonly code: string }>
  /** Whether what its modules import of each other is there: looked at once, when it has a part. */
  isWhole: boolean
}

/** A component of an island: its entry, and the name that its module exports it by. */
export interface IslandName {
  readonly entry: number
  readonly name: string
}

interface PartCode {
  /** An expression of JSX, which may use what the module declares, `$children` and `names`. */
  readonly code: string
  readonly names: readonly string[]
  /** What the code was parsed to. */
  readonly trees: readonly unknown[]
  /** It is a component of the theme. */
  readonly isThemed: boolean
}

/** What the islands of one page are made of: each set of modules once, whichever and however many components use it. */
export class IslandSources {
  /** By path of the module that components are imported from. */
  readonly #entries = new Map<string, Entry>()
  readonly #page: ModuleNode
  /** Length of the code so far. */
  #code = 0
  /** All modules of the page by path. */
  #nodes: ReadonlyMap<string, ModuleNode> | undefined

  constructor(page: ModuleNode) {
    this.#page = page
  }

  get size(): number {
    return this.#entries.size
  }

  /** @throws NeedsScript where it cannot be bundled */
  component({ path, name }: Origin): IslandName {
    this.#entry(path)
    return { entry: this.#indexOf(path), name: name === 'default' ? name : `$${name}` }
  }

  /**
   * A part of a page that runs where it stands.
   * @throws NeedsScript where it cannot be bundled
   */
  part(node: ModuleNode, key: object, { code, names, trees, isThemed }: PartCode): IslandName {
    const entry = this.#entry(node.module.path, true)
    const { parts, snippets, drawings } = entry
    let part = parts.get(key)
    if (part === undefined) {
      for (const tree of trees) refuseLoading(tree)
      if (isThemed || usesTheme(trees)) {
        entry.usesTheme = true
        for (const [name, svg] of drawingsIn(trees)) drawings.set(name, svg)
      }
      for (const [slot, use] of snippetsIn(node, trees)) snippets.set(slot, use)
      this.#charge(code.length, node.module.path)
      part = {
        name: `$$${parts.size}`,
        code: `({ $: { ${names.join(', ')} } = {}, children: $children }) => (\n${code}\n)`,
      }
      parts.set(key, part)
    }
    return { entry: this.#indexOf(node.module.path), name: part.name }
  }

  /** Whether an island uses components of the theme. */
  usesTheme({ entry }: IslandName): boolean {
    return [...this.#entries.values()][entry]?.usesTheme === true
  }

  /** Pages that an island may show, whose content is rendered here. */
  snippetsOf({ entry }: IslandName): readonly (readonly [slot: string, use: SnippetUse])[] {
    return [...([...this.#entries.values()][entry]?.snippets ?? [])]
  }

  /** The sources, and the HTML whose islands name them: what one is made of is known when all of its page is. */
  finish(html: string): { readonly html: string; readonly sources: readonly IslandSource[] } {
    if (this.#entries.size === 0) return { html, sources: [] }
    const sources = [...this.#entries.values()].map(
      ({ modules: [first, ...others], parts, drawings, usesTheme: isThemed }) => {
        const own = [...parts.values()].map(({ name, code }) => `export const ${name} = ${code}\n`).join('')
        const icons = isThemed ? `$quireIcons(${JSON.stringify(Object.fromEntries(drawings))})\n` : ''
        const modules = first === undefined ? [] : [{ ...first, code: first.code + own + icons }, ...others]
        return { id: createHash('sha256').update(JSON.stringify(modules)).digest('hex').slice(0, 16), modules }
      },
    )
    const named = html.replaceAll(/ data-quire-island="(\d+)"/g, (written, index: string) => {
      const id = sources[Number(index)]?.id
      return id === undefined ? written : ` data-quire-island="${id}"`
    })
    return { html: named, sources }
  }

  #indexOf(path: string): number {
    return [...this.#entries.keys()].indexOf(path)
  }

  #entry(path: string, isPart = false): Entry {
    this.#nodes ??= modulesOf(this.#page)
    const place = { path, line: 1, column: 1 }
    const node = this.#nodes.get(path)
    if (node === undefined) throw new NeedsScript('is in a file that is not there', place)
    const found = this.#entries.get(path)
    if (isPart && found?.isWhole !== true) requireExports(node)
    if (found !== undefined) {
      found.isWhole ||= isPart
      return found
    }
    const { modules, snippets, drawings } = collect(node)
    if (this.#entries.size >= mostOfPage.islands) throw tooMany(path)
    this.#charge(
      modules.reduce((sum, { code }) => sum + code.length, 0),
      path,
    )
    const entry: Entry = {
      modules,
      snippets,
      drawings: new Map(drawings),
      usesTheme: drawings !== undefined,
      parts: new Map(),
      isWhole: isPart,
    }
    this.#entries.set(path, entry)
    return entry
  }

  #charge(length: number, path: string): void {
    if (this.#code + length > mostOfPage.code) throw tooMany(path)
    this.#code += length
  }
}

function tooMany(path: string): NeedsScript {
  return new NeedsScript(
    `comes after ${mostOfPage.islands} files, or ${mostOfPage.code >> 20} MB, of components with JavaScript on one page`,
    { path, line: 1, column: 1 },
  )
}

/** The element that stands for an island in a page: what it shows first, and all that the browser needs to go on. */
export function islandElement(
  { entry, name }: IslandName,
  {
    props,
    shown,
    hidden,
    base,
  }: {
    readonly props: string
    readonly shown: string
    readonly hidden: string
    /** Where the version of the page stands in the site. */
    readonly base: string
  },
): string {
  return (
    `<q-island style="display:contents" data-quire-island="${entry}" data-quire-export="${escapeHtml(name)}"` +
    (base === '' ? '' : ` data-quire-version="${escapeHtml(base)}"`) +
    `${props === '{}' ? '' : ` data-quire-props="${escapeHtml(props)}"`}>${shown}${hidden}</q-island>`
  )
}
