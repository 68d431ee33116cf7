import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { peerProblem, createSender } from '#webhooks/sender.ts'
import { admitUrl, type Guard } from '#webhooks/guard.ts'
import { certificate, privateKey } from '#test/support/certificate.ts'
import { freePort } from '#test/support/service-process.ts'
import { listen, openSender, sending } from '#test/support/webhooks/support-sender.ts'

const publicAddress = '93.184.215.14'

const receive = async (listener: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(listener))}/hook`

describe('a request', () => {
  it('arrives with its headers and body, and its answer comes back', async () => {
    const { send } = await openSender()
    const got: unknown[] = []
    const url = await receive((request, response) => {
      request.on('data', (chunk: Buffer) => got.push(chunk.toString()))
      request.on('end', () => {
        got.push(request.method, request.url, request.headers)
        response.writeHead(202, { 'X-Two': ['a', 'b'] }).end('taken')
      })
    })
    const answer = await sending(send, `${url}?a=1#part`)
    expect(answer).toMatchObject({ status: 202, headers: { 'x-two': 'a, b' }, body: 'taken', truncated: false })
    expect(got).toMatchObject([
      '{}',
      'POST',
      '/hook?a=1',
      {
        'user-agent': 'Test/1',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        connection: 'close',
      },
    ])
  })

  it('never follows a redirect', async () => {
    const { send } = await openSender()
    const paths: (string | undefined)[] = []
    const url = await receive((request, response) => {
      paths.push(request.url)
      response.writeHead(302, { location: '/private' }).end()
    })
    expect(await sending(send, url)).toMatchObject({ status: 302, headers: { location: '/private' } })
    expect(paths).toEqual(['/hook'])
  })

  it('takes at most 64 KB of an endless answer, and ends the connection', async () => {
    const { send } = await openSender()
    let open = 0
    const url = await receive((_request, response) => {
      open += 1
      response.once('close', () => (open -= 1))
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const answer = await sending(send, url)
    expect(answer).toMatchObject({ status: 200, truncated: true })
    expect(answer.body.length).toBe(64 * 1024)
    await expect.poll(() => open).toBe(0)
  })

  it('decompresses nothing', async () => {
    const { send } = await openSender()
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const url = await receive((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const answer = await sending(send, url)
    expect(answer.body.length).toBeLessThanOrEqual(bomb.length)
    expect(answer.status).toBe(200)
  })

  it('is judged by its status where the body drips, and is over when its time is', async () => {
    // Long enough for its status to come on a busy machine.
    const { send } = await openSender(undefined, { timeoutMs: 3000 })
    const url = await receive((_request, response) => {
      response.writeHead(200)
      const dripping = setInterval(() => response.write('.'), 20)
      response.once('close', () => clearInterval(dripping))
    })
    expect(await sending(send, url)).toMatchObject({ status: 200, truncated: true })
  })
})

describe('a request that gets no answer', () => {
  it('is over when its time is: headers that hang or drip, a lookup that hangs', async () => {
    const silent = await listen(createTcpServer())
    const dripping = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x-a: b\r\n'), 20)
        socket.once('close', () => clearInterval(drip))
      }),
    )
    const { send, guard } = await openSender(undefined, { timeoutMs: 300 })
    for (const port of [silent, dripping]) {
      await expect(sending(send, `http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'timeout' })
    }
    const hanging = createSender({
      guard: Object.assign(Object.create(guard) as Guard, {
        parse: (url: string) => guard.parse(url),
        addresses: () => new Promise<never>(() => undefined),
      }),
      userAgent: 'Test/1',
      timeoutMs: 300,
    })
    await expect(sending(hanging, 'https://hooks.example/')).rejects.toMatchObject({ code: 'timeout' })
  })

  it('says how it ended: refused, reset, not HTTP, called off, not found', async () => {
    const { send } = await openSender((name) => (name === 'hook.localhost' ? null : []))
    const resetting = await listen(
      createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    )
    const babbling = await listen(
      createTcpServer((socket) => void socket.on('error', () => undefined).end('hello\r\n\r\n')),
    )
    const free = await freePort()
    const outcomes = [
      [`http://127.0.0.1:${free}/`, 'connect'],
      [`http://127.0.0.1:${resetting}/`, 'reset'],
      [`http://127.0.0.1:${babbling}/`, 'protocol'],
      ['https://hook.localhost/', 'lookup'],
    ] as const
    for (const [url, code] of outcomes)
      await expect(sending(send, url)).rejects.toMatchObject({ name: 'SendFailed', code })
    const silent = await listen(createTcpServer())
    const abort = AbortSignal.timeout(50)
    await expect(sending(send, `http://127.0.0.1:${silent}/`, abort)).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('TLS', () => {
  const open = async (): Promise<string> => {
    const server = createTlsServer(
      { cert: certificate, key: privateKey },
      (_request, response) => void response.end('ok'),
    )
    return `https://hook.localhost:${await listen(server)}/`
  }

  it('is verified', async () => {
    const { send } = await openSender()
    await expect(sending(send, await open())).rejects.toMatchObject({
      name: 'SendFailed',
      code: 'tls',
      message: expect.stringContaining('certificate is not trusted, as it signed itself') as string,
    })
  })

  it('carries the request where the certificate is trusted and its name is right', async () => {
    const { send } = await openSender(undefined, { ca: certificate })
    const url = await open()
    expect(await sending(send, url)).toMatchObject({ status: 200, body: 'ok' })
    const other = url.replace('hook.localhost', '127.0.0.1')
    await expect(sending(send, other)).rejects.toMatchObject({
      code: 'tls',
      message: expect.stringContaining('certificate is for another host') as string,
    })
  })
})

describe('a name that changes its addresses', () => {
  /** Any address of 127/8 is this machine: this one is no other test’s, so its port 8443 is free. */
  const trapAddress = '127.0.83.17'

  const openTrap = async (): Promise<{ connections: number }> => {
    const trap = { connections: 0 }
    await listen(
      createTcpServer(() => void (trap.connections += 1)),
      trapAddress,
      8443,
    )
    return trap
  }

  it.each([
    ['to a private one', [trapAddress]],
    ['to a public and a private one', [publicAddress, trapAddress]],
    ['to a mapped one', [`::ffff:${trapAddress}`]],
  ])('%s after it was let in is not connected to', async (_what, later) => {
    const trap = await openTrap()
    const { guard, send, dns } = await openSender((_name, asked) => (asked === 0 ? [publicAddress] : later))
    const url = 'https://rebind.example:8443/'
    expect((await admitUrl(guard, url)).href).toBe(url)
    await expect(sending(send, url)).rejects.toMatchObject({ name: 'Blocked', rule: 'private_address' })
    expect(trap.connections).toBe(0)
    expect(dns.asked.get('rebind.example')).toBe(2)
  })

  it('is looked up once for a request, which goes to the address that was judged', async () => {
    const arrived: string[] = []
    const first = createServer((_request, response) => void response.end(String(arrived.push('first'))))
    const port = await listen(first)
    await listen(
      createTcpServer(() => void arrived.push('second')),
      trapAddress,
      port,
    )
    const { send, dns } = await openSender((_name, asked) => [asked === 0 ? '127.0.0.1' : trapAddress])
    expect((await sending(send, `http://hook.localhost:${port}/`)).status).toBe(200)
    expect(arrived).toEqual(['first'])
    expect(dns.asked.get('hook.localhost')).toBe(1)
  })

  it('is caught by the address of the socket, whatever came before', async () => {
    const { guard } = await openSender()
    const strange = guard.parse('https://hooks.example/')
    expect(peerProblem('10.0.0.1', strange)).toMatchObject({ rule: 'private_address' })
    expect(peerProblem('::ffff:127.0.0.1', strange)).toMatchObject({ rule: 'private_address' })
    expect(peerProblem(undefined, strange)).toMatchObject({ rule: 'private_address' })
    expect(peerProblem(publicAddress, strange)).toBeNull()
    expect(peerProblem('10.0.0.1', guard.parse('http://hook.localhost/'))).toMatchObject({ rule: 'not_https' })
    expect(peerProblem('127.0.0.1', guard.parse('http://hook.localhost/'))).toBeNull()
  })
})
