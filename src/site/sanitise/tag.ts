import { find, html as htmlSchema, svg as svgSchema } from 'property-information'
import type { RuleName } from '../../contract/rules.ts'
import { escapeHtml } from '../../lib/html.ts'
import { parseUrl } from '../../lib/parse-url.ts'
import {
  byElement,
  drawing,
  drawingAttributes,
  elements,
  everywhere,
  framePermissions,
  frameSandbox,
  removed,
  urlAttributes,
  voidElements,
} from './allowed.ts'
import { safeStyle } from './values.ts'

/** A value that an attribute may be asked to hold; `pairs` are the entries of a style object. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | { readonly pairs: readonly (readonly [string, string | number])[] }

export interface TagContext {
  /** What is written is shown until a component runs: its fields look as they will, and do nothing. */
  readonly isInIsland?: boolean
  warn(rule: RuleName, message: string): void
  /** Checks and resolves a URL, and remembers it; undefined when refused. */
  url(value: string, kind: 'link' | 'asset'): string | undefined
  /** An id of the author that links may point at. */
  anchor(id: string): void
}

/** How an element is written: dropped with its content, replaced by its content, or as a tag. */
export type Verdict = 'remove' | 'unwrap' | 'keep'

export function judge(name: string): Verdict {
  if (elements.has(name) || drawing.has(name)) return 'keep'
  return removed.has(name.toLowerCase()) ? 'remove' : 'unwrap'
}

/**
 * Ids of authors. An id that is an identifier could hide a global of the page’s scripts (`config`, `location`): it gets
 * a prefix, and a link target with the name itself is written beside it, which hides nothing. An id with a hyphen or a
 * dot is no name that a script uses, and stays. Slugs of headings stay too: links to them are part of every site.
 */
function userId(id: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(id) ? `user-content-${id}` : id
}

/**
 * Writes one element: the only place where the elements and attributes of a page become HTML.
 * @param name Element name that `judge` keeps.
 * @param attributes In JSX or HTML spelling.
 * @param inner HTML that was written here before, or escaped text.
 */
