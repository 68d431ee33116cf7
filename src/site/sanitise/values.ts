import { parseUrl } from '../../lib/parse-url.ts'

/** Properties that lay out and paint; what covers the page or loads something is not among them. */
const properties = new Set(
  (
    'align-content align-items align-self aspect-ratio backdrop-filter background background-clip background-color ' +
    'background-image background-position background-repeat background-size border-collapse border-spacing bottom box-shadow ' +
    'box-sizing clear color column-count column-gap column-width columns cursor display fill filter flex flex-basis flex-direction ' +
    'flex-flow flex-grow flex-shrink flex-wrap float font font-family font-size font-style font-variant font-weight gap grid ' +
    'grid-area grid-auto-columns grid-auto-flow grid-auto-rows grid-column grid-row grid-template grid-template-areas ' +
    'grid-template-columns grid-template-rows height inset justify-content justify-items justify-self left letter-spacing ' +
    'line-height list-style list-style-position list-style-type mask-image mask-position mask-repeat mask-size max-height ' +
    'max-width min-height min-width object-fit object-position opacity order overflow overflow-wrap overflow-x overflow-y ' +
    'place-content place-items place-self pointer-events position right row-gap stroke stroke-width tab-size table-layout ' +
    'text-align text-decoration text-indent text-overflow text-shadow text-transform text-wrap top transform transform-origin ' +
    'transition user-select vertical-align visibility white-space width word-break word-spacing z-index ' +
    'background-attachment background-blend-mode background-origin box-orient break-after break-before break-inside caret-color ' +
    'column-span font-variant-numeric grid-column-end grid-column-start grid-row-end grid-row-start hyphens inset-block ' +
    'inset-block-end inset-block-start inset-inline inset-inline-end inset-inline-start isolation line-clamp mix-blend-mode ' +
    'rotate scale text-decoration-color text-decoration-line text-decoration-style text-decoration-thickness ' +
    'text-underline-offset transition-delay transition-duration transition-property transition-timing-function translate'
  ).split(' '),
)
const families = /^(?:border|margin|padding|outline)(?:-[a-z]+)*$/
/** Fonts, numbers, colours, functions that compute: no quotes that could end, no `\` that could hide, no `url(`. */
const safeText = /^[\w\s.,%#()+*/'"!-]{1,600}$/
const refused = /url\s*\(|expression\s*\(|image(?:-set)?\s*\(|attr\s*\(|element\s*\(|\/\*|var\s*\(\s*--q-/i
const positions = new Set(['static', 'relative', 'absolute'])
const unitless =
  /^(?:-webkit-)?(?:aspect-ratio|column-count|columns|fill-opacity|flex|flex-grow|flex-shrink|font-weight|grid-area|grid-column|grid-row|line-height|opacity|order|tab-size|z-index|zoom)$/

const origin = 'https://site.invalid'
/** Editors that documentation installs things into; a browser asks before it opens one. */
const apps = ['cursor:', 'vscode:', 'vscode-insiders:']
const schemes: Readonly<Record<'link' | 'asset', ReadonlySet<string>>> = {
  link: new Set(['http:', 'https:', 'mailto:', 'tel:', ...apps]),
  asset: new Set(['http:', 'https:']),
}
const dataImage = /^data:image\/(?:png|gif|jpeg|webp)(?:;base64)?[;,][\w+/=%.-]*$/i
const longestUrl = 8_192
const longestData = 262_144

/**
 * The declarations of a style attribute that may pass, as text; empty when none.
 * @param style CSS text, or entries as JSX writes them (`['backgroundColor', 'red']`, numbers are pixels).
 */
export function safeStyle(style: string | readonly (readonly [string, string | number])[]): {
  css: string
  dropped: readonly string[]
} {
  const declarations = typeof style === 'string' ? parse(style) : style.map(([name, item]) => fromObject(name, item))
  const kept: string[] = []
  const dropped: string[] = []
  for (const [name, text] of declarations) {
    if (isSafeDeclaration(name, text)) kept.push(`${name}:${text}`)
    else if (name !== '') dropped.push(name)
  }
  return { css: kept.join(';'), dropped }
}

/** @param name of a property, in lower case */
export function isSafeDeclaration(name: string, text: string): boolean {
  if (!properties.has(name.replace(/^-webkit-/, '')) && !families.test(name) && !/^--(?!q-)[a-z][\w-]*$/i.test(name))
    return false
  if (!safeText.test(text) || refused.test(text) || unbalanced(text)) return false
  return name !== 'position' || positions.has(text.toLowerCase().replace(/\s*!important$/, ''))
}

function unbalanced(text: string): boolean {
  const count = (character: string): number => text.split(character).length - 1
  return count('(') !== count(')') || count("'") % 2 === 1 || count('"') % 2 === 1
}

/** Splits at semicolons outside of quotes and parentheses. A value that holds one is refused later anyway. */
function parse(style: string): readonly (readonly [string, string])[] {
  return style
    .slice(0, 4_000)
    .split(';')
    .flatMap((declaration) => {
      const colon = declaration.indexOf(':')
      if (colon === -1) return []
      return [[declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()] as const]
    })
}

function fromObject(name: string, item: string | number): readonly [string, string] {
  const dashed = name.startsWith('--')
    ? name
    : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^ms-/, '-ms-')
  if (typeof item === 'string') return [dashed, item.trim()]
  return [dashed, item === 0 || unitless.test(dashed) || dashed.startsWith('--') ? String(item) : `${item}px`]
}

/** A URL of a page’s source, checked and resolved. */
export interface Resolved {
  /** As it stands in HTML: a site path, a fragment or an absolute URL; ASCII. */
  readonly html: string
  /** For what is inside the site: its decoded path, with query and fragment (`/guide/start#install`). */
  readonly site?: string
}

/** `guide/start.mdx` → `/guide/start`, `guide/index.mdx` → `/guide`, `index.mdx` → `/`. */
function pagePath(file: string): string {
  const path = `/${file.replace(/\.mdx?$/i, '')}`
  return path.replace(/\/index$/i, '') || '/'
}

/**
 * Checks a URL as a browser would read it (WHATWG: tabs and line breaks inside are dropped, `\` is `/`) and resolves it
 * against the file that it stands in. Links to pages lose `.mdx` and `/index`.
 * @param file Path of the page in the project.
 * @param base Where all of that project stands in the site: `/v1`; empty for the site itself.
 * @returns undefined for a scheme that is not allowed, or something that is no URL.
 */
export function resolveUrl(value: string, kind: 'link' | 'asset', file: string, base = ''): Resolved | undefined {
  // eslint-disable-next-line no-control-regex
  const text = value.replaceAll(/[\u0000-\u0020\u007f-\u009f]+$|^[\u0000-\u0020\u007f-\u009f]+|[\t\n\r\u0000]/g, '')
  if (kind === 'asset' && /^data:/i.test(text))
    return text.length <= longestData && dataImage.test(text) ? { html: text } : undefined
  if (text.length > longestUrl) return undefined
  const from = `${origin}/${file.split('/').map(encodeURIComponent).join('/')}`
  const url = parseUrl(text, from)
  if (url === undefined || !schemes[kind].has(url.protocol)) return undefined
  if (url.origin !== origin || /^[\\/]{2}/.test(text))
    return isWritten(text, url) ? { html: ascii(url.href) } : undefined
  if (kind === 'link' && text.startsWith('#')) {
    const path = below(base, pagePath(file))
    return { html: ascii(url.hash === '' ? '#' : url.hash), site: path + decode(url.hash) }
  }
  const path = below(base, kind === 'link' ? cleanPath(url.pathname) : url.pathname.replace(/^\/{2,}/, '/'))
  return { html: ascii(path + url.search + url.hash), site: decode(path) + url.search + decode(url.hash) }
}

const below = (base: string, path: string): string => (path === '/' && base !== '' ? base : base + path)

/** `https:foo` and `mailto:` with nothing after it are mistakes that a browser reads in its own way. */
function isWritten(text: string, url: URL): boolean {
  if (url.protocol === 'mailto:' || url.protocol === 'tel:') return url.pathname.length > 0
  if (apps.includes(url.protocol)) return url.href.length > url.protocol.length
  return url.hostname !== '' && url.username === '' && url.password === '' && /^(?:https?:)?[\\/]{2}/i.test(text)
}

function cleanPath(pathname: string): string {
  // Two slashes at the start would name a host.
  const path = pathname.replaceAll(/\/{2,}/g, '/').replace(/\.mdx?$/i, '')
  return path.replace(/\/(?:index)?$/i, '') || '/'
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

/** WHATWG leaves quotes and some others as they are in fragments; in HTML they are escaped, in scripts they might not be. */
function ascii(url: string): string {
  return url.replaceAll(
    /["'<>`\\{}|^\s]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}
