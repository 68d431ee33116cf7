import type { ErrorDetail } from '../contract/common.ts'
import type { AssetRecord, PageRecord, Redirect, Release, Route, Sha256 } from '../contract/release.ts'

/** The files to build, by path, and how to read them. Handed in by the pipeline: site/ knows no Git. */
export interface Source {
  /** Git blob ids by path. */
  readonly files: ReadonlyMap<string, string>
  /** Symbolic links that none of the files come of, by path, with what goes behind “it is a symbolic link”. */
  readonly leftLinks?: ReadonlyMap<string, string>
  read(oid: string): Promise<Buffer>
  /** A tag of the project’s repository; null when there is none, undefined (or absent) where that cannot be told. */
  tag?(name: string): Promise<SourceTag | null | undefined>
}

/** What a tag names. */
export interface SourceTag {
  /** Changes whenever the files do. */
  readonly commit: string
  /** Git blob ids by path; their content is read as that of other files. */
  files(): Promise<ReadonlyMap<string, string>>
}

export interface FetchedFile {
  /** Null where it is as it was under the tag that was sent along. */
  readonly bytes: Buffer | null
  /** By which its server knows this state of it, as in the header `ETag`. */
  readonly etag?: string
}

/**
 * Reads a file at an https address that an author chose, of at most that many bytes.
 * @throws Error whose message is a sentence for that author
 */
export type FetchFile = (
  url: string,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal; readonly etag?: string },
) => Promise<FetchedFile>

export interface BuildRequest {
  /** Slug: children never serve two projects. */
  readonly project: string
  /** Id of the branch; absent for main. What a build leaves for the next one is kept for each branch. */
  readonly branch?: string
  /** Where the site will be live, for sitemap and canonical links: `https://docs.example.com`, no trailing slash. */
  readonly url: string
  /** Title when docs.json has no name. */
  readonly title: string
  readonly source: Source
  /** Pages of earlier releases, by source path: what may be reused. */
  readonly earlier: Readonly<Record<string, PageRecord>> | null
  /** Assets of earlier releases, by source path. */
  readonly earlierAssets?: Readonly<Record<string, AssetRecord>> | null
  /** What readers have now, for warnings of addresses that they lose; absent, or null: nothing. */
  live?(): Promise<Pick<Release, 'routes' | 'pages'> | null>
  /**
   * Releases that a page which cannot be compiled is taken from as it was, the first ones first; a page that none of them
   * has is left out. Absent: such a page is an error that ends the build.
   */
  fallback?(): Promise<readonly (Pick<Release, 'pages'> | null)[]>
  /**
   * When these source files were last changed, in seconds since 1970; absent: unknown. Asked once, for pages that no
   * earlier release tells it of.
   */
  lastChanges?(paths: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Routes of the release that this one will follow: its search index is what the next one is made of. */
  readonly earlierRoutes?: Readonly<Record<string, Route>> | null
  /** Blobs that the project’s store already has are not handed back. */
  has(blob: Sha256): boolean
  /** Reads a blob that the store has. */
  blob(blob: Sha256): Promise<Uint8Array>
  /** Takes blobs before the build ends, so that a large site is not held in memory; absent: all are handed back. */
  store?(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
  /** Only what would come of it is wanted: the next build takes nothing from this one. */
  readonly trial?: true
  /** Descriptions of APIs at other addresses are asked for again, however young their copies are: a deploy of main. */
  readonly refetch?: true
  onProgress?(progress: { done: number; total: number }): void
  readonly signal?: AbortSignal
}

export interface BuildResult {
  /** Empty when the site may go live. */
  readonly errors: readonly ErrorDetail[]
  /** What is wrong with pages that are as they were, or left out: the site may go live with that. */
  readonly kept?: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
  readonly pages: { readonly total: number; readonly built: number; readonly reused: number }
  /** Absent when there are errors. */
  readonly site?: {
    readonly shell: Sha256
    readonly routes: Readonly<Record<string, Route>>
    readonly redirects: readonly Redirect[]
    /** The path that the site stands below, `/docs`; absent: the root of its host. */
    readonly base?: string
    /** Records of unchanged pages are the same objects as in the build before: what was derived of one may be kept. */
    readonly pages: Readonly<Record<string, PageRecord>>
    readonly assets: Readonly<Record<string, AssetRecord>>
    /** Commits of the tags that versions come from, by name; absent without such versions. */
    readonly tags?: Readonly<Record<string, string>>
    /** New blobs by hash. */
    readonly blobs: ReadonlyMap<Sha256, Uint8Array>
  }
}

export interface SiteBuilder {
  build(request: BuildRequest): Promise<BuildResult>
  close(): Promise<void>
}
