import type { ErrorDetail } from '../contract/common.ts'

/** A heading of the contents list. `level` is 2 to 4. */
export interface Heading {
  readonly id: string
  readonly level: number
  readonly text: string
}

/** The artifact of a page: all that its document needs beside the shell. Stored as UTF-8 JSON, keys in this order. */
export interface PageArtifact {
  readonly title: string
  readonly description?: string
  /** Sanitised HTML of the body, without the title. */
  readonly html: string
  readonly headings: readonly Heading[]
  /** `wide` and `center` drop the contents list, `custom` and `frame` also the padding (Mintlify’s words). */
  readonly mode?: 'default' | 'wide' | 'custom' | 'frame' | 'center'
  readonly keywords?: readonly string[]
  readonly noindex?: boolean
  /** Client features that the page uses, so that others load nothing: the theme knows the names. */
  readonly features: readonly ('mermaid' | 'tabs' | 'code')[]
}

/** A link or asset reference in a page, already resolved to a site path (`/guide/start#install`) where it is internal. */
export interface PageLink {
  readonly href: string
  readonly kind: 'link' | 'asset'
  readonly line: number
  readonly column: number
  /** File where it stands, when that is a snippet and not the page. */
  readonly path?: string
}

/** What everything but the page’s own document needs of it: navigation, link check, llms.txt, sitemap. */
export interface PageSummary {
  readonly title: string
  readonly sidebarTitle?: string
  readonly description?: string
  /** Inline SVG, already resolved and safe. */
  readonly icon?: string
  readonly tag?: string
  readonly hidden?: boolean
  readonly noindex?: boolean
  /** An external `url` in the front matter makes the navigation entry link there. */
  readonly url?: string
  /** Ids that links may point at. */
  readonly anchors: readonly string[]
  readonly links: readonly PageLink[]
  /** Warnings of the page, kept so that a reused page still reports them. */
  readonly warnings: readonly ErrorDetail[]
}

export interface RenderedPage {
  readonly artifact: PageArtifact
  readonly summary: PageSummary
  /** Source without front matter and imports, for the `.md` twin. */
  readonly markdown: string
  readonly dependencies: readonly (readonly [path: string, oid: string | null])[]
}

export type RenderOutcome =
  | { readonly ok: true; readonly page: RenderedPage }
  | { readonly ok: false; readonly errors: readonly ErrorDetail[] }

export interface RenderJob {
  /** Path in the project: `guide/start.mdx`. */
  readonly path: string
  readonly oid: string
  readonly source: Buffer
}

/** A file that a page includes, by its path in the project; null when there is none. */
export type LoadFile = (path: string) => Promise<{ readonly oid: string; readonly source: Buffer } | null>

/** Children that parse and render, for one build of one project. */
export interface RenderSession {
  /** Never rejects for what a page holds: a page that kills its child is an outcome with an error. */
  render(job: RenderJob): Promise<RenderOutcome>
  /** Gives the children back. */
  close(): void
}

export interface RenderPool {
  open(project: string, load: LoadFile): RenderSession
  readonly isolation: readonly string[]
  /** Changes whenever the same source may render to something else: a hash of the children’s program. */
  readonly fingerprint?: string
  close(): Promise<void>
}
