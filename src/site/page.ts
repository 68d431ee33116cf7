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
  /** Parts that need JavaScript in the browser, in the order of the page: see `Island`. */
  readonly islands?: readonly Island[]
  /** Client features that the page uses, so that others load nothing: the theme knows the names. */
  readonly features: readonly ('mermaid' | 'tabs' | 'code')[]
}

/**
 * A part of a page that only a browser can run. Its HTML is a placeholder, `<div data-quire-island="<id>">`, and where
 * possible what it shows without JavaScript. The source range says what a module for it would be made of.
 */
export interface Island {
  /** Twelve hex digits; the same in every build of the same source. */
  readonly id: string
  /** Completes “it …”: `uses the package `react``. */
  readonly reason: string
  /** File, 1-based line and column where it stands. */
  readonly path: string
  readonly line: number
  readonly column: number
  /** UTF-16 offsets in that file. */
  readonly start?: number
  readonly end?: number
}

/**
 * A link or asset reference inside the site: a decoded site path with query and fragment (`/guide/start#install`),
 * without `.mdx` and `/index`. Links that leave the site are not listed.
 */
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
  /** `openapi` of the front matter (`POST /users`, `openapi.json GET /users`): the builder puts the operation in. */
  readonly openapi?: string
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
