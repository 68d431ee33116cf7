import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { faultOf } from '#cli/webhook-receiver.ts'
import type { Random } from './random.ts'

/** How a receiver misbehaves, one time in five; else it takes what comes. */
export const tempers = ['steady', 'fails', 'hangs', 'drips', 'resets', 'redirects', 'busy', 'gone'] as const
export type Temper = (typeof tempers)[number]

/** A request that came. */
export interface Arrival {
  readonly temper: Temper
  /** Header `webhook-id`. */
  readonly event: string
  readonly type: string
  /** Id of the deploy that it tells of. */
  readonly deploy: string
  readonly body: string
  /** The answer said that it was taken. */
  readonly taken: boolean
  readonly genuine: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

const oneIn = 5
/** After so many events this one says that it is gone: until it is believed, for who is killed may not have heard it. */
const goneAfter = 5

/** A server on loopback with a receiver a temper, each at a path of its own. */
export class Receivers {
  readonly arrivals: Arrival[] = []
  readonly secrets = new Map<Temper, string>()
  /** When the one that goes said so first. */
  goneAt: number | undefined
  /** Nobody misbehaves any more. */
  calm = false
  readonly #server: Server
  readonly #random: Random

  private constructor(random: Random) {
    this.#random = random
    this.#server = createServer((request, response) => {
      // Whoever was killed while it sent has broken the connection.
      this.#receive(request, response).catch(() => response.destroy())
    })
  }

  static async open(random: Random): Promise<Receivers> {
    const receivers = new Receivers(random)
    receivers.#server.listen(0, '127.0.0.1')
    await once(receivers.#server, 'listening')
    return receivers
  }

  get host(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return `127.0.0.1:${address.port}`
  }

  urlOf(temper: Temper): string {
    return `http://${this.host}/${temper}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const temper = tempers.find((name) => request.url === `/${name}`)
    if (temper === undefined) throw new Error(`nobody is at ${request.url}`)
    const misbehaves = this.#misbehaves(temper)
    const payload = JSON.parse(body.toString()) as { event: string; deploy?: { id: string } }
    this.arrivals.push({
      temper,
      event: String(request.headers['webhook-id']),
      type: payload.event,
      deploy: payload.deploy?.id ?? '',
      body: body.toString(),
      // A body that drips comes after an answer that says that all is well.
      taken: !misbehaves,
      genuine: faultOf({ headers: request.headers, body }, this.secrets.get(temper) ?? '', Date.now()) === null,
      at: Date.now(),
    })
    if (misbehaves) await misbehave[temper](response)
    else response.writeHead(204).end()
  }

  #misbehaves(temper: Temper): boolean {
    if (temper === 'steady' || this.calm) return false
    if (temper !== 'gone') return this.#random.once(oneIn)
    if (this.arrivals.filter((arrival) => arrival.temper === 'gone').length < goneAfter) return false
    this.goneAt ??= Date.now()
    return true
  }
}

/** Longer than the service waits. */
const tooLong = 10_000

const misbehave: Readonly<Record<Temper, (response: ServerResponse) => Promise<void>>> = {
  steady: async () => undefined,
  fails: async (response) => void response.writeHead(500, { 'content-type': 'text/plain' }).end('It failed.'),
  hangs: async (response) => {
    await gone(response)
  },
  /** A status line that comes letter by letter. */
  drips: async (response) => {
    const { socket } = response
    const letters = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
    for (const letter of letters) {
      if (socket === null || socket.destroyed) return
      socket.write(letter)
      await Promise.race([gone(response), pause(300)])
    }
  },
  resets: async (response) => void response.socket?.resetAndDestroy(),
  redirects: async (response) => void response.writeHead(302, { location: '/steady' }).end(),
  busy: async (response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  gone: async (response) => void response.writeHead(410).end(),
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref())
}

/** When the connection is no more. */
async function gone(response: ServerResponse): Promise<void> {
  await Promise.race([once(response, 'close'), pause(tooLong)])
}
