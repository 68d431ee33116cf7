import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { Connections, type ConnectionBounds } from '#http/connections.ts'

let server: Server
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  server.close()
})

/** A server that answers `/held` never, and everything else at once. */
async function serve(bounds: Partial<ConnectionBounds>): Promise<void> {
  server = createServer((request, response) => {
    if (!request.url?.startsWith('/held')) response.end('hello')
  })
  new Connections({ most: Infinity, ofAddress: Infinity, trustProxy: false, ...bounds }).watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

interface Client {
  readonly socket: Socket
  /** What it was told last. */
  readonly heard: () => string
  readonly isClosed: () => boolean
}

async function open(text: string, localAddress = '127.0.0.1'): Promise<Client> {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const socket = connect({ port: address.port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  let heard = ''
  let closed = false
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  socket.on('error', () => undefined)
  socket.on('close', () => (closed = true))
  await once(socket, 'connect')
  socket.write(text)
  return { socket, heard: () => heard, isClosed: () => closed }
}

/** One whose request is under way. */
async function hold(localAddress?: string): Promise<Client> {
  const [client] = await Promise.all([open(request('/held'), localAddress), once(server, 'request')])
  return client
}

const halfSent = 'GET / HTTP/1.1\r\nhost: x\r\nx-a: '
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

it('lets a new connection in for one that waits for its request longest, where there are as many as there may be', async () => {
  await serve({ most: 3 })
  const held = await hold()
  const silent = [await open(halfSent), await open(halfSent)]
  for (let number = 0; number < 5; number++) {
    const client = await open(request('/'), '127.0.0.2')
    await expect.poll(client.heard).toContain('200 OK')
  }
  await expect.poll(() => silent.map(({ isClosed }) => isClosed())).toEqual([true, true])
  expect(held.isClosed()).toBe(false)
})

it('takes the place from the network that has most of them', async () => {
  await serve({ most: 4 })
  const quiet = await open('', '127.0.0.2')
  const silent = [await open(halfSent), await open(halfSent), await open(halfSent)]
  const client = await open(request('/'), '127.0.0.3')
  await expect.poll(client.heard).toContain('200 OK')
  await expect.poll(() => silent[0]?.isClosed()).toBe(true)
  expect(quiet.isClosed()).toBe(false)
})

it('refuses a connection where all have a request under way', async () => {
  await serve({ most: 2 })
  await hold()
  const other = await hold()
  const late = await open(request('/'))
  await expect.poll(late.isClosed).toBe(true)
  expect(late.heard()).toBe('')
  other.socket.destroy()
  await expect
    .poll(async () => {
      const client = await open(request('/'))
      await Promise.race([once(client.socket, 'data'), once(client.socket, 'close')])
      return client.heard()
    })
    .toContain('200 OK')
})

it('bounds those of one address, and not those of a proxy that is trusted', async () => {
  await serve({ ofAddress: 1, trustProxy: '127.0.0.2, uniquelocal' })
  await hold()
  const second = await open(request('/'))
  await expect.poll(second.isClosed).toBe(true)
  expect(second.heard()).toBe('')
  const proxied = [await hold('127.0.0.2'), await open(request('/'), '127.0.0.2')]
  await expect.poll(() => proxied[1]?.heard()).toContain('200 OK')
  expect(proxied.map(({ isClosed }) => isClosed())).toEqual([false, false])
})

it('tells every request of a connection that ends, those behind another one, too', async () => {
  const closed: string[] = []
  await serve({})
  server.on('request', ({ url = '' }, response) => response.once('close', () => closed.push(url)))
  const client = await open(request('/held?1') + request('/held?2') + request('/held?3'))
  await once(server, 'request')
  client.socket.destroy()
  await expect.poll(() => closed).toEqual(['/held?1', '/held?2', '/held?3'])
})
