import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../contract/failure.ts'
import { hasCode } from '../lib/disk.ts'
import { Connections, requestTimes, type ConnectionBounds } from './connections.ts'
import { KnownRequest, KnownResponse } from './requests/known.ts'

export type RequestHandler = (request: KnownRequest, response: KnownResponse) => void

/** Where a service is reached. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** Descriptor of a socket that somebody else has bound; undefined: host and port are bound here. */
  readonly socket: number | undefined
}

/** The server that all connections come to. Behind it one service may take the place of another. */
export class Listener {
  readonly server: Server
  readonly connections: Connections
  #answer: RequestHandler | undefined

  constructor(bounds: ConnectionBounds) {
    const options = { ...requestTimes, IncomingMessage: KnownRequest, ServerResponse: KnownResponse }
    this.server = createServer(options, (request, response) => {
      // Each that looks after an answer waits for its end by itself: a dozen, and no leak.
      response.setMaxListeners(30)
      this.#answer?.(request, response)
    }).on('connection', knowAddress)
    this.connections = new Connections(bounds)
    this.connections.watch(this.server)
  }

  /** From now on requests are answered so. */
  answerBy(handler: RequestHandler): void {
    this.#answer = handler
  }

  /** Resolves with the address that it listens on. Throws Failure `unavailable` where the address cannot be had. */
  async listen({ host, port, socket }: ListenAddress): Promise<string> {
    if (!this.server.listening) {
      // Which of its addresses a name means is for the system to say, and browsers try the one of IPv4 in any case.
      const at = { port, host: host === 'localhost' ? '127.0.0.1' : host }
      this.server.listen(socket === undefined ? at : { fd: socket })
      await once(this.server, 'listening').catch((cause: unknown) => refuse(cause, { host, port, socket }))
    }
    const { address, family, port: bound } = this.server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
  }

  /**
   * Lets nobody in any more, and resolves when all connections have ended.
   *
   * @param settled when answers under way have ended; who holds a connection for longer is cut off.
   * @param notice milliseconds for whoever was let in last, and has not been heard yet.
   */
  async close(settled: () => Promise<void>, notice: number): Promise<void> {
    if (!this.server.listening) return
    // Node takes a connection for idle when its answer is handed over, and would cut off whoever is still reading that.
    this.server.closeIdleConnections = () => undefined
    const closed = once(this.server, 'close')
    this.server.close()
    await sleep(notice)
    await settled()
    // Who still holds a connection now has had the time: event streams, slow readers.
    this.server.closeAllConnections()
    await closed
  }
}

/**
 * Asks where a connection comes from while that is known: the socket keeps the answer, and has none any more when the
 * client is gone by the time that its request is read. Requests are counted by it.
 */
function knowAddress(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy()
}

const listenHints = {
  EADDRINUSE: 'Stop the program that listens there, or set PORT and HOST to what is free on this machine.',
  EADDRNOTAVAIL: 'Set HOST to an address of this machine.',
  EACCES:
    'Ports below 1024 are for root: set PORT to a higher one, with a proxy in front, or have systemd hand over the socket.',
} as const

function refuse(cause: unknown, { host, port, socket }: ListenAddress): never {
  const code = (['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'] as const).find((known) => hasCode(cause, known))
  if (socket !== undefined)
    throw new Failure('unavailable', 'The service cannot listen on the socket that it was started with (LISTEN_FDS).', {
      hint: 'Descriptor 3 must be a stream socket, as systemd hands it over.',
      lasts: true,
      cause,
    })
  if (code === undefined) throw cause
  throw new Failure('unavailable', `The service cannot listen at ${host}, port ${port} (${code}).`, {
    hint: listenHints[code],
    lasts: code !== 'EADDRINUSE',
    cause,
  })
}
