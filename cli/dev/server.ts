import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { Failure } from '../../src/contract/failure.ts'
import { EventStream } from '../../src/lib/event-stream.ts'
import { loadLocalScript } from '../../src/site/theme/assets.ts'

export const scriptPath = '/_quire/local.js'
const eventsPath = '/_quire/local-events'
/** Ports that are tried when the usual one is taken. */
const tries = 20

/** What browsers are told: which build is served, and what is wrong with the newest one. */
export interface State {
  readonly release: string | undefined
  readonly errors: readonly ErrorDetail[]
}

export interface Wish {
  readonly host: string
  readonly port: number
  /** Somebody named the port: no other one will do. */
  readonly isChosen: boolean
}

/** Serves a site to browsers of this machine, and tells them of changes. */
export class PreviewServer {
  readonly #server: Server
  readonly #streams = new Set<EventStream>()
  readonly #host: string
  #state: State = { release: undefined, errors: [] }
  #respond: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end()

  private constructor(server: Server, host: string) {
    this.#server = server
    this.#host = host
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response))
  }

  /** @throws Failure conflict-like `invalid_request` where the port is taken */
  static async listen(wish: Wish): Promise<PreviewServer> {
    const last = wish.isChosen || wish.port === 0 ? wish.port : wish.port + tries
    for (let port = wish.port; ; port++) {
      const server = createServer()
      try {
        server.listen({ port, host: wish.host })
        await once(server, 'listening')
        return new PreviewServer(server, wish.host)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
        if (code === 'EADDRINUSE' && port < last) continue
        const isTaken = code === 'EADDRINUSE'
        throw new Failure(
          'invalid_request',
          `Port ${port} of ${wish.host} ${isTaken ? 'is taken' : `cannot be used (${code})`}.`,
          {
            hint: 'Name another one: quire dev --port 4000',
            cause: error,
          },
        )
      }
    }
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Origin for a browser of this machine. */
  get url(): string {
    const isAny = this.#host === '0.0.0.0' || this.#host === '::'
    const host = isAny || this.#host === '127.0.0.1' ? 'localhost' : this.#host
    return `http://${isIP(host) === 6 ? `[${host}]` : host}:${this.port}`
  }

  /** Answers with the site from now on. */
  serve(respond: (request: IncomingMessage, response: ServerResponse) => void): void {
    this.#respond = respond
  }

  tell(state: State): void {
    this.#state = state
    for (const stream of this.#streams) stream.send('site', state)
  }

  close(): void {
    for (const stream of this.#streams) stream.end()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.replace(/\?.*$/s, '') ?? ''
    if (!isOurs(request.headers.host ?? '', this.#host)) {
      // A page elsewhere whose name leads here would read what nobody has published.
      send(
        response,
        421,
        'text/plain; charset=utf-8',
        'This preview answers to localhost and to addresses, to no other name.\n',
      )
    } else if (path === eventsPath) this.#follow(response)
    else if (path === scriptPath) send(response, 200, 'text/javascript; charset=utf-8', loadLocalScript())
    else if (this.#state.release === undefined) send(response, 503, 'text/html; charset=utf-8', waitingPage)
    else this.#respond(request, response)
  }

  #follow(response: ServerResponse): void {
    const stream = new EventStream(response, () => this.#streams.delete(stream))
    this.#streams.add(stream)
    stream.retryAfter(500)
    stream.send('site', this.#state)
  }
}

/** Names of this machine, and addresses: only a name of somebody else can lead a browser here unasked. */
function isOurs(header: string, host: string): boolean {
  const name = header
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === host.toLowerCase() || isIP(name) !== 0
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  })
  response.end(body)
}

/** What stands in a document before its build is known to a browser. */
export const headScript = (release: string): string =>
  `<script type="module" src="${scriptPath}" data-local="${release}"></script>`

const waitingPage = `<!doctype html><html lang="en"><head>${headScript('')}<meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Not built yet</title></head><body><p style="font:1rem system-ui,sans-serif;margin:3rem">There is no page yet: it comes as soon as the docs build.</p></body></html>`
