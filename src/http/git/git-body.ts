import { Readable, Transform, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../contract/failure.ts'

/** A fetch names what the client has; even for large histories that is far below this. Bytes, unpacked. */
const maxFetchBytes = 32 * 1024 * 1024
/** How long a client may go on sending after its answer, so that it reads the answer instead of a reset connection. */
const lingerMs = 60_000

/** The body of a push, unpacked. Its reader bounds it; what is not read does not end the connection. */
export function bodyOf(request: FastifyRequest, type: string): Readable {
  const body = streamOf(request, type)
  if (!isZipped(request)) return body
  const unzipped = createGunzip()
  body.once('error', (error) => unzipped.destroy(error))
  return body.pipe(unzipped)
}

/** The body of a fetch, unpacked and bounded: a few compressed bytes may stand for gigabytes. */
export function boundedBodyOf(request: FastifyRequest, type: string): Readable {
  const body = streamOf(request, type)
  let bytes = 0
  const bound = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxFetchBytes) done(new Failure('request_too_large', 'The request of this fetch is too large.'))
      else done(null, chunk)
    },
  })
  const ended = (error: Error | null | undefined) => {
    if (error) request.log.warn({ err: error }, 'a fetch sent a bad request')
  }
  return isZipped(request) ? pipeline(body, createGunzip(), bound, ended) : pipeline(body, bound, ended)
}

/** Lets what still comes after the answer run off, but not for ever. */
export function lingerAfter({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  const timer = setTimeout(() => raw.destroy(), lingerMs)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
  raw.once('end', () => clearTimeout(timer))
  raw.unpipe()
  raw.resume()
}

function streamOf(request: FastifyRequest, type: string): Readable {
  if (request.body instanceof Readable) return request.body
  throw new Failure('unsupported_media_type', `The body must be ${type}.`)
}

function isZipped(request: FastifyRequest): boolean {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding))
    throw new Failure('unsupported_media_type', `The content encoding ${encoding} is not supported.`)
  return encoding !== 'identity'
}
