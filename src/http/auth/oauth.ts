import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'

/** Refusals that OAuth has no word for: too many requests, and our own mistakes. */
function isOurs(failure: Failure): boolean {
  return failure.status === 429 || failure.status >= 500
}

/** Whatever is wrong with the form of a request is `invalid_request` to OAuth. */
function oauthFailureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return isOurs(error) ? null : error
  const { statusCode = 500, message } = error as { statusCode?: number; message: string }
  return statusCode >= 400 && statusCode < 500 && statusCode !== 429 ? new Failure('invalid_request', message) : null
}

/**
 * A scope of the application for OAuth endpoints: they take forms beside JSON, and refuse with `error` and
 * `error_description` (RFC 6749, 5.2). Other refusals are problem documents as everywhere.
 */
export async function oauthScope(app: FastifyInstance, routes: (scope: FastifyInstance) => void): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(formbody, { bodyLimit: limits.bodyBytes })
    scope.addHook('onSend', async (_request, reply) => {
      // What is in the answers must not stay in a cache on the way (RFC 6749, 5.1).
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    })
    scope.setErrorHandler((error, _request, reply) => {
      const failure = oauthFailureOf(error)
      // To the handler of the application.
      if (failure === null) throw error
      if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
      const status = failure.code === 'invalid_client' ? 401 : 400
      return reply.code(status).send({ error: wordOf(failure), error_description: asciiOf(failure.message) })
    })
    routes(scope)
  })
}

function wordOf({ code, status }: Failure): string {
  return status === 400 || code === 'invalid_client' ? code : 'invalid_request'
}

/** `error_description` has neither quotation marks nor anything beyond ASCII. */
function asciiOf(message: string): string {
  return message
    .replaceAll('’', "'")
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]/g, '')
}
