/** A URL of a page’s source, checked and resolved. */
export interface Resolved {
  /** As it stands in HTML: a site path, a fragment or an absolute URL; ASCII. */
  readonly html: string
  /** For what is inside the site: its decoded path, with query and fragment (`/guide/start#install`). */
  readonly site?: string
}

const origin = 'https://site.invalid'
/** Editors that documentation installs things into; a browser asks before it opens one. */
const apps = ['cursor:', 'vscode:', 'vscode-insiders:']
const schemes: Readonly<Record<'link' | 'asset', ReadonlySet<string>>> = {
  link: new Set(['http:', 'https:', 'mailto:', 'tel:', ...apps]),
  asset: new Set(['http:', 'https:']),
}
const image = /^data:image\/(?:png|gif|jpeg|webp)(?:;base64)?[;,][\w+/=%.-]*$/i
const longest = 8_192
const longestData = 262_144

/** `guide/start.mdx` → `/guide/start`, `guide/index.mdx` → `/guide`, `index.mdx` → `/`. */
export function pagePath(file: string): string {
  const path = `/${file.replace(/\.mdx?$/i, '')}`
  return path.replace(/\/index$/i, '') || '/'
}

/**
 * Checks a URL as a browser would read it (WHATWG: tabs and line breaks inside are dropped, `\` is `/`) and resolves it
 * against the file that it stands in. Links to pages lose `.mdx` and `/index`.
 * @param file Path of the page in the project.
 * @returns undefined for a scheme that is not allowed, or something that is no URL.
 */
export function resolveUrl(value: string, kind: 'link' | 'asset', file: string): Resolved | undefined {
  // eslint-disable-next-line no-control-regex
  const text = value.replaceAll(/[\u0000-\u0020\u007f-\u009f]+$|^[\u0000-\u0020\u007f-\u009f]+|[\t\n\r\u0000]/g, '')
  if (kind === 'asset' && /^data:/i.test(text))
    return text.length <= longestData && image.test(text) ? { html: text } : undefined
  if (text.length > longest) return undefined
  const base = `${origin}/${file.split('/').map(encodeURIComponent).join('/')}`
  if (!URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  if (!schemes[kind].has(url.protocol)) return undefined
  if (url.origin !== origin || /^[\\/]{2}/.test(text))
    return isWritten(text, url) ? { html: ascii(url.href) } : undefined
  if (kind === 'link' && text.startsWith('#')) {
    const path = pagePath(file)
    return { html: ascii(url.hash === '' ? '#' : url.hash), site: path + decode(url.hash) }
  }
  const path = kind === 'link' ? cleanPath(url.pathname) : url.pathname.replace(/^\/{2,}/, '/')
  return { html: ascii(path + url.search + url.hash), site: decode(path) + url.search + decode(url.hash) }
}

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
