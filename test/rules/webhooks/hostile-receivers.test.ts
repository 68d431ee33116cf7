import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { Client } from 'undici'
import { expect, describe, it } from 'vitest'
import { openConnection } from '#webhooks/sender.ts'
import { Blocked, SendFailed } from '#webhooks/send.ts'
import { certificate, clientCertificate, privateKey } from '#test/support/certificate.ts'
import { listen, openSender, sending } from '#test/support/webhooks/support-sender.ts'

/** A server that reads a request and then does what it likes with the socket. */
const behaving = async (behave: (socket: Socket) => void): Promise<string> => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => behave(socket))
  })
  return `http://127.0.0.1:${await listen(server)}/`
}

/** Writes without an end, and counts bytes. */
const flooding = async (start: string, more: string): Promise<{ url: string; written: () => number }> => {
  let socket: Socket | undefined
  const url = await behaving((connected) => {
    socket = connected
    const pour = (): void => {
      while (!connected.destroyed && connected.write(more));
    }
    connected.write(start)
    connected.on('drain', pour)
    pour()
  })
  return { url, written: () => socket?.bytesWritten ?? 0 }
}

describe('a receiver that never comes to the point', () => {
  it.each([
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(500)],
    ['the words behind the status', 'HTTP/1.1 200 ', 'a'.repeat(65_536)],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(1000)],
    ['one header', 'HTTP/1.1 200 OK\r\nx: ', 'a'.repeat(65_536)],
  ])('is cut off soon, not when the time is over: %s', async (_what, start, more) => {
    const { send } = await openSender()
    const { url, written } = await flooding(start, more)
    await expect(sending(send, url)).rejects.toMatchObject({ name: 'SendFailed', code: 'protocol' })
    // What was on its way comes on top.
    expect(written()).toBeLessThan(16 * 1024 * 1024)
  })

  it.each([
    ['the extensions of a chunk', '1;', 'a'.repeat(65_536)],
    ['trailers', '0\r\n', 'x: y\r\n'.repeat(1000)],
  ])('is judged by its status where the body is to blame: %s', async (_what, start, more) => {
    const { send } = await openSender()
    const { url, written } = await flooding(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${start}`, more)
    expect(await sending(send, url)).toMatchObject({ status: 200, truncated: true })
    expect(written()).toBeLessThan(16 * 1024 * 1024)
  })

  it('may send a body of 64 KB in chunks of one byte', async () => {
    const { send } = await openSender()
    const chunks = '1\r\na\r\n'.repeat(64 * 1024)
    const url = await behaving((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
    )
    expect(await sending(send, url)).toMatchObject({ body: 'a'.repeat(64 * 1024), truncated: false })
  })
})

describe('what a receiver does is never taken for a mistake of the service', () => {
  it.each([
    ['a status that is none', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n', 'protocol'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'reset'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'protocol'],
    ['a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'protocol'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'protocol'],
  ])('%s', async (_what, answer, code) => {
    const { send } = await openSender()
    const url = await behaving((socket) => socket.end(answer))
    await expect(sending(send, url)).rejects.toMatchObject({ name: 'SendFailed', code })
  })

  it('a certificate for clients', async () => {
    const { send } = await openSender(undefined, { ca: clientCertificate })
    const server = createTlsServer({ cert: clientCertificate, key: privateKey })
    const port = await listen(server)
    await expect(sending(send, `https://hook.localhost:${port}/`)).rejects.toMatchObject({
      name: 'SendFailed',
      code: 'tls',
    })
  })

  it('connections that end at once are not opened again', async () => {
    const { send } = await openSender()
    let connections = 0
    const server = createTcpServer((socket) => {
      connections += 1
      socket.end()
    })
    await expect(sending(send, `http://127.0.0.1:${await listen(server)}/`)).rejects.toBeInstanceOf(SendFailed)
    expect(connections).toBe(1)
  })
})

describe('a socket that reached an address which is not public', () => {
  it('carries no request, although its certificate is right', async () => {
    const { guard } = await openSender()
    const requests: string[] = []
    const server = createTlsServer({ cert: certificate, key: privateKey }, (request, response) => {
      requests.push(request.url ?? '')
      response.end()
    })
    const port = await listen(server)
    const url = new URL(`https://hook.localhost:${port}/`)
    const strange = { ...guard.parse(url.href), exempt: false }
    for (const addresses of [['127.0.0.1'], ['127.0.0.1', '93.184.215.14']]) {
      const connection = openConnection({ target: strange, addresses, ca: certificate })
      const client = new Client(url.origin, { connect: connection.connect })
      await expect(client.request({ method: 'POST', path: '/', body: '{}' })).rejects.toBeInstanceOf(Blocked)
      await client.destroy()
    }
    expect(requests).toEqual([])
  })
})
