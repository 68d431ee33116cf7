/**
 * HTML as JSX, made into strings at once: a file names `#html` as its JSX import source. There is no tree and no second
 * pass. Text is escaped; what is HTML already says so by its type, `Html`, and only `raw` makes that of a string.
 *
 * Ours because pages are put together from HTML that is finished (bodies, icons, what a section shares), for which the
 * usual renderers have no child without a tag around it, and because they take twice the time and six times the code.
 */

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const special = /[&<>"']/
const allSpecial = /[&<>"']/g

/** Escapes text so that it is safe between tags and in quoted attribute values. */
export function escapeHtml(text: string): string {
  return special.test(text) ? text.replace(allSpecial, (character) => escapes[character] ?? character) : text
}

/** HTML that is safe as it stands. */
export class Html {
  readonly html: string
  constructor(html: string) {
    this.html = html
  }
}

/** Says that a string is HTML, and safe: sanitised, of our own icons, or made by another part of the program. */
export function raw(html: string): Html {
  return new Html(html)
}

/** What may stand between tags: strings and numbers as text, lists one after the other, the rest as nothing. */
export type Child = Html | string | number | boolean | null | undefined | readonly Child[]

/** @throws {TypeError} for an object that is neither HTML nor a list, which types do not let pass */
export function htmlOf(child: Child): string {
  if (child instanceof Html) return child.html
  if (typeof child === 'string') return escapeHtml(child)
  if (typeof child === 'number') return String(child)
  if (child === null || child === undefined || typeof child === 'boolean') return ''
  if (!Array.isArray(child)) throw new TypeError('Neither text nor HTML can be made of this')
  let out = ''
  for (const one of child as readonly Child[]) out += htmlOf(one)
  return out
}

/** `undefined`, `null` and `false` leave an attribute out, `true` writes it bare. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

const attributeName = /^[A-Za-z_:][A-Za-z0-9_:-]*$/

/**
 * Attributes of a tag, each with a leading space. Values are escaped; names are ours, so an invalid one is a bug. It does
 * not judge values: check an href with the page’s link rules first.
 * @throws {TypeError} for a name that is not letters, digits, `-`, `:` or `_`
 */
export function attributes(record: Attributes): string {
  let out = ''
  for (const name in record) {
    if (name === 'children') continue
    const value = record[name]
    if (value === undefined || value === null || value === false) continue
    out += starts.get(name) ?? startOf(name)
    if (value !== true) out += typeof value === 'string' ? `="${escapeHtml(value)}"` : `="${value}"`
  }
  return out
}

/** Names with the space before them, once they were looked at: they stand in our source, so there are few. */
const starts = new Map<string, string>()

function startOf(name: string): string {
  if (!attributeName.test(name)) throw new TypeError(`Not an attribute name: ${JSON.stringify(name)}`)
  const start = ` ${name}`
  starts.set(name, start)
  return start
}

/** Elements without an end tag, of those that we write. */
const voids: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'link', 'meta'])

interface Props {
  readonly children?: Child
  readonly [attribute: string]: Child
}
/** A function of its props; or a tag. */
type Kind = string | ((props: never) => Child)

/** What the compiler writes for `<tag …>` and `<Component …>`. */
export function jsx(type: Kind, props: Props): Html {
  if (typeof type === 'function') {
    const made = type(props as never)
    return made instanceof Html ? made : new Html(htmlOf(made))
  }
  const start = `<${type}${attributes(props as Attributes)}>`
  if (voids.has(type)) return new Html(start)
  const { children } = props
  return new Html(`${start}${children instanceof Html ? children.html : htmlOf(children)}</${type}>`)
}
export { jsx as jsxs, jsx as jsxDEV }

/** `<>…</>`: children without a tag around them. */
export function Fragment({ children }: { readonly children?: Child }): Html {
  return new Html(htmlOf(children))
}

type Tag = keyof HTMLElementTagNameMap

// eslint-disable-next-line typescript/no-namespace
export declare namespace JSX {
  type Element = Html
  type ElementType = Tag | ((props: never) => Child)
  type IntrinsicElements = { readonly [Name in Tag]: Attributes | { readonly children?: Child } }
  interface ElementChildrenAttribute {
    children: unknown
  }
}
