import { Type, type Static, type TProperties } from 'typebox'
import { ErrorDetail } from '../contract/common.ts'
import { pageTagPattern } from './metatags.ts'
import { pageActions } from './shell.ts'
import type { Isolation } from './render/isolation.ts'
import { maxServers, serverPattern } from './servers.ts'

/** What a schema describes, which nobody changes. */
export type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T

const text = Type.String()
const flag = Type.Boolean()
const count = Type.Integer({ minimum: 0 })
/** What a child sends beside the fields that are named here is refused: nobody would have checked it. */
const exactly = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, { additionalProperties: false })

/** Of a place before the first line or column, too: it is still the author’s error to read. */
const Detail = exactly({ ...ErrorDetail.properties, line: Type.Optional(count), column: Type.Optional(count) })

const Heading = exactly({
  id: text,
  /** 2 to 4 in the contents list. */
  level: Type.Integer({ minimum: 1, maximum: 6 }),
  text,
  /** Name of the word of the interface that it is, to be said in the language of the page. */
  word: Type.Optional(text),
})
/** A heading of the contents list. */
export type Heading = Frozen<Static<typeof Heading>>

/** A part of a page that needs JavaScript in the browser and cannot have it here. */
const Refused = exactly({
  /** Completes “it …”: `uses the package `lodash``. */
  reason: text,
  /** File, 1-based line and column where it stands. */
  path: text,
  line: count,
  column: count,
})
export type Refused = Frozen<Static<typeof Refused>>

/** A file of an island: JavaScript, JSX or TypeScript, as its path says; of a page its imports and exports. */
const IslandModule = exactly({
  path: text,
  code: text,
  /** What stands behind `from`: `react`, `asset:` and an address, or the path of one of the others. */
  imports: Type.Record(text, text),
})
export type IslandModule = Frozen<Static<typeof IslandModule>>

/** What the islands of one module are bundled of: that module first. Each component is exported as `$` and its name, or as `default`. */
const IslandSource = exactly({
  /** Sixteen hex digits of a hash of the modules, by which elements of pages name them. */
  id: text,
  modules: Type.Array(IslandModule, { minItems: 1 }),
})
export type IslandSource = Frozen<Static<typeof IslandSource>>

/** Where the islands of a page are loaded from: `src` is a URL path. */
const Island = exactly({ id: text, src: text })
export type Island = Frozen<Static<typeof Island>>

const Update = exactly({
  /** Of the element that it is. */
  id: text,
  /** As plain text, as all of it. */
  label: text,
  description: Type.Optional(text),
  tags: Type.Array(text),
  /** Of its entry in feeds, where the author has words for that. */
  title: Type.Optional(text),
  summary: Type.Optional(text),
})
/** An entry of a change log on a page. */
export type PageUpdate = Frozen<Static<typeof Update>>

/** The artifact of a page: all that its document needs beside the shell. Stored as UTF-8 JSON, keys in this order. */
const PageArtifact = exactly({
  title: text,
  description: Type.Optional(text),
  /** Sanitised HTML of the body, without the title. */
  html: text,
  headings: Type.Array(Heading),
  /** `wide` and `center` drop the contents list, `custom` and `frame` also the padding (Mintlify’s words). */
  mode: Type.Optional(Type.Enum(['default', 'wide', 'custom', 'frame', 'center'])),
  keywords: Type.Optional(Type.Array(text)),
  /** The author’s own of the head, which come before ours. */
  metatags: Type.Optional(Type.Array(Type.Tuple([Type.String({ pattern: pageTagPattern }), text]))),
  noindex: Type.Optional(flag),
  deprecated: Type.Optional(flag),
  /** What the search of the site multiplies by how well it is found. */
  boost: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  /** The address that search engines are to keep: absolute, or a path of the site. */
  canonical: Type.Optional(text),
  /** Whether it says when it was last changed, whatever the site does. */
  timestamp: Type.Optional(flag),
  /** Nothing leads to the pages before and after it. */
  alone: Type.Optional(flag),
  /** What its menu offers, in place of that of the site. */
  actions: Type.Optional(Type.Array(Type.Enum([...pageActions]))),
  /** What the elements with `data-quire-island` are loaded from. Set when they have been bundled. */
  islands: Type.Optional(Type.Array(Island)),
  /** Origins of servers that readers may send requests to from the page. */
  servers: Type.Optional(Type.Array(Type.String({ pattern: serverPattern }), { maxItems: maxServers })),
  /** Client features that the page uses, so that others load nothing: the theme knows the names. */
  features: Type.Array(Type.Enum(['mermaid', 'tabs', 'code', 'extras', 'filters', 'api', 'aside', 'playground'])),
  /** Entries of a change log, which the feed of the page tells of, in its order. */
  updates: Type.Optional(Type.Array(Update)),
  /** The page leads to its feed. */
  rss: Type.Optional(flag),
  /** CSS of utility classes that its HTML names and the theme has no rules of, and of its `<style>` elements. */
  styles: Type.Optional(Type.String({ maxLength: 40_000, pattern: '^[^<]*$' })),
})
export type PageArtifact = Frozen<Static<typeof PageArtifact>>

