import type { Document, FileRoute } from '../../contract/release.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Body, Variant } from './body.ts'
import { acceptedEncoding, matchingTag } from './negotiate.ts'
import type { Redirection } from './resolve.ts'

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

// `writeHead` only reads the array, but its type asks for one that can change.
function head(response: ServerResponse, status: number, headers: RawHeaders): void {
  response.writeHead(status, headers as string[])
}

/** A refusal or a failure in a line of plain text, with nothing of the request in it. */
export function sendText(response: ServerResponse, status: number, text: string, headers: RawHeaders = []): void {
  const bytes = Buffer.from(text + '\n')
  const own = [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Content-Length',
    String(bytes.length),
    'Cache-Control',
    'no-store',
  ]
  head(response, status, [...own, ...always, ...headers])
  // Node leaves the body of an answer to HEAD out itself.
  response.end(bytes)
}

export function sendRedirect(response: ServerResponse, { status, location }: Redirection, preview: boolean): void {
  const caching = ['Cache-Control', 'public, max-age=0, must-revalidate', 'Content-Length', '0']
  head(response, status, ['Location', location, ...caching, ...always, ...(preview ? noindex : [])])
  response.end()
}

/** Sends a body from memory: 304 where the client has it, else in the best encoding that it accepts. */
export function sendBody(request: IncomingMessage, response: ServerResponse, body: Body): void {
  const condition = request.headers['if-none-match']
  const variant = body.variant(acceptedEncoding(request.headers['accept-encoding']))
  if (condition !== undefined && variant.etag !== undefined && isUnchanged(response, body, variant, condition)) return
  head(response, body.status, variant.headers)
  response.end(request.method === 'HEAD' ? undefined : variant.bytes)
}

function isUnchanged(response: ServerResponse, body: Body, variant: Variant, condition: string): boolean {
  // The variant in memory may be another than the client's (it was compressed since): the content is the same.
  const tag = condition === variant.etag ? condition : matchingTag(condition, body.tags)
  if (tag === undefined) return false
  head(response, 304, tag === variant.etag ? variant.unchanged : withTag(variant.unchanged, tag))
  response.end()
  return true
}

function withTag(headers: RawHeaders, tag: string): RawHeaders {
  return headers.map((value, index) => (headers[index - 1] === 'ETag' ? tag : value))
}
