import type { FastifyReply } from 'fastify'
import { ClientGone } from '../content/git/client-input.ts'

/** Aborted, with `ClientGone`, when the connection ends before the answer has. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(new ClientGone('the client is gone')))
  return gone.signal
}