/**
 * A link or asset reference inside the site: a decoded site path with query and fragment (`/guide/start#install`),
 * without `.mdx` and `/index`. Links that leave the site are not listed.
 */
const PageLink = exactly({
  href: text,
  kind: Type.Enum(['link', 'asset']),
  line: count,
  column: count,
  /** File where it stands, when that is a snippet and not the page. */
  path: Type.Optional(text),
})
export type PageLink = Frozen<Static<typeof PageLink>>

/** What everything but the page’s own document needs of it: navigation, link check, llms.txt, sitemap. */
const PageSummary = exactly({
  title: text,
  sidebarTitle: Type.Optional(text),
  description: Type.Optional(text),
  /** Inline SVG, already resolved and safe. */
  icon: Type.Optional(text),
  tag: Type.Optional(text),
  hidden: Type.Optional(flag),
  noindex: Type.Optional(flag),
  deprecated: Type.Optional(flag),
  /** Readers’ searches and questions leave it out. */
  unsearched: Type.Optional(flag),
  /** When it was last changed, in seconds since 1970, where its author says so. */
  written: Type.Optional(Type.Integer()),
  /** An external `url` in the front matter makes the navigation entry link there. */
  url: Type.Optional(text),
  /** Of the operation that it describes, upper case: `POST`, `WEBHOOK`. */
  method: Type.Optional(text),
  /** It has updates, and so a feed. */
  updates: Type.Optional(flag),
  /** Ids that links may point at. */
  anchors: Type.Array(text),
  links: Type.Array(PageLink),
  /** Warnings of the page, kept so that a reused page still reports them. */
  warnings: Type.Array(Detail),
})
export type PageSummary = Frozen<Static<typeof PageSummary>>

const RenderedPage = exactly({
  artifact: PageArtifact,
  summary: PageSummary,
  /** What the page shows as Markdown, without title and description. */
  markdown: text,
  /** Path and blob id of each file that it includes; null for one that is not there. */
  dependencies: Type.Array(Type.Tuple([text, Type.Union([text, Type.Null()])])),
  /** What its islands are to be bundled of. */
  islands: Type.Optional(Type.Array(IslandSource)),
  /** Parts that need JavaScript and are left out, or shown without it. */
  refused: Type.Optional(Type.Array(Refused)),
})
export type RenderedPage = Frozen<Static<typeof RenderedPage>>

/** What children send of a page. */
export const RenderOutcome = Type.Union([
  exactly({ ok: Type.Literal(true), page: RenderedPage }),
  exactly({ ok: Type.Literal(false), errors: Type.Array(Detail) }),
])
export type RenderOutcome = Frozen<Static<typeof RenderOutcome>>

/** A description of an API, taken apart: see `api/form.ts`. */
export type DescribeOutcome =
  /** `index` as `api/stored-index.ts` reads it. */
  | { readonly ok: true; readonly index: string; readonly text: string }
  | { readonly ok: false; readonly errors: readonly Frozen<Static<typeof Detail>>[] }

export interface RenderJob {
  /** Absent: a page. */
  readonly kind?: 'description'
  /** Path in the project: `guide/start.mdx`. */
  readonly path: string
  readonly oid: string
  readonly source: Buffer
  /** Where its project stands in the site: `/v1`; absent for the site itself. Paths are those in that project. */
  readonly base?: string
  /** Icon set whose names count before those of others: `lucide`, `tabler`. */
  readonly icons?: string
}

/** A file that a page includes, by its path in the project that stands at `base`; null when there is none. */
export type LoadFile = (
  path: string,
  base?: string,
) => Promise<{ readonly oid: string; readonly source: Buffer } | null>

/** Children that parse and render, for one build of one project. */
export interface RenderSession {
  /** Never rejects for what a page holds: a page that kills its child is an outcome with an error. */
  render(job: RenderJob): Promise<RenderOutcome>
  /** Takes a description of an API apart. Never rejects for what it holds. */
  describe(job: RenderJob): Promise<DescribeOutcome>
  /** Gives the children back. */
  close(): void
}

export interface RenderPool {
  /** Children that there are, at work or idle. */
  readonly children: number
  /** @param signal Aborted when nobody waits for it any more: its pages reject with the reason, and its children end. */
  open(project: string, load: LoadFile, signal?: AbortSignal): RenderSession
  /** What keeps the children from everything else on this machine. */
  readonly isolation: Isolation
  /** Changes whenever the same source may render to something else: a hash of the children’s program. */
  readonly fingerprint?: string
  close(): Promise<void>
}
