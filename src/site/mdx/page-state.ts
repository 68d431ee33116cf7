import type { ErrorDetail } from '../../contract/common.ts'
import type { RuleName } from '../../contract/rules.ts'
import type { Heading, PageArtifact, PageLink, PageUpdate, Refused } from '../page.ts'
import { Budget, BudgetExceeded } from './interpreter/values.ts'
import type { SourceLocation } from './problem.ts'
import { CodeBlocks } from './code-blocks.ts'
import { Anchors } from './anchors.ts'
import { resolveUrl } from '../sanitise/values.ts'
import { escapeHtml } from '../../lib/html.ts'

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

  heading(entry: Heading): void {
    if (entry.level >= 2 && entry.level <= 4) this.headings.push(entry)
  }

  unique(prefix: string): string {
    return this.anchors.unique(`${prefix}-${++this.#counter}`)
  }
}

/**
 * Headings as they follow each other in the page. They are noted when they are rendered, and what a component holds is
 * rendered before the component; what it then leaves out is no heading of the page. Sections of an entry of a change log
 * are below it, whatever level they are written with.
 */
export function inDocumentOrder(headings: readonly Heading[], html: string): Heading[] {
  const places = new Map<string, number>()
  for (const match of html.matchAll(/ id="([^"]*)"/g))
    if (!places.has(match[1] ?? '')) places.set(match[1] ?? '', match.index)
  let inEntry = false
  const inOrder = headings
    .flatMap((heading) => {
      const place = places.get(escapeHtml(heading.id))
      return place === undefined ? [] : [{ heading, place }]
    })
    .sort((a, b) => a.place - b.place)
  return inOrder.map(({ heading, place }) => {
    if (html.endsWith(entryStart, place)) inEntry = true
    else if (inEntry) return { ...heading, level: Math.min(heading.level + 1, 6) }
    return heading
  })
}

/**
 * HTML whose headings step down by one level at a time, as screen readers go through them; which tags they are, and so
 * how large, stays the author's choice. The title above is the first level.
 */
export function stepped(html: string): string {
  const above: number[] = []
  return html.replaceAll(/<h([1-6])(?=[ >])/g, (tag, digit: string) => {
    const written = Number(digit)
    while ((above.at(-1) ?? 0) >= written) above.pop()
    if (written > 1) above.push(written)
    const level = written === 1 ? 1 : above.length + 1
    return level === written ? tag : `${tag} aria-level="${level}"`
  })
}

/** Of `<Update>`, up to its id. */
const entryStart = '<section class="q-update"'
