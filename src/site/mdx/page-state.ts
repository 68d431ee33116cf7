import type { ErrorDetail } from '../../contract/common.ts'
import type { RuleName } from '../../contract/rules.ts'
import type { CodeMeta, ComponentContext } from '../components/component.tsx'
import type { Heading, PageArtifact, PageLink, PageUpdate, Refused } from '../page.ts'
import { Budget, BudgetExceeded } from './interpreter/values.ts'
import type { SourceLocation } from './problem.ts'
import { CodeBlocks } from './code-blocks.ts'
import { Anchors } from './anchors.ts'
import { resolveUrl } from '../sanitise/values.ts'
import { isMermaid } from '../highlight/code.ts'
import { maxServers } from '../servers.ts'
import { raw } from '../../lib/html.ts'
import { decode } from '../markdown/text.ts'
import { styleLimits, styleRules } from './style-elements.ts'

export const htmlBytes = 2 * 1024 * 1024
/** What the pieces of a page may add up to, before components drop some of them. UTF-16 units. */
const pieces = 2 * htmlBytes
const maxWarnings = 100
const maxLinks = 20_000

type Feature = PageArtifact['features'][number]

/** Everything that rendering one page finds out beside its HTML. */
export class PageState {
  /** Path of the page; snippets of other files render into it. */
  readonly path: string
  /** Where its project stands in the site: see `resolveUrl`. */
  readonly base: string
  readonly blocks: CodeBlocks
  readonly budget = new Budget()
  readonly anchors = new Anchors()
  readonly features = new Set<Feature>()
  readonly headings: Heading[] = []
  readonly updates: PageUpdate[] = []
  readonly links: PageLink[] = []
  /** Parts that need JavaScript and cannot have it. */
  readonly refused: Refused[] = []
  readonly servers = new Set<string>()
  /** Of its `<style>` elements, each once: what it says, and the rules of it. */
  readonly #styles = new Map<string, string>()
  readonly #found = new Map<string, ErrorDetail>()
  /** Places beyond those that are told. */
  #untold = 0
  #produced = 0
  #counter = 0

  constructor(path: string, base = '', blocks = new CodeBlocks()) {
    this.path = path
    this.base = base
    this.blocks = blocks
  }

  /** In the order of the files. */
  get warnings(): readonly ErrorDetail[] {
    const own = (detail: ErrorDetail): number => Number(detail.path !== this.path)
    const told = [...this.#found.values()].sort(
      (a, b) => own(a) - own(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    )
    return this.#untold === 0
      ? told
      : [...told, { path: this.path, message: `… and ${this.#untold} more here.`, more: this.#untold }]
  }

  /** One warning of a kind: the first place speaks for all. */
  warn(rule: RuleName, place: SourceLocation, message: string, hint?: string): void {
    const key = `${place.path}\0${message}`
    if (this.#found.has(key)) return
    if (this.#found.size < maxWarnings)
      this.#found.set(key, { ...place, rule, message, ...(hint === undefined ? {} : { hint }) })
    else this.#untold += 1
  }

  note(detail: ErrorDetail): void {
    this.#found.set(`${detail.path ?? ''}\0${detail.message}`, detail)
  }

  /** Charges HTML that is about to be written. */
  charge(length: number, place: SourceLocation | undefined): void {
    this.#produced += length
    if (this.#produced > pieces)
      throw new BudgetExceeded(`The page makes more than ${htmlBytes / 1024 / 1024} MB of HTML.`, place)
  }

  /** Checks and resolves a URL of the source and remembers where it leads. */
  url(value: string, kind: 'link' | 'asset', place: SourceLocation): string | undefined {
    const resolved = resolveUrl(value, kind, this.path, this.base)
    if (resolved === undefined) return undefined
    if (resolved.site !== undefined && this.links.length < maxLinks) {
      const elsewhere = place.path === this.path ? {} : { path: place.path }
      this.links.push({ href: resolved.site, kind, line: place.line, column: place.column, ...elsewhere })
    }
    return resolved.html
  }

  /** Rules of its `<style>` elements. */
  get styles(): string {
    return [...this.#styles.values()].join('')
  }

  /** @returns what is to be told of a `<style>` */
  style(html: string): readonly string[] {
    if (this.#styles.has(html)) return []
    const { css, dropped } = styleRules(decode(html))
    const isFull = this.styles.length + css.length > styleLimits.kept
    this.#styles.set(html, isFull ? '' : css)
    const instead = 'put it into a style sheet of the project, such as style.css.'
    if (isFull) return [`The <style> elements of the page have more than ${styleLimits.kept} characters; ${instead}`]
    const names = [...dropped].slice(0, 3).join('`, `')
    return dropped.size === 0 ? [] : [`Of <style>, \`${names}\` may not be in pages; ${instead}`]
  }

  heading(entry: Heading): void {
    if (entry.level >= 2 && entry.level <= 4) this.headings.push(entry)
  }

  /** The page shows a block of code, or the diagram that one draws. */
  showCode(meta: CodeMeta): void {
    for (const feature of isMermaid(meta) ? (['mermaid', 'extras'] as const) : (['code'] as const))
      this.features.add(feature)
  }

  /** @param also is told of the code that the component is */
  componentContext(place: SourceLocation, also: { code?: CodeMeta }): ComponentContext {
    return {
      code: (text, language, fence) => {
        const { html, meta } = this.blocks.block(text, language, fence)
        this.showCode(meta)
        also.code = meta
        return raw(html)
      },
      warn: (rule, message) => this.warn(rule, place, message),
      anchor: (text, kind) => this.anchors.component(text, kind),
      named: (id, text) => this.anchors.named(id, text),
      unique: (prefix) => this.anchors.unique(`${prefix}-${++this.#counter}`),
      href: (value, kind) => this.url(value, kind, place),
      feature: (feature) => {
        this.features.add(feature)
      },
      server: (origin) => {
        if (this.servers.size < maxServers) this.servers.add(origin)
      },
      heading: (entry) => this.heading(entry),
      update: (entry) => this.updates.push(entry),
    }
  }
}
