import type { ImportDeclaration, Literal, Program } from 'estree-jsx'
import type { ErrorDetail } from '../../contract/common.ts'
import type { LoadFile } from '../page.ts'
import type { Json } from '../../lib/json-reader.ts'
import { referenceNodes, type ReferenceReader } from '../api/page.ts'
import { placeOf } from './expression.ts'
import { readModule, type Module } from './module.ts'
import { parsePage } from './parse.ts'
import { detailAt, PageProblem, type SourceLocation } from './problem.ts'
import { hasEnd, resolveSpecifier, scriptEnds, snippetPaths } from './specifier.ts'

const maxDepth = 16
const maxFiles = 300

/** What an imported name stands for. */
export type Import =
  | { readonly kind: 'module'; readonly node: ModuleNode; readonly imported: string }
  | { readonly kind: 'asset'; readonly href: string }
  /** React, whose hooks the interpreter knows. */
  | { readonly kind: 'react'; readonly imported: string }
  | { readonly kind: 'script'; readonly reason: string }

/** Where an import of a module leads, for those who bundle it. */
export type Target =
  | { readonly kind: 'module'; readonly node: ModuleNode }
  | { readonly kind: 'asset'; readonly href: string }
  | { readonly kind: 'react' }
  | { readonly kind: 'refused'; readonly reason: string }

/** A module with what it imports. The graph has no cycles. */
export interface ModuleNode {
  readonly module: Module
  /** By local name. */
  readonly imports: ReadonlyMap<string, Import>
  /** By what stands behind `from`. */
  readonly targets: ReadonlyMap<string, Target>
  /** By what `file` of `<Snippet>` says. */
  readonly snippets: ReadonlyMap<string, ModuleNode>
  /** What `file` of `<Snippet>` says where there is no such file. */
  readonly absent: ReadonlySet<string>
  readonly warnings: readonly ErrorDetail[]
  /** All files below, by path; null for one that was looked for and is not there. */
  readonly dependencies: ReadonlyMap<string, string | null>
}

interface Draft {
  readonly module: Module
  readonly chain: readonly string[]
  readonly imports: Map<string, Import>
  readonly targets: Map<string, Target>
  readonly snippets: Map<string, ModuleNode>
  readonly absent: Set<string>
  readonly warnings: ErrorDetail[]
  readonly dependencies: Map<string, string | null>
  readonly problems: ErrorDetail[]
}

/** Loads pages with everything that they include. Snippets are kept for the next page of the same build. */
export class Graph {
  readonly #load: LoadFile
  readonly #known = new Map<string, ModuleNode>()

  constructor(load: LoadFile) {
    this.#load = load
  }

  /** @throws PageProblem with all that is wrong in the page and in what it includes. */
  async page(path: string, oid: string, source: Uint8Array): Promise<ModuleNode> {
    const dependencies = new Map<string, string | null>()
    const warnings: ErrorDetail[] = []
    const reader: ReferenceReader = {
      path,
      load: async (asked) => {
        const file = await this.#load(asked)
        dependencies.set(asked, file?.oid ?? null)
        return file === null ? undefined : (JSON.parse(Buffer.from(file.source).toString('utf8')) as Json)
      },
      parse: async (markdown) => (await parsePage(path, markdown, 'md')).tree.children,
      warn: (message) => warnings.push({ path, line: 1, rule: 'api-unknown', message }),
    }
    const module = await readModule(path, oid, source, (page) => referenceNodes(page, reader))
    const node = await this.#complete(module, [path])
    const all = new Map([...node.dependencies, ...dependencies])
    return { ...node, warnings: [...node.warnings, ...warnings], dependencies: all }
  }

