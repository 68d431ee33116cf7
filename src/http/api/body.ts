import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { assertShallow } from './json-depth.ts'
import { jsonPlace } from './json-place.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** `performance.now()` when the last byte of the body had come; 0 without a body. */
    receivedAt: number
    /** SHA-256 of the body, where the request has an Idempotency-Key. */
    bodyHash: string | null
  }
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) {
    throw new Failure('invalid_request', 'The body is not UTF-8.', {
      hint: 'Send JSON in UTF-8, and binary content as Base64.',
    })
  }
  assertShallow(body, limits.jsonDepth)
  const text = body.toString('utf8')
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const place = jsonPlace(text)
    if (place === null) throw error
    if (place === 'beyond') {
      throw new Failure('invalid_request', 'The body is not JSON: it goes wrong somewhere after the first 1 MB.', {
        hint: 'Was it cut off, or put together by hand? Let a JSON library write it.',
      })
    }
    const { line, column, expected } = place
    const message = `${expected} was expected`
    throw new Failure('invalid_request', `The body is not JSON: in line ${line}, column ${column}, ${message}.`, {
      errors: [{ line, column, message }],
    })
  }
}

function parse(request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void): void {
  request.receivedAt = performance.now()
  if (request.headers['idempotency-key'] !== undefined) {
    request.bodyHash = createHash('sha256').update(body).digest('hex')
  }
  let value: unknown
  try {
    value = body.length === 0 ? undefined : parseJson(body)
  } catch (error) {
    done(error as Error)
    return
  }
  done(null, value)
}

/** Takes JSON bodies only. The bytes are parsed once and not kept. */
export function useJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('receivedAt', 0)
  app.decorateRequest('bodyHash', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i, { parseAs: 'buffer' }, parse)
}
