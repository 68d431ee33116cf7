/**
 * A release: one built site, immutable. What the builder makes, hosting keeps and serves.
 *
 * Blobs are named by the SHA-256 (hex) of their bytes. A manifest names blobs; it never changes. Pages are stored as
 * artifacts (body, contents, meta data) and the shell (navigation, configuration) once per release: the document is
 * composed when it is served, so a changed docs.json costs no page.
 */
export type Sha256 = string

/** Below it are files that a release keeps for the next build: nobody is served one. */
export const keptFolder = '/_quire/api/'

/** A file served as it is: asset, sitemap, llms.txt, the Markdown of a page. */
export interface FileRoute {
  readonly kind: 'file'
  readonly blob: Sha256
  /** Bytes. */
  readonly size: number
  /** The whole Content-Type header. */
  readonly type: string
  /** The path carries a hash of the bytes: cache for ever, and keep answering after later releases. */
  readonly immutable?: true
  /** As `immutable`, but only as long as there is a release that has it: whoever asks later is told that it is gone. */
  readonly hashed?: true
  /** Content-Security-Policy in place of the one for its type. Only files of the service have it, never a project's. */
  readonly csp?: string
}

/** A page: `blob` is its artifact; the document is composed of shell and artifact. */
export interface PageRoute {
  readonly kind: 'page'
  readonly blob: Sha256
  /** URL path of its Markdown source, for `Accept: text/markdown`. */
  readonly markdown?: string
  /** What the path of its source has behind its URL path: `/index.mdx`, `.md`; absent for `.mdx`. */
  readonly ending?: string
  /** When a commit last changed its source, in seconds since 1970; absent where that is not known. */
  readonly updated?: number
  /** How large the pictures of the project are that it shows, by URL path, where that is known. */
  readonly images?: Images
  /** It comes from a tag: nobody edits it. */
  readonly tagged?: true
}

/** How large a picture is, in CSS pixels. */
export interface Dimensions {
  readonly width: number
  readonly height: number
  /** A drawing that only says its proportions: it fills its place. */
  readonly fluid?: true
}

export type Images = Readonly<Record<string, Dimensions>>

/** Pages as one text, put together of their Markdown when somebody asks for it: `blob` is a `JoinedPages`. */
export interface JoinedRoute {
  readonly kind: 'joined'
  readonly blob: Sha256
}

/** Which pages a text has, as JSON. What they say is not in it, so that it stays the same when one of them changes. */
export interface JoinedPages {
  /** What stands before them. */
  readonly head: string
  /** Origin of their addresses, without trailing slash. */
  readonly origin: string
  /** Their URL paths, decoded, in order. */
  readonly pages: readonly string[]
}

/** The feed of a page that has updates, put together when somebody asks for it: `blob` is the artifact of the page. */
export interface FeedRoute {
  readonly kind: 'feed'
  readonly blob: Sha256
  /** Path of the page, decoded. */
  readonly page: string
  /** When a commit last changed its source, in seconds since 1970; absent where that is not known. */
  readonly updated?: number
}

export type Route = FileRoute | PageRoute | JoinedRoute | FeedRoute

/** `from` is a path whose segments may be `:name`, or end in `:name*` or `*`; `to` uses the same names. */
export interface Redirect {
  readonly from: string
  readonly to: string
  readonly status: 307 | 308
}

/** What the builder needs to reuse a page without reading it again; kept with the release, opaque to hosting. */
export interface PageRecord {
  /** Git blob id of the page's source. */
  readonly oid: string
  /** Fingerprint of builder, registry and the configuration that page HTML depends on. */
  readonly builder: string
  /** Other files that its HTML was made of (snippets), by path, with their blob id or null where there was none. */
  readonly dependencies: readonly (readonly [path: string, oid: string | null])[]
  readonly artifact: Sha256
  readonly markdown: Sha256
  readonly markdownSize: number
  /** When a commit last changed its source, in seconds since 1970; absent where that is not known. */
  readonly updated?: number
  /**
   * What it is found by: the path that its texts name, and of each of its parts the key, the blob and its bytes. Absent
   * where the builder of then made no index.
   */
  readonly parts?: {
    readonly path: string
    readonly texts: readonly (readonly [key: string, blob: Sha256, size: number])[]
  }
  /** Scripts of its components, each under the id by which the page names it. */
  readonly islands?: readonly (readonly [id: string, blob: Sha256, size: number])[]
  /** What navigation, link check, llms.txt and sitemap need of the page (the builder’s `PageSummary`). */
  readonly summary: unknown
}

