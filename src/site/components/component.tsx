/** @jsxImportSource #html */
import type { RuleName } from '../../contract/rules.ts'
import { Html, htmlOf, raw } from '../../lib/html.ts'
import type { PageArtifact, PageUpdate } from '../page.ts'
import { safeStyle } from '../sanitise/values.ts'
import { icon } from './icons.ts'

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
  /** What readers know the language by. */
  readonly label?: string
  readonly title?: string
  /** 1-based lines to mark. */
  readonly highlight: ReadonlySet<number>
  readonly focus: ReadonlySet<number>
  readonly lines: boolean
  readonly wrap: boolean
  readonly expandable: boolean
  readonly icon?: string
  /** Of a diagram: whether it has buttons, where that does not depend on its size, and where they are. */
  readonly actions?: boolean
  readonly placement?: 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right'
}

type Feature = PageArtifact['features'][number]

/** What an id is made for. */
export type AnchorKind = 'field' | 'part' | 'section'
export interface ComponentContext {
  /** Reports a warning at the component's place in the source. */
  warn(rule: RuleName, message: string): void
  /**
   * A page-unique id from text, for anchors of the component itself (Accordion, Step …). Links find it by Mintlify’s name
   * for it, too, which a `section` counts with the headings. That of a `field` is `param-name`, that of a `part` its words:
   * `body location` is `body-location`.
   */
  anchor(text: string, kind?: AnchorKind): string
  /** Links find what has this id by a text, too: a tab by its title. */
  named(id: string, text: string): void
  /** A page-unique id for wiring (`aria-controls`). Deterministic: a counter. */
  unique(prefix: string): string
  /** Checks and resolves an href or src as the page's own links are (relative paths, .mdx endings, schemes); undefined when refused. */
  href(value: string, kind: 'link' | 'asset'): string | undefined
  /** A block of code, as a fence with these words behind its marks would make it. */
  code(text: string, language: string, fence: string): Html
  /** The page needs a client feature. */
  feature(name: Feature): void
  /** Adds an entry of a change log, which feeds of the page tell of. */
  update(entry: PageUpdate): void
  /** Readers may send requests to a server from the page, by its origin. */
  server(origin: string): void
  /** Adds an entry to the contents list (Update labels, Step titles with `titleSize`). */
  heading(entry: { id: string; level: number; text: string; word?: string }): void
}

/** A component: props and rendered children in, HTML out. Pure but for what it reports through the context. */
export type Component = (props: Props, children: readonly Rendered[], context: ComponentContext) => Html

/** A prop as plain text; undefined when it is absent, empty, markup or an object. */
export function text(props: Props, name: string): string | undefined {
  const value = props.get(name)
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** A prop as HTML: HTML as it is, text escaped; undefined when there is nothing to show. */
export function content(props: Props, name: string): Html | undefined {
  const html = shown(props.get(name))
  return html === '' ? undefined : raw(html)
}

function shown(value: Value): string {
  if (isList(value)) return value.map(shown).join('')
  if (value instanceof Html || typeof value === 'number') return htmlOf(value)
  return typeof value === 'string' ? htmlOf(value.trim()) : ''
}

/** A switch as authors write it: bare, `{true}`, `"true"`; `fallback` when it is absent. */
export function flag(props: Props, name: string, fallback = false): boolean {
  const value = props.get(name)
  if (value === undefined || value === null) return fallback
  if (typeof value === 'string') return value.trim().toLowerCase() !== 'false'
  return value !== false && value !== 0
}

/** `{2}` or `"2"`; undefined when it is no finite number. */
export function number(props: Props, name: string): number | undefined {
  const value = props.get(name)
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return undefined
  const result = Number(value)
  return Number.isFinite(result) ? result : undefined
}

/** One of the allowed words, in any case. */
export function choice<Word extends string>(props: Props, name: string, words: readonly Word[]): Word | undefined {
  const value = text(props, name)?.toLowerCase()
  return words.find((word) => word === value)
}

/** A list of texts, or one text. */
export function texts(props: Props, name: string): readonly string[] {
  const value = props.get(name)
  const list = isList(value) ? value : [value]
  return list.flatMap((item) => (typeof item === 'string' || typeof item === 'number' ? [String(item)] : []))
}

/** A CSS colour: hexadecimal, a name, or a function such as rgb() or oklch() of numbers. */
export function color(props: Props, name = 'color'): string | undefined {
  const value = text(props, name)
  return value === undefined ? undefined : colorOf(value)
}

export function colorOf(value: string): string | undefined {
  return /^(?:#[0-9a-f]{3,8}|[a-z]{3,20}|(?:(?:rgb|hsl)a?|hwb|(?:ok)?l(?:ab|ch))\([\w\s.,%/+-]{1,60}\))$/i.test(value)
    ? value
    : undefined
}

/** What of a `style` prop may pass. */
export function style(props: Props): string | undefined {
  const value = props.get('style')
  if (typeof value === 'string') return safeStyle(value).css || undefined
  if (value === null || typeof value !== 'object' || value instanceof Html || isList(value)) return undefined
  const entries = Object.entries(value).flatMap(([name, item]): [string, string | number][] =>
    typeof item === 'string' || typeof item === 'number' ? [[name, item]] : [],
  )
  return safeStyle(entries).css || undefined
}

/** An address as the page’s own links are checked; refused ones are reported by the context and undefined here. */
export function address(
  props: Props,
  name: string,
  context: ComponentContext,
  kind: 'link' | 'asset' = 'link',
): string | undefined {
  const value = text(props, name)
  return value === undefined ? undefined : context.href(value, kind)
}

/** A drawing of our icon sets; undefined for a name that none has. */
export function drawing(name: string, set?: string): Html | undefined {
  const svg = icon(name, set)
  return svg === undefined ? undefined : raw(svg)
}

/**
 * The picture of an `icon` prop: HTML as it is, an image by its path, or a name of an icon set (`iconType` and
 * `library` say where to look first). Undefined when there is none; an unknown name is a warning.
 */
export function picture(props: Props, context: ComponentContext, fallback?: string): Html | undefined {
  const value = props.get('icon')
  if (value instanceof Html) return <span class="q-icon">{value}</span>
  const name = text(props, 'icon')
  if (name === undefined || value === false) return fallback === undefined ? undefined : drawing(fallback, 'lucide')
  if (/[./:]/.test(name)) {
    const src = context.href(name, 'asset')
    return src === undefined ? undefined : <img class="q-icon" src={src} alt="" />
  }
  const found = drawing(name, text(props, 'library') ?? text(props, 'iconLibrary') ?? text(props, 'iconType'))
  if (found === undefined) context.warn('icon-unknown', `There is no icon named “${name}”`)
  return found
}

/** The children’s HTML, one after the other. */
export function inner(children: readonly Pick<Rendered, 'html'>[]): Html {
  return raw(
    children
      .map((child) => child.html)
      .join('')
      .trim(),
  )
}

/** The text of HTML with its lines, as code has it. */
export function lines(html: Html): string {
  return htmlOf(html)
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? '')
    .replace(/^\n+|\s+$/g, '')
}

/** The words of HTML or of text: for labels and anchors made from what authors write. */
export function plainText(shownAs: Html | string): string {
  return htmlOf(shownAs)
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39|nbsp|#x?[0-9a-f]+);/gi, (entity) => entities[entity.toLowerCase()] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
