import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../lib/network.ts'
import { TrustedProxies } from './requests/trusted-proxies.ts'

export interface ConnectionBounds {
  /** Connections at a time. */
  readonly most: number
  /** Of one address. */
  readonly ofAddress: number
  /** Proxies that all come through, as `TRUST_PROXY` names them: their connections are not of one visitor. */
  readonly trustProxy: false | string
}

/** How long a request may be on its way, in milliseconds. Its headers fit into one packet or a few; a push may take a while. */
export const requestTimes: ServerOptions = {
  headersTimeout: 20_000,
  requestTimeout: 16 * 60_000,
  connectionsCheckingInterval: 5000,
}

interface Connection {
  readonly network: string
  /** That are not through. */
  readonly answers: Set<ServerResponse>
}

/**
 * Bounds the connections of a server. Each takes a descriptor, which Git and files need, too. Where there are as many as
 * there may be, a new one takes the place of one that waits for a request longest: so whoever opens many and says nothing
 * keeps nobody out.
 */
export class Connections {
  readonly #bounds: ConnectionBounds
  readonly #proxies: TrustedProxies
  readonly #open = new Map<Socket, Connection>()
  /** How many there are by network; those of proxies have none. */
  readonly #counts = new Map<string, number>()
  /** Those without a request, by network; whichever has been for longest is first. */
  readonly #idle = new Map<string, Set<Socket>>()

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds
    this.#proxies = new TrustedProxies(bounds.trustProxy)
  }

  /** How many there are. */
  get count(): number {
    return this.#open.size
  }

  watch(server: Server): void {
    server.on('connection', (socket) => this.#admit(socket))
    server.on('request', (request, response) => this.#begin(request, response))
  }

  #admit(socket: Socket): void {
    const network = this.#networkOf(socket)
    const isFull = (): boolean => this.#open.size >= this.#bounds.most
    const isFullFor = (): boolean => network !== '' && (this.#counts.get(network) ?? 0) >= this.#bounds.ofAddress
    if (isFullFor()) this.#end(network)
    else if (isFull()) this.#end(this.#largest())
    if (isFullFor() || isFull()) {
      socket.destroy()
      return
    }
    const answers = new Set<ServerResponse>()
    this.#open.set(socket, { network, answers })
    this.#counts.set(network, (this.#counts.get(network) ?? 0) + 1)
    this.#rest(network, socket)
    socket.once('close', () => {
      this.#forget(socket)
      // After Node’s own listeners: it tells only the answer whose turn it is.
      process.nextTick(closeAll, answers)
    })
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    connection.answers.add(response)
    this.#wake(connection.network, socket)
    response.once('close', () => {
      connection.answers.delete(response)
      if (connection.answers.size === 0 && this.#open.has(socket)) this.#rest(connection.network, socket)
    })
  }

  /** Ends the connection of a network that has waited longest for a request, if there is one. */
  #end(network: string | undefined): void {
    const [socket] = (network === undefined ? undefined : this.#idle.get(network)) ?? []
    if (socket === undefined) return
    this.#forget(socket)
    socket.destroy()
  }

  /** The network with most connections that wait. */
  #largest(): string | undefined {
    let most = 0
    let largest: string | undefined
    for (const [network, sockets] of this.#idle) {
      if (sockets.size <= most) continue
      most = sockets.size
      largest = network
    }
    return largest
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    const { network } = connection
    this.#open.delete(socket)
    this.#wake(network, socket)
    const count = (this.#counts.get(network) ?? 0) - 1
    if (count > 0) this.#counts.set(network, count)
    else this.#counts.delete(network)
  }

  #rest(network: string, socket: Socket): void {
    const idle = this.#idle.get(network)
    if (idle === undefined) this.#idle.set(network, new Set([socket]))
    else idle.add(socket)
  }

  #wake(network: string, socket: Socket): void {
    const idle = this.#idle.get(network)
    idle?.delete(socket)
    if (idle?.size === 0) this.#idle.delete(network)
  }

  /** Empty where the address is nobody’s in particular. */
  #networkOf({ remoteAddress }: Socket): string {
    if (remoteAddress === undefined || this.#proxies.has(remoteAddress)) return ''
    return networkOf(remoteAddress)
  }
}

/** Requests that came behind another one (pipelining) would never hear that their connection has ended. */
function closeAll(answers: ReadonlySet<ServerResponse>): void {
  for (const answer of answers) {
    if (answer.closed) continue
    answer.destroyed = true
    answer.emit('close')
  }
}
