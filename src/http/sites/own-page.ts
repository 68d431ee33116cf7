import type { FastifyRequest } from 'fastify'
import { Failure } from '../../contract/failure.ts'

/**
 * Of browsers, only pages of the site itself may send something: others could have it done by their visitors, with their
 * addresses. Throws Failure `forbidden`.
 *
 * @param own origin of the site.
 */
export function assertOwnPage({ headers }: FastifyRequest, own: string, refusal: string): void {
  const { origin, 'sec-fetch-site': from } = headers
  // What browsers say of it holds where a proxy shows the site at another host, too; older ones name the origin alone.
  if (from === undefined ? origin === undefined || origin === own : from === 'same-origin') return
  throw new Failure('forbidden', refusal)
}
