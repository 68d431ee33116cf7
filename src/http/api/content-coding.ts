import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Failure } from '../../contract/failure.ts'

/** Bytes that come out at a time. */
const chunkBytes = 64 * 1024

/**
 * The body of a request without its `Content-Encoding`: expanded in the thread pool, and only as fast as it is read, so
 * that a limit of what comes out ends it early.
 *
 * @throws Failure `unsupported_media_type` for another coding than `gzip` and `identity`
 */
export async function expandBody(request: FastifyRequest, reply: FastifyReply, payload: Readable): Promise<Readable> {
  const coding = (request.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (coding === '' || coding === 'identity') return payload
  if (coding === 'gzip' || coding === 'x-gzip') return expanded(payload)
  // RFC 9110, 15.5.16.
  void reply.header('accept-encoding', 'gzip, identity')
  throw new Failure('unsupported_media_type', `The body is encoded as ${JSON.stringify(coding.slice(0, 100))}.`, {
    hint: 'Send it as it is, or with Content-Encoding: gzip.',
  })
}

function expanded(payload: Readable): Readable {
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  const body = Object.assign(Readable.from(chunksOf(gunzip), { objectMode: false }), {
    /** Fastify compares it with the Content-Length. */
    receivedEncodedLength: 0,
  })
  payload.on('data', (chunk: Buffer) => (body.receivedEncodedLength += chunk.length))
  payload.once('error', (error) => gunzip.destroy(error))
  payload.pipe(gunzip)
  return body
}

async function* chunksOf(gunzip: Readable): AsyncGenerator<Buffer> {
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    throw refusalOf(error as Error)
  }
}

function refusalOf(error: Error): Error {
  if (!('code' in error) || typeof error.code !== 'string' || !error.code.startsWith('Z_')) return error
  return new Failure('invalid_request', 'The body is not gzip, or was cut off.', {
    hint: 'Leave Content-Encoding out where the body is sent as it is.',
    cause: error,
  })
}
