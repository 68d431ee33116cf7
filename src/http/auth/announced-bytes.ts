import type { FastifyRequest } from 'fastify'

/** How many bytes the body of a request may bring, at most; what it says may be wrong. @param most that are taken of one. */
export function announcedBytes(request: FastifyRequest, most: number): number {
  return Math.min(most, saidBytes(request) ?? most)
}

/** How many bytes the body of a request says that it brings; undefined where it does not say, or is encoded. */
export function saidBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined
  const isUnknown = length === undefined && (headers['transfer-encoding'] ?? headers['content-length']) !== undefined
  return isUnknown ? undefined : Number(length ?? 0)
}
