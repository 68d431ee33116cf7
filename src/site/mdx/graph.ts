import type { ImportDeclaration, Program } from 'estree-jsx'
import type { ErrorDetail } from '../../contract/common.ts'
import type { LoadFile } from '../page.ts'
import { placeOf } from './expression.ts'
import { readModule, type Module } from './module.ts'
import { detailAt, PageProblem, type SourceLocation } from './problem.ts'

const maxDepth = 16
const maxFiles = 300

/** What an imported name stands for. */
export type Import =
  | { readonly kind: 'module'; readonly node: ModuleNode; readonly imported: string }
  | { readonly kind: 'asset'; readonly href: string }
  | { readonly kind: 'script'; readonly reason: string }

/** A module with what it imports. The graph has no cycles. */
export interface ModuleNode {
  readonly module: Module
  /** By local name. */
  readonly imports: ReadonlyMap<string, Import>
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
    return this.#complete(await readModule(path, oid, source), [path])
  }

  async #complete(module: Module, chain: readonly string[]): Promise<ModuleNode> {
    const draft: Draft = {
      module,
      chain,
      imports: new Map(),
      snippets: new Map(),
      absent: new Set(),
      warnings: [...module.warnings],
      dependencies: new Map(),
      problems: [],
    }
    for (const declaration of module.programs.flatMap(importsOf)) await this.#import(declaration, draft)
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
    const everywhere = (entry: (imported: string) => Import): void => {
      for (const { local, imported } of names) draft.imports.set(local, entry(imported))
    }
    if (target.kind === 'refused') {
      draft.problems.push(
        detailAt(place, 'include-refused', `\`${specifier}\` cannot be imported: ${target.reason}.`, draft.module.text),
      )
    } else if (target.kind === 'package') {
      everywhere(() => ({ kind: 'script', reason: `uses the package \`${target.name}\`` }))
      draft.warnings.push({
        ...place,
        rule: 'script-needed',
        message: `The package \`${target.name}\` needs JavaScript in the browser, which does not run here yet: what uses it is not shown.`,
      })
    } else if (target.kind === 'outside') {
      everywhere(() => ({ kind: 'script', reason: `is from \`${specifier}\`, outside of the project` }))
      draft.warnings.push({
        ...place,
        rule: 'include-missing',
        message: `\`${specifier}\` leads out of the project: what uses it is not shown.`,
      })
    } else if (target.kind === 'page') {
      const node = await this.#reach(target.path, place, `\`${specifier}\``, draft)
      if (node !== undefined) everywhere((imported) => ({ kind: 'module', node, imported }))
    } else {
      const path = await this.#existing(target.path, place, specifier, draft)
      if (path === undefined) return
      if (target.kind === 'asset') everywhere(() => ({ kind: 'asset', href: `/${path}` }))
      else everywhere(() => ({ kind: 'script', reason: `is JavaScript from \`${path}\`` }))
    }
  }

  /** The file that a path means, which may come without the end of its name; told where there is none. */
  async #existing(path: string, place: SourceLocation, name: string, draft: Draft): Promise<string | undefined> {
    for (const end of /\.[^/]*$/.test(path) ? [''] : ['', ...scriptEnds]) {
      const file = await this.#load(path + end)
      draft.dependencies.set(path + end, file?.oid ?? null)
      if (file !== null) return path + end
    }
    draft.warnings.push(missing(place, `\`${name}\` is not there: the project has no file \`${path}\`.`))
    return undefined
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

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value)
}

/** What an import leads to. */
export type Specifier =
  | { readonly kind: 'page' | 'script' | 'asset'; readonly path: string }
  | { readonly kind: 'package'; readonly name: string }
  /** Code of the repository that the folder of the project is in. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'refused'; readonly reason: string }

/** How names of files end that code is imported from without the end. */
const scriptEnds = ['.jsx', '.tsx', '.js', '.ts', '/index.js', '/index.ts']
const assets = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|mp4|webm|mp3|pdf|css)$/i

/**
 * Resolves what stands behind `from` to a path in the project: `/x` from its root, `./x` from the importing file.
 * Nothing is decoded and nothing is looked up outside of the project’s own files.
 */
function resolveSpecifier(specifier: string, importer: string): Specifier {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(specifier)) return { kind: 'refused', reason: 'it holds a control character' }
  if (specifier.includes('\\')) return { kind: 'refused', reason: 'it holds a backslash; use `/`' }
  if (specifier.includes('%')) return { kind: 'refused', reason: 'it holds a percent sign' }
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(specifier)?.[0]
  if (scheme !== undefined)
    return { kind: 'refused', reason: `\`${scheme}\` is not allowed; only files of the project can be imported` }
  if (specifier.startsWith('//')) return { kind: 'refused', reason: 'it names a host' }
  const relative = /^\.\.?\//.test(specifier)
  if (!relative && !specifier.startsWith('/') && !/\.mdx?$/.test(specifier)) return { kind: 'package', name: specifier }
  const path = joinInside(relative ? importer.split('/').slice(0, -1) : [], specifier)
  if (path === undefined)
    return /\.mdx?$/i.test(specifier) ? { kind: 'refused', reason: 'it leads out of the project' } : { kind: 'outside' }
  if (/\.mdx?$/i.test(path)) return { kind: 'page', path }
  return { kind: assets.test(path) ? 'asset' : 'script', path }
}

/** Joins and normalises; undefined where `..` climbs above the root. */
function joinInside(base: readonly string[], path: string): string | undefined {
  const segments = [...base]
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.length === 0 ? undefined : segments.join('/')
}

/** Where `<Snippet file="x.mdx" />` looks, in order; undefined for a name that leads out of the project. */
function snippetPaths(file: string): readonly string[] | undefined {
  const specifier = resolveSpecifier(file.startsWith('/') ? file : `/${file}`, '')
  if (specifier.kind !== 'page') return undefined
  const inner = joinInside(['snippets'], specifier.path)
  return inner === undefined ? undefined : [...new Set([inner, `_snippets/${specifier.path}`, specifier.path])]
}
