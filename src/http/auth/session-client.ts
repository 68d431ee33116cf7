import type { FastifyRequest } from 'fastify'
import type { SessionClient } from '../../access/sessions.ts'

/** What a session that a request begins is known by. */
export function sessionClientOf(request: FastifyRequest, kind: SessionClient['kind']): SessionClient {
  return { kind, client: request.headers['user-agent'] ?? '', address: request.ip }
}
