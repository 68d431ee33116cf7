import { posix } from 'node:path'
import { parseScript } from './script.ts'
import { applyEdits, type Edit } from './markdown/tree.ts'
import type { Links } from './links.ts'
import { pathFrom, type Project } from './project.ts'
import type { FoundSite } from './site.ts'

/** Where a file of code goes, from the root of the new site; or why it stays behind. */
export type Carried = { readonly path: string } | { readonly reason: string }

const endings = ['', '.tsx', '.jsx', '.ts', '.js', '/index.tsx', '/index.jsx', '/index.ts', '/index.js']
const react = new Set(['react', 'react-dom', 'react/jsx-runtime'])
const isPicture = /\.(?:png|jpe?g|gif|svg|webp|avif)$/i
/** What only a server or a framework’s build has. */
const elsewhere =
  /\bprocess\.\w|\bimport\.meta\b|\bimport\(|\brequire\(|\b__dirname\b|\basync function [A-Z]|^\s*['"]use server['"]/m

/** Components in files of the site’s own that need nothing but React and each other: they move in as they are. */
export class Modules {
  readonly #project: Project
  readonly #site: FoundSite
  readonly #links: Links
  readonly #known = new Map<string, Carried>()
  readonly #files = new Map<string, string>()

  constructor(project: Project, site: FoundSite, links: Links) {
    this.#project = project
    this.#site = site
    this.#links = links
  }

  /** Texts by path, of all that was carried. */
  get files(): ReadonlyMap<string, string> {
    return this.#files
  }

  /** @param from path of the file that imports; undefined where the specifier names no file of code. */
  carry(specifier: string, from: string): Carried | undefined {
    const path = this.#find(specifier, from)
    if (path === undefined || !/\.(?:[jt]sx?|json)$/.test(path)) return undefined
    const own = new Map<string, string>()
    const reason = this.#take(path, own, new Set())
    if (reason !== undefined) return { reason }
    for (const [target, text] of own) this.#files.set(target, text)
    return { path: `/${targetOf(path)}` }
  }

  #find(specifier: string, from: string): string | undefined {
    const alias = Object.entries(this.#site.aliases).find(([name]) => specifier.startsWith(name))
    const base =
      alias !== undefined
        ? pathFrom(alias[1], specifier.slice(alias[0].length))
        : specifier.startsWith('.')
          ? pathFrom(posix.dirname(from), specifier)
          : undefined
    return base === undefined
      ? undefined
      : endings.map((ending) => base + ending).find((path) => this.#project.has(path))
  }

  /** Takes a file and what it imports. @returns why it cannot */
  #take(path: string, taken: Map<string, string>, open: Set<string>): string | undefined {
    const before = this.#known.get(path)
    if (before !== undefined && 'reason' in before) return before.reason
    if (open.has(path)) return undefined
    open.add(path)
    const read = path.endsWith('.json')
      ? { text: this.#project.text(path) ?? '' }
      : this.#rewrite(path, (next) => this.#take(next, taken, open))
    if ('reason' in read) {
      this.#known.set(path, read)
      return read.reason
    }
    taken.set(targetOf(path), read.text)
    return undefined
  }

  #rewrite(
    path: string,
    take: (path: string) => string | undefined,
  ): { readonly text: string } | { readonly reason: string } {
    const text = this.#project.text(path) ?? ''
    if (/(?:^|\/)\./.test(path)) return { reason: `${path} is hidden` }
    const [only] = elsewhere.exec(text) ?? []
    if (only !== undefined) return { reason: `${path} has \`${only.trim()}\`, which browsers have not` }
    let program
    try {
      program = parseScript(text, path)
    } catch {
      return { reason: `${path} cannot be read as a script` }
    }
    const edits: Edit[] = []
    for (const statement of program.body) {
      if (!('source' in statement) || statement.source === null || statement.source === undefined) continue
      const { start, end } = statement as unknown as { readonly start: number; readonly end: number }
      const specifier = String(statement.source.value)
      const isType = 'importKind' in statement && statement.importKind === 'type'
      const isStyle = /\.(?:css|scss|sass|less)$/.test(specifier) && /^import\s*['"]/.test(text.slice(start, end))
      if (isType || isStyle) {
        edits.push({ start, end, text: '' })
        continue
      }
      const change = this.#changeOf(specifier, path, take)
      if ('reason' in change) return change
      const source = statement.source as unknown as { readonly start: number; readonly end: number }
      if (change.to !== specifier) edits.push({ start: source.start, end: source.end, text: JSON.stringify(change.to) })
    }
    return { text: applyEdits(text, edits) }
  }

  #changeOf(
    specifier: string,
    path: string,
    take: (path: string) => string | undefined,
  ): { readonly to: string } | { readonly reason: string } {
    if (react.has(specifier)) return { to: specifier }
    const found = this.#find(specifier, path)
    if (found === undefined) return { reason: `${path} imports ${specifier}` }
    if (isPicture.test(found)) return { to: this.#links.resolve(specifier, path) }
    if (!/\.(?:[jt]sx?|json)$/.test(found)) return { reason: `${path} imports ${specifier}` }
    const reason = take(found)
    // Folders stand to each other as they did.
    return reason === undefined ? { to: specifier.startsWith('.') ? specifier : `/${targetOf(found)}` } : { reason }
  }
}

const targetOf = (path: string): string => `snippets/${path}`
