import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../../contract/failure.ts'
import { problemOf } from '../../contract/problem.ts'
import { problemType } from './problems.ts'

/** By Node’s code of the error; all else is 400. */
const statuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

const noRequest = new Failure('invalid_request', 'This is not a request in HTTP: it cannot be read.', {
  hint: 'An address has only ASCII: write other characters as %-escapes of their UTF-8.',
})

/** Answers bytes that Node cannot read as a request. They reach no route and no hook; nothing is read after them. */
export class UnreadableRequests {
  /** The last of each connection. */
  readonly #answers = new WeakMap<Socket, ServerResponse>()

  follow(server: Server): void {
    server.prependListener('request', ({ socket }, response) => void this.#answers.set(socket, response))
  }

  /** For `clientError`. */
  answer(error: { readonly code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    // In the midst of an answer, or after it, the client would take another one for a part of it or for the next.
    if (socket.writable && !this.#hasBegun(socket)) socket.write(answerTo(statuses[error.code ?? ''] ?? 400))
    socket.destroySoon()
  }

  #hasBegun(socket: Socket): boolean {
    const last = this.#answers.get(socket)
    return last?.headersSent === true && !(last.req.complete && last.writableEnded)
  }
}

function answerTo(status: number): string {
  const text = status === 400 ? JSON.stringify(problemOf(noRequest)) : ''
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...(status === 400 ? [`Content-Type: ${problemType}`] : []),
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}
