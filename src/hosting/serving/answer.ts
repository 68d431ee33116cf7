import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Body, Variant } from './body.ts'
import { always, noindex, type RawHeaders } from './headers.ts'
import { acceptedEncoding, matchingTag } from './negotiate.ts'
import type { Redirection } from './redirects.ts'

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
