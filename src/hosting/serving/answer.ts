import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Document, FileRoute } from '../../contract/release.ts'
import { anyOrigin, anyOriginPreflight } from '../../lib/any-origin.ts'
import type { ByteRange } from '../../storage/blobs.ts'
import { matchingTag, requestedRange } from './negotiate.ts'
import type { Redirection } from './resolve.ts'

/** Names and values by turns, as `writeHead` takes them without making an object of them. */
export type RawHeaders = readonly string[]

/** On every answer of a site, refusals too. Never a cookie. */
export const always: RawHeaders = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'strict-origin-when-cross-origin',
]

/**
 * Whether an address is of what programs read, those in pages of other origins as well: Markdown, and what tells of the
 * whole site. Pages themselves are for readers, and no scripts but their own.
 *
 * @param url may have a query
 */
export function isForPrograms(url: string): boolean {
  return /^[^?]*(?:\.md|\/llms-full\.txt)(?:\?|$)|^\/(?:llms\.txt|sitemap\.xml|robots\.txt)(?:\?|$)/.test(url)
}

/** For whatever is answered then, refusals and redirects too. */
export function allowAnyOrigin(response: ServerResponse): void {
  for (const [name, value] of Object.entries(anyOrigin)) response.setHeader(name, value)
}

export function sendPreflight(response: ServerResponse): void {
  head(response, 204, [...Object.entries(anyOriginPreflight).flat(), ...always])
  response.end()
}

export const noindex: RawHeaders = ['X-Robots-Tag', 'noindex']

/** Bytes read at once: what one slow reader holds in memory. */
const chunkBytes = 256 * 1024
const revalidate = 'public, max-age=0, must-revalidate'
const forEver = 'public, max-age=31536000, immutable'

/** What a 304 repeats: who may keep the answer, how long, and for which requests. */
export function pageCaching(): RawHeaders {
  return ['Cache-Control', revalidate, 'Vary', 'Accept-Encoding, Accept']
}

export function fileCaching(route: FileRoute, negotiated: boolean): RawHeaders {
  const isNamed = route.immutable === true || route.hashed === true
  const caching = ['Cache-Control', isNamed && !negotiated ? forEver : revalidate]
  if (negotiated) return [...caching, 'Vary', 'Accept-Encoding, Accept']
  return isCompressible(route.type) ? [...caching, 'Vary', 'Accept-Encoding'] : caching
}

/** @param markdown path of the page as Markdown, decoded */
export function pageHeaders(document: Document, markdown?: string): RawHeaders {
  const headers = ['Content-Type', 'text/html; charset=utf-8', 'Content-Security-Policy', document.csp]
  const links = (document.preload ?? []).flatMap((href) => preloadLink(href))
  for (const path of document.describedBy ?? []) links.push(`<${path}>; rel="describedby"; type="text/plain"`)
  if (markdown !== undefined) {
    const path = markdown.toWellFormed().split('/').map(encodeURIComponent).join('/')
    links.push(`<${path}>; rel="alternate"; type="text/markdown"`)
  }
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

/**
 * A tenant's file that a browser may open as a document gets an origin of its own and runs nothing. A script that a page
 * starts as a worker has the policy that it comes with, not that of the page: it may ask nobody.
 */
function filePolicy(type: string): string | null {
  if (/^(?:text|application)\/javascript\b/i.test(type)) return "default-src 'none'"
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
export function head(response: ServerResponse, status: number, headers: RawHeaders): void {
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

/** Whether a request only wants to read; otherwise it is refused. */
export function isRead(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(response, 405, 'A site can only be read', ['Allow', 'GET, HEAD'])
  } else if (request.headers['service-worker'] !== undefined) {
    // It would outlive the release that it came with, on the site's whole origin.
    sendText(response, 403, 'Sites have no service workers')
  } else return true
  return false
}

/** Where there is no page, for programs that asked for Markdown. */
export function sendMarkdownNotFound(response: ServerResponse, path: string, headers: RawHeaders): void {
  const asked = path.slice(0, 200).toWellFormed().replaceAll('`', '')
  const text = `# Page not found\n\nThere is no page at \`${asked}\`. [llms.txt](/llms.txt) lists all pages.\n`
  const own = ['Content-Type', 'text/markdown; charset=utf-8', 'Content-Length', String(Buffer.byteLength(text))]
  head(response, 404, [...own, 'Cache-Control', 'no-store', 'Vary', 'Accept', ...always, ...headers])
  response.end(text)
}

export function sendRedirect(response: ServerResponse, { status, location }: Redirection, preview: boolean): void {
  const caching = ['Cache-Control', 'public, max-age=0, must-revalidate', 'Content-Length', '0']
  head(response, status, ['Location', location, ...caching, ...always, ...(preview ? noindex : [])])
  response.end()
}

export interface StreamedFile {
  readonly route: FileRoute
  readonly negotiated: boolean
  readonly preview: boolean
  read(range: ByteRange): Promise<Buffer>
}

/** ETag of a file as it is, without encoding. */
export function fileTag(route: FileRoute): string {
  return route.blob.slice(0, 32)
}

/** Sends a file, or the range of it that was asked for, without holding it in memory. */
export async function streamFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StreamedFile,
): Promise<void> {
  const { route, negotiated, preview } = file
  const etag = `"${fileTag(route)}"`
  const caching = ['ETag', etag, ...fileCaching(route, negotiated)]
  const condition = request.headers['if-none-match']
  if (condition !== undefined && matchingTag(condition, [etag]) !== undefined) {
    response.writeHead(304, caching)
    response.end()
    return
  }
  const range = wantsRange(request, etag) ? requestedRange(request.headers.range, route.size) : 'whole'
  const common = [...fileHeaders(route), ...caching, ...always, ...(preview ? noindex : [])]
  if (range === 'unsatisfiable') {
    response.writeHead(416, [...always, 'Content-Range', `bytes */${route.size}`, 'Content-Length', '0'])
    response.end()
    return
  }
  const part = range === 'whole' ? { start: 0, end: route.size } : range
  const length = String(part.end - part.start)
  if (range === 'whole') response.writeHead(200, [...common, 'Content-Length', length])
  else
    response.writeHead(206, [
      ...common,
      'Content-Length',
      length,
      'Content-Range',
      `bytes ${part.start}-${part.end - 1}/${route.size}`,
    ])
  if (request.method === 'HEAD') response.end()
  else await pipeline(Readable.from(chunks(file, part), { objectMode: false }), response)
}

/** If-Range lets a range through only when the client's part is of the same file (RFC 9110, 13.1.5). */
function wantsRange(request: IncomingMessage, etag: string): boolean {
  const condition = request.headers['if-range']
  return request.method === 'GET' && (condition === undefined || condition === etag)
}

async function* chunks(file: StreamedFile, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += chunkBytes) {
    yield await file.read({ start: at, end: Math.min(at + chunkBytes, end) })
  }
}
