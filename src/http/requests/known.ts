import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { withoutSecrets } from '../../lib/secrets.ts'
import { privateHeaders } from './private-headers.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** What proxies make: 32 hex digits, a UUID, a word with a few marks. */
const wellFormed = /^[\w.:+/=-]{1,128}$/

/** A site that a request is for. */
export interface AskedSite {
  /** Id of its project; absent where no project has the name. */
  readonly project?: string
  /** The label or domain that it was asked for by. */
  readonly name: string
}

/** A request with what the log and its answer say of it. */
export class KnownRequest extends IncomingMessage {
  id = ''
  readonly arrivedAt = performance.now()
  /** Of its connection, before its answer. */
  readonly sentBefore = this.socket.bytesWritten
  site: AskedSite | undefined = undefined
  /** The private project whose site has let it in. */
  admittedTo: string | undefined = undefined
  /** What stood before its path, or would: the base of the site that it is for, see `lib/base-path.ts`. */
  base = ''
  /** As the application has it, once it does. */
  handled: FastifyRequest | undefined = undefined

  /** Gives it the id that a trusted proxy sent, or one of its own: also where that is a credential, for logs have it. */
  identify(proxies: TrustedProxies): void {
    const sent = this.headers['x-request-id']
    const isId = typeof sent === 'string' && wellFormed.test(sent) && withoutSecrets(sent) === sent
    const isTaken = isId && proxies.has(this.socket.remoteAddress)
    this.id = isTaken ? sent : randomUUID()
  }
}

/** The base of the site that a request is for; its own path has it no more. */
export function baseOf(request: IncomingMessage): string {
  return request instanceof KnownRequest ? request.base : ''
}

/** The answer to one: it names the id. */
export class KnownResponse extends ServerResponse<KnownRequest> {
  /** It is for whoever asked alone, whoever answers: see `privateHeaders`. */
  isPrivate?: boolean

  override writeHead(status: number, ...given: unknown[]): this {
    const rest = this.isPrivate === true ? privately(this, given) : given
    const headers = rest.at(-1)
    const { id } = this.req
    // What is handed over is sent as it is; a header that was set before makes Node look at each of them again.
    if (Array.isArray(headers)) rest[rest.length - 1] = [...(headers as unknown[]), 'X-Request-Id', id]
    else if (typeof headers === 'object') rest[rest.length - 1] = { ...headers, 'X-Request-Id': id }
    else this.setHeader('X-Request-Id', id)
    return super.writeHead(status, ...(rest as []))
  }
}

/** What is given to `writeHead`, with the headers of an answer that is private. */
function privately(response: ServerResponse, [message, headers = message]: readonly unknown[]): unknown[] {
  const given = typeof headers === 'string' ? undefined : (headers as OutgoingHttpHeaders)
  const own = privateHeaders(response, given)
  return typeof message === 'string' ? [message, own] : [own]
}

/** The id of any request: one that reached the application without a connection has none yet. */
export function requestIdOf(request: IncomingMessage): string {
  return request instanceof KnownRequest ? request.id : randomUUID()
}
