import { createServer, type Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../../contract/failure.ts'
import { sha256 } from '../../lib/digest.ts'
import type { RateLimiter } from '../auth/rate-limiter.ts'
import type { Metrics } from './metrics.ts'

export interface MetricsAccess {
  /** Anybody may read them. */
  readonly isOpen: boolean
  /** Who sends it as `Authorization: Bearer` may. */
  readonly token: string | undefined
}

/** Numbers of the process, for whoever may know them. */
export function metricsRoute(
  app: FastifyInstance,
  options: { readonly metrics: Metrics; readonly limiter: RateLimiter; readonly access: MetricsAccess },
): void {
  const { metrics, limiter, access } = options
  const expected = access.token === undefined ? undefined : sha256(`Bearer ${access.token}`)
  app.get('/metrics', async (request, reply) => {
    if (!access.isOpen && expected === undefined) {
      throw new Failure('not_found', 'The numbers of this service are not shown.', {
        hint: 'Its operator can set METRICS_TOKEN, and send it as Authorization: Bearer, or METRICS_PORT.',
      })
    }
    if (!access.isOpen && sha256(request.headers.authorization ?? '') !== expected) {
      await limiter.countFailure(request, reply)
      throw new Failure('unauthenticated', 'The numbers of this service are for whoever has its token.', {
        hint: 'Send METRICS_TOKEN as Authorization: Bearer.',
      })
    }
    const { type, text } = await metrics.text(request.headers.accept)
    return reply.type(type).send(text)
  })
}

/** A server of its own for them, without a token: only who reaches its port reads them. */
export function createMetricsServer(metrics: Pick<Metrics, 'text'>, onError: (error: unknown) => void): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('The numbers are at /metrics\n')
      return
    }
    metrics.text(request.headers.accept).then(
      ({ type, text }) => response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text),
      (error: unknown) => {
        onError(error)
        response.writeHead(500).end()
      },
    )
  })
}
