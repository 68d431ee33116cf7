import type { Document, FileRoute } from '../../contract/release.ts'

/** Names and values by turns, as `writeHead` takes them without making an object of them. */
export type RawHeaders = readonly string[]

/** On every answer of a site, refusals too. Never a cookie, never a CORS header. */
export const always: RawHeaders = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'strict-origin-when-cross-origin',
]

export const noindex: RawHeaders = ['X-Robots-Tag', 'noindex']

const revalidate = 'public, max-age=0, must-revalidate'
const forEver = 'public, max-age=31536000, immutable'

/** What a 304 repeats: who may keep the answer, how long, and for which requests. */
export function pageCaching(): RawHeaders {
  return ['Cache-Control', revalidate, 'Vary', 'Accept-Encoding, Accept']
}

export function fileCaching(route: FileRoute, negotiated: boolean): RawHeaders {
  const caching = ['Cache-Control', route.immutable === true && !negotiated ? forEver : revalidate]
  if (negotiated) return [...caching, 'Vary', 'Accept-Encoding, Accept']
  return isCompressible(route.type) ? [...caching, 'Vary', 'Accept-Encoding'] : caching
}

export function pageHeaders(document: Document): RawHeaders {
  const headers = ['Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', document.csp]
  const links = (document.preload ?? []).flatMap((href) => preloadLink(href))
  if (links.length > 0) headers.push('Link', links.join(', '))
  return headers
}

function preloadLink(href: string): string[] {
  if (!/^\/[\w\-./~%]*$/.test(href)) return []
  if (href.endsWith('.css')) return [`<${href}>; rel=preload; as=style`]
  if (/\.m?js$/.test(href)) return [`<${href}>; rel=modulepreload`]
  if (href.endsWith('.woff2')) return [`<${href}>; rel=preload; as=font; crossorigin`]
  return []
}

export function fileHeaders(route: FileRoute): RawHeaders {
  const headers = ['Content-Type', route.type]
  const csp = route.csp ?? filePolicy(route.type)
  if (csp !== null) headers.push('Content-Security-Policy', csp)
  if (!isCompressible(route.type)) headers.push('Accept-Ranges', 'bytes')
  return headers
}

/** A tenant's file that a browser may open as a document gets an origin of its own and runs nothing. */
function filePolicy(type: string): string | null {
  if (/^image\/svg\+xml\b/i.test(type)) return "default-src 'none'; style-src 'unsafe-inline'; sandbox"
  return /^(?:text\/html|text\/xsl|[a-z]+\/(?:[\w.+-]*\+)?xml)\b/i.test(type) ? "default-src 'none'; sandbox" : null
}

/** Text gains from compression; images, fonts, sound and video are compressed already. */
export function isCompressible(type: string): boolean {
  return /^(?:text\/|image\/svg\+xml|application\/(?:json|javascript|manifest\+json|wasm|yaml|(?:[\w.]+\+)?(?:xml|json)))/i.test(
    type,
  )
}