/** What the builder needs to publish an unchanged file again without reading it. */
export interface AssetRecord {
  /** Git blob id. */
  readonly oid: string
  readonly blob: Sha256
  /** Bytes. */
  readonly size: number
  /** It is only a pointer of Git LFS. */
  readonly pointer?: true
  /** Of pictures; null where it cannot be read. Absent: nobody has looked. */
  readonly dimensions?: Dimensions | null
  /** Of a copy of what is elsewhere and may change: when that was asked for last (ms since 1970), and its `ETag`. */
  readonly copy?: { readonly at: number; readonly etag?: string }
}

export interface Release {
  readonly format: 1
  /** Deploy id. */
  readonly id: string
  readonly commit: string
  readonly tree: string
  readonly createdAt: string
  /** Blob of the shell. */
  readonly shell: Sha256
  /** By URL path, decoded, beginning with `/`, without trailing slash but for `/` itself. */
  readonly routes: Readonly<Record<string, Route>>
  readonly redirects: readonly Redirect[]
  /** The path that the site stands below, `/docs`, which none of these paths has; absent: the root of its host. */
  readonly base?: string
  /** By source path. */
  readonly pages: Readonly<Record<string, PageRecord>>
  /** Published files by source path. Absent: the next build reads them all again. */
  readonly assets?: Readonly<Record<string, AssetRecord>>
  /** Commits of the tags that versions come from, by name; absent without such versions. */
  readonly tags?: Readonly<Record<string, string>>
}

/** A picture of a page for whoever shows a link to it, as words and colours: `#rrggbb`. */
export interface Card {
  /** Of all that it shows: 32 hex digits. */
  readonly name: string
  readonly title: string
  readonly description?: string
  /** The group that the page is in. */
  readonly section?: string
  readonly site: string
  readonly colors: { readonly ground: string; readonly ink: string; readonly muted: string; readonly accent: string }
}

/** Turns artifacts into documents. Made by the theme; hosting knows no HTML. */
export interface Composer {
  /** Parses a release’s shell once; in steps, since that of thousands of pages is large. */
  open(shell: Uint8Array): Generator<'large' | void, OpenShell, void>
  /** As `OpenShell.live`, for a site that has no release yet. */
  live(): Document
}

/** What readers of a site are asked or counted for. */
export interface SiteSettings {
  /** Views of pages and search terms are counted. */
  readonly analytics: boolean
  /** Readers may say whether a page was helpful. */
  readonly feedback: boolean
  /** Where readers are led who ask for a page that is not there; absent: they are told that it is not. */
  readonly lost?: string
  /** Where readers find a site that stands below a path of its host, with that path and without trailing slash. */
  readonly url?: string
}

export interface OpenShell {
  readonly settings: SiteSettings
  /** BCP 47, of what a document at a path says around its text. */
  language(path: string): string
  /** The whole HTML document of a page. */
  page(artifact: Uint8Array, path: string, context?: DocumentContext): Document
  notFound(path: string, context?: DocumentContext): Document
  /** The updates of a page as RSS. @param about when the page was last changed, in seconds since 1970, and tags that all entries have */
  feed(
    artifact: Uint8Array,
    path: string,
    about: { readonly updated?: number; readonly tags: readonly string[] },
  ): Promise<string>
  /** The card that the document of a page names; null where it names none. */
  card(artifact: Uint8Array, path: string): Card | null
  /** What pages that are not built are shown in beside their text: only the dashboard may frame it, and fills it. */
  live(): Document
}

/** What a document shows that is no part of its release: how it is served, and what else its project has. */
export interface DocumentContext {
  /** Id of the release when a preview shows it: the document then asks for a newer one and loads it. */
  readonly preview?: string
  /** Name of the branch that a preview shows: the document says so. */
  readonly branch?: string
  /** URL of the page that a preview shows on the live site, where that has it. */
  readonly live?: string
  /** On a preview: URL under which the dashboard edits the files of its branch. */
  readonly editor?: string
  /** Source of the page in the repository: `guide/start.mdx`. */
  readonly source?: string
  /** When it was last changed, in seconds since 1970. */
  readonly updated?: number
  /** Path of the project’s changelog on the site, when there is one: the footer links to it, the head to its feeds. */
  readonly changelog?: string
  /** Of the page. */
  readonly images?: Images
}

export interface Document {
  readonly html: string
  /** Value of Content-Security-Policy, with the hashes of the document’s inline scripts. */
  readonly csp: string
  /** Hashed assets that the document needs at once, for `Link: rel=preload`. */
  readonly preload?: readonly string[]
  /** URL paths of what tells programs of the whole site, for `Link: rel=describedby`. */
  readonly describedBy?: readonly string[]
}