  async #complete(module: Module, chain: readonly string[]): Promise<ModuleNode> {
    const draft: Draft = {
      module,
      chain,
      imports: new Map(),
      targets: new Map(),
      snippets: new Map(),
      absent: new Set(),
      warnings: [...module.warnings],
      dependencies: new Map(),
      problems: [],
    }
    for (const declaration of module.programs.flatMap(importsOf)) await this.#import(declaration, draft)
    for (const source of module.programs.flatMap(reexportsOf)) await this.#reexport(source, draft)
    for (const [file, point] of module.snippetFiles) await this.#snippet(file, { path: module.path, ...point }, draft)
    if (draft.problems.length > 0) throw new PageProblem(...draft.problems)
    return draft
  }

  async #import(declaration: ImportDeclaration, draft: Draft): Promise<void> {
    const specifier = String(declaration.source.value)
    const place = placeOf(declaration.source)
    const target = resolveSpecifier(specifier, draft.module.path)
    const names = declaration.specifiers.map((item) => ({
      local: item.local.name,
      imported:
        item.type === 'ImportSpecifier'
          ? nameOf(item.imported)
          : item.type === 'ImportNamespaceSpecifier'
            ? '*'
            : 'default',
    }))
    const lead = (to: Target, entry: (imported: string) => Import): void => {
      draft.targets.set(specifier, to)
      for (const { local, imported } of names) draft.imports.set(local, entry(imported))
    }
    if (target.kind === 'refused') {
      draft.problems.push(
        detailAt(place, 'include-refused', `\`${specifier}\` cannot be imported: ${target.reason}.`, draft.module.text),
      )
    } else if (target.kind === 'react') lead(target, (imported) => ({ kind: 'react', imported }))
    else if (target.kind === 'package') {
      const reason = `uses the package \`${target.name}\``
      lead({ kind: 'refused', reason }, () => ({ kind: 'script', reason }))
      draft.warnings.push({
        ...place,
        rule: 'script-needed',
        message: `The package \`${target.name}\` is not there: components can use React and files of the project. What uses it is not shown.`,
      })
    } else if (target.kind === 'outside') {
      const reason = `is from \`${specifier}\`, outside of the project`
      lead({ kind: 'refused', reason }, () => ({ kind: 'script', reason }))
      draft.warnings.push({
        ...place,
        rule: 'include-missing',
        message: `\`${specifier}\` leads out of the project: what uses it is not shown.`,
      })
    } else if (target.kind === 'page' || target.kind === 'script') {
      const before = draft.problems.length
      const node = await this.#module(target.path, place, specifier, draft)
      if (node !== undefined) lead({ kind: 'module', node }, (imported) => ({ kind: 'module', node, imported }))
      else if (/\.json$/i.test(target.path) && draft.problems.length > before) {
        // Most hosts take no data: nothing else of the page needs it.
        for (const detail of draft.problems.splice(before)) draft.warnings.push({ ...detail, rule: 'script-needed' })
        const reason = `reads \`${target.path}\`, which is not read`
        lead({ kind: 'refused', reason }, () => ({ kind: 'script', reason }))
      }
    } else if (await this.#exists(target.path, place, specifier, draft)) {
      const href = `/${target.path}`
      const reason = `reads \`${target.path}\`, which is no code`
      if (target.kind === 'asset') lead({ kind: 'asset', href }, () => ({ kind: 'asset', href }))
      else lead({ kind: 'refused', reason }, () => ({ kind: 'script', reason }))
    }
  }

  /** `export … from`. */
  async #reexport(source: Literal, draft: Draft): Promise<void> {
    const specifier = String(source.value)
    if (draft.targets.has(specifier)) return
    const target = resolveSpecifier(specifier, draft.module.path)
    if (target.kind === 'react') draft.targets.set(specifier, target)
    if (target.kind !== 'page' && target.kind !== 'script') return
    const node = await this.#module(target.path, placeOf(source), specifier, draft)
    if (node !== undefined) draft.targets.set(specifier, { kind: 'module', node })
  }

  /** The module at a path, which may come without the end of its name; told where there is none. */
  async #module(path: string, place: SourceLocation, name: string, draft: Draft): Promise<ModuleNode | undefined> {
    for (const end of hasEnd(path) ? [] : scriptEnds) {
      if ((await this.#load(path + end)) !== null) return this.#reach(path + end, place, `\`${name}\``, draft)
      draft.dependencies.set(path + end, null)
    }
    return this.#reach(path, place, `\`${name}\``, draft)
  }

  async #exists(path: string, place: SourceLocation, name: string, draft: Draft): Promise<boolean> {
    const file = await this.#load(path)
    draft.dependencies.set(path, file?.oid ?? null)
    if (file === null)
      draft.warnings.push(missing(place, `\`${name}\` is not there: the project has no file \`${path}\`.`))
    return file !== null
  }

  async #snippet(file: string, place: SourceLocation, draft: Draft): Promise<void> {
    const paths = snippetPaths(file)
    if (paths === undefined) {
      draft.problems.push(
        detailAt(
          place,
          'include-refused',
          `The snippet \`${file}\` cannot be included: it must be an .mdx or .md file of the project.`,
          draft.module.text,
        ),
      )
      return
    }
    for (const path of paths) {
      const node = await this.#reach(path, place, undefined, draft)
      if (node === undefined) continue
      draft.snippets.set(file, node)
      return
    }
    if (paths.some((path) => draft.dependencies.get(path) !== null)) return
    const looked = paths.map((path) => `\`${path}\``).join(' and ')
    draft.warnings.push(missing(place, `The snippet \`${file}\` is not there: looked for ${looked}.`))
    draft.absent.add(file)
  }

  /** Loads a snippet. `name` is what to call it when it is missing; without one, missing is no problem. */
  async #reach(
    path: string,
    place: SourceLocation,
    name: string | undefined,
    draft: Draft,
  ): Promise<ModuleNode | undefined> {
    const refuse = (message: string): void => {
      draft.problems.push(detailAt(place, 'include-refused', message, draft.module.text))
    }
    if (draft.chain.includes(path)) {
      draft.dependencies.set(path, draft.module.oid)
      refuse(`A snippet includes itself: ${[...draft.chain.slice(draft.chain.indexOf(path)), path].join(' → ')}.`)
      return undefined
    }
    if (draft.chain.length > maxDepth || draft.dependencies.size > maxFiles) {
      refuse(`Snippets include each other more than ${maxDepth} deep, or are more than ${maxFiles}.`)
      return undefined
    }
    try {
      const node = await this.#node(path, draft.chain)
      draft.dependencies.set(path, node?.module.oid ?? null)
      if (node === undefined && name !== undefined)
        draft.warnings.push(missing(place, `${name} is not there: the project has no file \`${path}\`.`))
      for (const [below, oid] of node?.dependencies ?? []) draft.dependencies.set(below, oid)
      return node
    } catch (error) {
      if (!(error instanceof PageProblem)) throw error
      draft.dependencies.set(path, '')
      draft.problems.push(...error.details)
      return undefined
    }
  }

  async #node(path: string, chain: readonly string[]): Promise<ModuleNode | undefined> {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const file = await this.#load(path)
    if (file === null) return undefined
    const node = await this.#complete(await readModule(path, file.oid, file.source), [...chain, path])
    this.#known.set(path, node)
    return node
  }
}

const missing = (place: SourceLocation, message: string): ErrorDetail => ({
  ...place,
  rule: 'include-missing',
  message,
})

function importsOf(program: Program): ImportDeclaration[] {
  return program.body.filter((statement) => statement.type === 'ImportDeclaration')
}

function reexportsOf(program: Program): Literal[] {
  return program.body.flatMap((statement) =>
    (statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportAllDeclaration') && statement.source
      ? [statement.source]
      : [],
  )
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value)
}
