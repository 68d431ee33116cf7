import type { FastifyReply, FastifyRequest } from 'fastify'
import { limits } from '../../contract/limits.ts'
import type { FreeSpace } from '../../storage/free-space.ts'

/** Holds room on the disk for the body of a request until its answer is through. Throws Failure `unavailable`. */
export async function holdSpace(
  space: Pick<FreeSpace, 'admit'>,
  { headers }: FastifyRequest,
  { raw }: FastifyReply,
): Promise<void> {
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined
  const isUnknown = length === undefined && (headers['transfer-encoding'] ?? headers['content-length']) !== undefined
  const release = await space.admit(isUnknown ? limits.requestBytes : Number(length ?? 0))
  if (raw.closed) release()
  else raw.once('close', release)
}
