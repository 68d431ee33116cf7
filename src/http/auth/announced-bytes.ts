import type { FastifyRequest } from 'fastify'

/** How many bytes the body of a request may bring, at most; what it says may be wrong. @param most that are taken of one. */
export function announcedBytes({ headers }: FastifyRequest, most: number): number {
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined
  const isUnknown = length === undefined && (headers['transfer-encoding'] ?? headers['content-length']) !== undefined
  return isUnknown ? most : Math.min(most, Number(length ?? 0))
}
