import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../contract/failure.ts'

/** Ends the work of a request that nobody waits for any more: there is no one to report to. */
export class ClientGone extends Failure {
  constructor(cause?: unknown) {
    super('unavailable', 'The client went away before it was answered.', { cause })
  }
}

/** Aborted, with `ClientGone`, when the client goes away before it is answered. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(new ClientGone())
  }
  if (response.destroyed) leave()
  response.once('close', leave)
  return gone.signal
}

/** What streams fail with when a connection ends, of a request as of an answer. */
const codes = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Whether a request ended with an error only because its client went away: nobody reads an answer, and no one erred. */
export function isClientGone(error: unknown, request: IncomingMessage): boolean {
  if (error instanceof ClientGone) return true
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false
  const isOver = request.socket.destroyed || (request.destroyed && !request.complete)
  return isOver && codes.has(error.code)
}
