import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** An answer as it is sent, many times. */
export class Encoded {
  readonly body: Buffer
  /** SHA-256 of the body, shortened. */
  readonly tag: string
  readonly #compressed = new Map<string, Promise<Buffer>>()

  constructor(body: Buffer) {
    this.body = body
    this.tag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
  }

  /** Bytes in memory, about: the compressed ones together are no larger than what they are made of. */
  get size(): number {
    return 2 * this.body.length + 1024
  }

  /** The body in a content coding; compressed once, by whoever asks first. */
  async encoded(coding: 'br' | 'gzip' | 'identity'): Promise<Buffer> {
    if (coding === 'identity') return this.body
    let compressed = this.#compressed.get(coding)
    if (compressed === undefined) this.#compressed.set(coding, (compressed = compress[coding](this.body)))
    return compressed
  }
}

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)
const compress = {
  gzip: (body: Buffer): Promise<Buffer> => gzipAsync(body),
  br: (body: Buffer): Promise<Buffer> => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
} as const
