import type { FastifyRequest } from 'fastify'
import { Failure } from '../../contract/failure.ts'

const maxKeyLength = 255

/** The Idempotency-Key of a request with a digest of its body; undefined without one. Throws Failure `invalid_request`. */
export function idempotencyOf(request: FastifyRequest): { readonly key: string; readonly body: string } | undefined {
  const key = request.headers['idempotency-key']
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > maxKeyLength))
    throw new Failure('invalid_request', `The Idempotency-Key must have 1 to ${maxKeyLength} characters.`)
  return key === undefined || request.bodyHash === null ? undefined : { key, body: request.bodyHash }
}
