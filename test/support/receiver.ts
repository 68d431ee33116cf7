import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'

/** A request that a receiver got. */
export interface Arrived {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface TestReceiver {
  /** `127.0.0.1:<port>`: for WEBHOOK_ALLOW_HOSTS. */
  readonly host: string
  readonly url: string
  readonly arrived: Arrived[]
  /** What it answers from now on. */
  status: number
  /** Of its answers; by their status where nothing is said. */
  body?: string
}

/** A receiver of webhooks on loopback that goes with the test. */
export async function startReceiver(): Promise<TestReceiver> {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      arrived.push({ path: request.url ?? '', headers: request.headers, body })
      response
        .writeHead(receiver.status, { 'content-type': 'text/plain' })
        .end(receiver.body ?? `status ${receiver.status}`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const host = `127.0.0.1:${address.port}`
  const receiver: TestReceiver = { host, url: `http://${host}/hook`, arrived, status: 200 }
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return receiver
}
