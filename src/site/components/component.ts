import type { Html } from '../../lib/html.ts'

/** What the interpreter yields: data only, objects with a null prototype; never a function, never host objects. `Html` is sanitised. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | Html
  | readonly Value[]
  | { readonly [key: string]: Value }

export type Props = ReadonlyMap<string, Value>

/** One rendered child. Components that arrange their children (Tabs, CodeGroup, Steps) look at `component` and `props`. */
export interface Rendered {
  readonly html: string
  /** Name of the component that made it; `pre` for a code block. */
  readonly component?: string
  readonly props?: Props
  /** Rendered children of that component, for parents that rearrange them. */
  readonly children?: readonly Rendered[]
  /** Set for code blocks. */
  readonly code?: CodeMeta
}

export interface CodeMeta {
  /** As written, checked against [A-Za-z0-9_+#.-]. */
  readonly language: string
  readonly title?: string
  /** 1-based lines to mark. */
  readonly highlight: ReadonlySet<number>
  readonly focus: ReadonlySet<number>
  readonly lines: boolean
  readonly wrap: boolean
  readonly expandable: boolean
  readonly icon?: string
}

export interface ComponentContext {
  /** Reports a warning at the component's place in the source. */
  warn(message: string): void
  /** A page-unique id from text, for anchors of the component itself (Accordion, Step, ParamField …). */
  anchor(text: string): string
  /** A page-unique id for wiring (`aria-controls`). Deterministic: a counter. */
  unique(prefix: string): string
  /** Checks and resolves an href or src as the page's own links are (relative paths, .mdx endings, schemes); undefined when refused. */
  href(value: string, kind: 'link' | 'asset'): string | undefined
  /** The page needs a client feature. */
  feature(name: 'mermaid' | 'tabs' | 'code'): void
  /** Adds an entry to the contents list (Update labels, Step titles with `titleSize`). */
  heading(entry: { id: string; level: number; text: string }): void
}

/** A component: props and rendered children in, HTML out. Pure but for what it reports through the context. */
export type Component = (props: Props, children: readonly Rendered[], context: ComponentContext) => Html
