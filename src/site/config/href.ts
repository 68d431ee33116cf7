import { parseUrl } from '../../lib/parse-url.ts'

/** A checked link: a site path, http(s), mailto or tel; or the reason why it is none. */
export type CheckedHref = { readonly href: string; readonly internal: boolean } | { readonly refused: string }

const maxLength = 2048
// Control characters (C0, DEL, C1) and line separators: browsers drop some of them before they look for a scheme.
const controlCharacter = /[\p{Cc}\u2028\u2029]/u
const scheme = /^[^/?#]*:/

/**
 * Checks a link of the configuration. What has no scheme is a path of the site: `guide/start` becomes `/guide/start`.
 * Refused are other schemes (`javascript:`, `data:` …), scheme-relative links (`//host`), backslashes and control
 * characters.
 */
export function checkHref(value: string): CheckedHref {
  // Before anything looks through it: looking for the spaces at the end takes the square of their number.
  if (value.length > maxLength) return { refused: `it is longer than ${maxLength} characters` }
  const href = value.replaceAll(/^ +| +$/g, '')
  if (href === '') return { refused: 'it is empty' }
  if (controlCharacter.test(href)) return { refused: 'it holds a control character' }
  if (href.includes('\\')) return { refused: 'it holds a backslash' }
  if (href.startsWith('//')) return { refused: 'it names a host without https:' }
  if (/^https?:/i.test(href)) return checkAbsolute(href)
  if (/^(mailto|tel):[^\s]+$/i.test(href)) return { href, internal: false }
  if (scheme.test(href)) return { refused: 'only site paths, https, http, mailto and tel are allowed' }
  return {
    href: href.startsWith('/') || href.startsWith('#') ? href : `/${href.replace(/^(\.\/)+/, '')}`,
    internal: true,
  }
}

function checkAbsolute(href: string): CheckedHref {
  const url = /^https?:\/\//i.test(href) ? parseUrl(href) : undefined
  if (url === undefined || url.hostname === '') return { refused: 'it is not a complete URL' }
  if (url.username !== '' || url.password !== '') return { refused: 'it holds a user name or password' }
  return { href, internal: false }
}