export function writeTag(
  name: string,
  attributes: Iterable<readonly [string, AttributeValue]>,
  inner: string,
  context: TagContext,
): string {
  const written = new Map<string, string | true>()
  let target = ''
  for (const [given, value] of attributes) {
    if (value === null || value === undefined || given === 'key' || given === 'ref') continue
    const attribute = nameOf(name, given)
    if (value === false && !attribute.startsWith('aria-')) continue
    if (attribute === 'id') {
      const id = typeof value === 'object' ? '' : String(value)
      if (!/^[^\s"'<>&]{1,200}$/u.test(id)) continue
      context.anchor(id)
      written.set('id', userId(id))
      if (userId(id) !== id && !drawing.has(name)) target = id
      continue
    }
    const safe = safeValue(name, attribute, value, context)
    if (safe !== undefined) written.set(attribute, safe)
  }
  const complete = finish(name, written, context)
  if (complete === undefined) return ''
  const [before, first] = targetOf(name, target, written)
  const open = `<${name}${[...written].map(([key, value]) => (value === true ? ` ${key}` : ` ${key}="${escapeHtml(value)}"`)).join('')}>`
  return voidElements.has(name) ? before + open : `${before}${open}${first}${inner}</${name}>`
}

/** Where the link target of a prefixed id goes: on the link itself, before the element, or first in it. */
function targetOf(
  name: string,
  id: string,
  written: Map<string, string | true>,
): readonly [before: string, first: string] {
  if (id === '') return ['', '']
  const anchor = `<a name="${escapeHtml(id)}"></a>`
  if (name === 'a') {
    written.set('name', id)
    return ['', '']
  }
  if (/^(?:caption|colgroup|col|thead|tbody|tfoot|tr)$/.test(name)) return ['', '']
  const outside =
    voidElements.has(name) || /^(?:table|ul|ol|dl|iframe|video|audio|picture|details|select|textarea)$/.test(name)
  return outside ? [anchor, ''] : ['', anchor]
}

/** JSX or HTML spelling → the name in HTML. */
function nameOf(element: string, given: string): string {
  // Mintlify's word for a picture that stays as it is.
  if (element === 'img' && /^nozoom$/i.test(given)) return 'data-no-zoom'
  return find(drawing.has(element) ? svgSchema : htmlSchema, given).attribute
}

const idReferences =
  /^(?:for|headers|aria-(?:controls|describedby|details|flowto|labelledby|owns|activedescendant|errormessage))$/

function safeValue(
  element: string,
  attribute: string,
  value: Exclude<AttributeValue, null | undefined>,
  context: TagContext,
): string | true | undefined {
  if (attribute === 'style') return style(value, context)
  if (typeof value === 'object') return undefined
  const text = value === true ? '' : String(value)
  if (/^on/i.test(attribute)) {
    context.warn('element-refused', `The attribute \`${attribute}\` of <${element}> is code; it is left out.`)
    return undefined
  }
  const kind = urlAttributes[element]?.[attribute]
  if (kind !== undefined) return url(element, attribute, text, kind, context)
  if (idReferences.test(attribute)) return text.split(/\s+/).map(userId).join(' ')
  if (/^aria-[a-z]+$/.test(attribute)) return value === true ? 'true' : text
  if (/^data-(?!quire)[a-z\d][a-z\d.-]*$/.test(attribute)) return text
  if (drawing.has(element) && /^(?:xlink:)?href$/.test(attribute))
    return /^#[\w.:-]+$/.test(text) ? `#${userId(text.slice(1))}` : undefined
  if (attribute === 'srcset') return sourceSet(text, context)
  if (element === 'iframe' && (attribute === 'src' || attribute === 'allow')) return text
  if (drawing.has(element) && drawingAttributes.has(attribute)) return paint(text)
  if (!everywhere.has(attribute) && byElement.get(element)?.has(attribute) !== true) {
    const isField = context.isInIsland === true && (controls.has(element) || element === 'option')
    if (!isField || !fieldAttributes.has(attribute)) return undefined
  }
  if (text.length > 4_000) return undefined
  return text === '' && value === true ? true : text
}

function style(value: Exclude<AttributeValue, null | undefined>, context: TagContext): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return undefined
  const { css, dropped } = safeStyle(typeof value === 'string' ? value : value.pairs)
  if (dropped.length > 0)
    context.warn('element-refused', `The style \`${dropped.slice(0, 3).join('`, `')}\` is not allowed; it is left out.`)
  return css === '' ? undefined : css
}

function url(
  element: string,
  attribute: string,
  text: string,
  kind: 'link' | 'asset',
  context: TagContext,
): string | undefined {
  const resolved = context.url(text, kind)
  if (resolved === undefined)
    context.warn(
      'address-refused',
      `The ${attribute} \`${text.slice(0, 80)}\` of <${element}> is not an address that a page may lead to; it is left out.`,
    )
  return resolved
}

/** `a.png 1x, b.png 2x`; nothing when one of them is refused. */
function sourceSet(text: string, context: TagContext): string | undefined {
  const candidates: string[] = []
  for (const candidate of text.split(/,\s+/)) {
    const [source = '', size = ''] = candidate.trim().split(/\s+/, 2)
    const resolved = context.url(source, 'asset')
    if (resolved === undefined || resolved.startsWith('data:') || !/^(?:\d+(?:\.\d+)?[wx])?$/.test(size))
      return undefined
    candidates.push(`${resolved} ${size}`.trim())
  }
  return candidates.join(', ')
}

/** A presentation attribute; what it may refer to stands in the same drawing. */
function paint(text: string): string | undefined {
  if (!/url\s*\(|[\\@]|javascript:|data:/i.test(text)) return text.length > 200_000 ? undefined : text
  const reference = /^url\(\s*['"]?#([\w.:-]+)['"]?\s*\)$/i.exec(text.trim())
  return reference?.[1] === undefined ? undefined : `url(#${userId(reference[1])})`
}

/** Rules between attributes. Undefined when the element cannot be written without what it lacks. */
function finish(name: string, written: Map<string, string | true>, context: TagContext): true | undefined {
  if (name === 'iframe') return frame(written, context)
  if (name === 'svg') sizeIcon(written)
  // Browsers play by themselves only what is silent, and phones only what stays in the page.
  if (name === 'video' && written.has('autoplay')) {
    written.set('muted', true)
    written.set('playsinline', true)
  }
  if (name === 'a' && written.has('target')) written.set('rel', 'noopener noreferrer')
  if (name === 'img') {
    if (!written.has('src') && !written.has('srcset')) return undefined
    if (!written.has('alt')) written.set('alt', '')
    if (!written.has('loading')) written.set('loading', 'lazy')
    if (!written.has('decoding')) written.set('decoding', 'async')
  }
  if (controls.has(name)) {
    // The only form control that Markdown makes is the box of a task list.
    const type = written.get('type')
    if (name === 'input')
      written.set(
        'type',
        context.isInIsland !== true ? 'checkbox' : fieldTypes.has(String(type)) ? String(type) : 'text',
      )
    written.set('disabled', true)
  }
  if (name === 'button') written.set('type', 'button')
  return true
}

/** Of fields, where a page may have some. */
const fieldAttributes = new Set('checked cols max min placeholder rows selected size step type value'.split(' '))
const controls = new Set(['input', 'select', 'textarea'])
const fieldTypes = new Set(
  'button checkbox color date email number password radio range search tel text time url'.split(' '),
)

/** Units of a `viewBox` between which a drawing without a size is an icon. */
const icons = { smallest: 12, largest: 64 } as const

/** A drawing without a size fills the column. Icons, which their authors size by classes of their own, should not. */
function sizeIcon(written: Map<string, string | true>): void {
  if (written.has('width') || written.has('height')) return
  const box = written.get('viewBox')
  const [, width = '', height = ''] =
    /^[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)$/.exec(String(box).trim()) ?? []
  const sides = [Number(width || NaN), Number(height || NaN)]
  if (!sides.every((side) => side >= icons.smallest && side <= icons.largest)) return
  written.set('width', width)
  written.set('height', height)
}

function frame(written: Map<string, string | true>, context: TagContext): true | undefined {
  const source = written.get('src')
  const parsed = typeof source === 'string' ? parseUrl(source) : undefined
  if (parsed?.protocol !== 'https:' || parsed.username !== '') {
    context.warn('address-refused', 'An <iframe> needs a `src` that begins with https://; it is left out.')
    return undefined
  }
  const allow = written.get('allow')
  const permissions =
    typeof allow === 'string' ? allow.split(/[;\s]+/).filter((word) => framePermissions.has(word)) : []
  written.set('src', parsed.href)
  written.set('sandbox', frameSandbox)
  written.set('referrerpolicy', 'strict-origin-when-cross-origin')
  written.set('loading', 'lazy')
  if (permissions.length > 0) written.set('allow', permissions.join('; '))
  else written.delete('allow')
  return true
}
