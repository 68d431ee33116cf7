import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import pLimit from 'p-limit'
import type { Document } from '../../contract/release.ts'
import { always, head, pageCaching, type RawHeaders } from './answer.ts'
import { acceptedEncoding, matchingTag, type Encoding } from './negotiate.ts'

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

/** Compressions at once: each takes a thread of the pool that file reads need, too. */
const atOnce = 2
/** Beyond these, a body stays uncompressed until it is asked for again. */
const maxWaiting = 64
/** Less than this is one packet anyway. */
const leastBytes = 512
/** Answers wait for the compression of bodies up to this: some tens of milliseconds at most, 0.4 for a page. */
const maxAwaitedBytes = 1 << 20

const turn = pLimit(atOnce)

/** One encoding of a body, with everything of its answer made once. */
export interface Variant {
  readonly bytes: Buffer
  /** Strong, so each encoding has its own; undefined for answers without one. */
  readonly etag: string | undefined
  readonly headers: RawHeaders
  /** Headers of a 304. */
  readonly unchanged: RawHeaders
}

export interface BodyParts {
  readonly status: 200 | 403 | 404
  readonly bytes: Buffer
  /** Names the content; undefined for answers that cannot be revalidated. */
  readonly tag?: string
  readonly headers: RawHeaders
  readonly caching: RawHeaders
  readonly compressible: boolean
  /** The same bytes, where somebody has compressed them before. */
  readonly compressed?: Compressed | undefined
}

export type Compressed = Readonly<Record<Exclude<Encoding, 'identity'>, Buffer>>

/** An answer held in memory, with its compressed variants as they come. */
export class Body {
  readonly status: 200 | 403 | 404
  readonly identity: Variant
  /** Tags of all variants there can be: a client may still have one that memory has lost. */
  readonly tags: readonly string[]
  readonly #parts: BodyParts
  #br: Variant | undefined
  #gzip: Variant | undefined
  readonly #tried = new Set<Encoding>()
  readonly #compressing = new Map<Encoding, Promise<void>>()

  constructor(parts: BodyParts) {
    this.#parts = parts
    this.status = parts.status
    this.identity = this.#variant(parts.bytes, 'identity')
    const { tag, compressed } = parts
    if (compressed !== undefined) {
      this.#br = this.#variant(compressed.br, 'br')
      this.#gzip = this.#variant(compressed.gzip, 'gzip')
    }
    if (tag === undefined) this.tags = []
    else this.tags = parts.compressible ? [`"${tag}"`, `"${tag}-br"`, `"${tag}-gzip"`] : [`"${tag}"`]
  }

  /** Bytes in memory, headers included about. */
  get size(): number {
    return this.identity.bytes.length + (this.#br?.bytes.length ?? 0) + (this.#gzip?.bytes.length ?? 0) + 4000
  }

  /** The wanted encoding, or identity while there is none. */
  variant(wanted: Encoding): Variant {
    return (wanted === 'br' ? this.#br : wanted === 'gzip' ? this.#gzip : undefined) ?? this.identity
  }

  /** True when `compress` would make the wanted encoding, or already does. */
  lacks(wanted: Encoding): boolean {
    if (this.#compressing.has(wanted)) return true
    if (wanted === 'identity' || this.#parts.compressed !== undefined) return false
    if (!this.#parts.compressible || this.#tried.has(wanted)) return false
    return this.identity.bytes.length >= leastBytes && turn.pendingCount < maxWaiting
  }

  /** True when the wait for a compressed variant is shorter than what it saves on the way. */
  get compressesSoon(): boolean {
    return this.identity.bytes.length <= maxAwaitedBytes
  }

  /** Makes a variant, once for all who ask at the same time. Only when `lacks` says so. */
  compress(wanted: Encoding): Promise<void> {
    let compressing = this.#compressing.get(wanted)
    if (compressing === undefined) {
      this.#tried.add(wanted)
      compressing = this.#compress(wanted).finally(() => this.#compressing.delete(wanted))
      this.#compressing.set(wanted, compressing)
    }
    return compressing
  }

  async #compress(wanted: Encoding): Promise<void> {
    const source = this.identity.bytes
    const bytes = await turn(() => (wanted === 'br' ? brotliBytes(source) : gzipAsync(source, { level: 6 })))
    if (bytes.length >= source.length) return
    const variant = this.#variant(bytes, wanted)
    if (wanted === 'br') this.#br = variant
    else this.#gzip = variant
  }

  #variant(bytes: Buffer, encoding: Encoding): Variant {
    const { tag, headers, caching } = this.#parts
    const etag = tag === undefined ? undefined : encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
    const own = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
    const validator = etag === undefined ? [] : ['ETag', etag]
    return {
      bytes,
      etag,
      headers: [...headers, ...own, 'Content-Length', String(bytes.length), ...validator, ...caching, ...always],
      unchanged: [...validator, ...caching],
    }
  }
}

function brotliBytes(source: Buffer): Promise<Buffer> {
  // Quality 5: a tenth of the time of 11 for nearly its size, at the first request of every page.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: source.length }
  return brotliAsync(source, { params })
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

/** A document as an answer. Its name is of what is sent, not of what that is made from: a newer theme makes other bytes. */
export function jsonBody(bytes: Buffer): Body {
  const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  const headers = ['Content-Type', 'application/json; charset=utf-8', ...always]
  return new Body({ status: 200, bytes, tag, headers, caching: pageCaching(), compressible: true })
}

export function documentBody(document: Document, headers: RawHeaders): Body {
  const bytes = Buffer.from(document.html)
  const tag = createHash('sha256').update(bytes).update(document.csp).digest('base64url').slice(0, 27)
  return new Body({ status: 200, bytes, tag, headers, caching: pageCaching(), compressible: true })
}
