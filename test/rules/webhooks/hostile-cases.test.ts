import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { createGzip } from 'node:zlib'
import { expect, it } from 'vitest'
import { admitUrl } from '#webhooks/guard.ts'
import { listen, openSender, sending } from '#test/support/webhooks/support-sender.ts'

/** Those of the collection of hostile URLs (see guard.test.ts) that need sockets, by their ids. */
it('s81: a name that is public when it is let in and loopback when it is sent to', async () => {
  let connections = 0
  const trap = '127.0.83.81'
  await listen(
    createTcpServer(() => void (connections += 1)),
    trap,
    8443,
  )
  const { guard, send, dns } = await openSender((_name, asked) => (asked === 0 ? ['93.184.215.14'] : [trap]))
  const url = 'https://rebind.example:8443/'
  await admitUrl(guard, url)
  await expect(sending(send, url)).rejects.toMatchObject({ rule: 'private_address' })
  expect(dns.asked.get('rebind.example')).toBe(2)
  expect(connections).toBe(0)
})

it('s109: a redirect to an address that is not public', async () => {
  const { send } = await openSender()
  const paths: (string | undefined)[] = []
  for (const status of [301, 302, 303, 307, 308]) {
    const server = createServer((request, response) => {
      paths.push(request.url)
      response.writeHead(status, { location: `http://${request.headers.host}/inside` }).end()
    })
    const url = `http://127.0.0.1:${await listen(server)}/`
    expect(await sending(send, url)).toMatchObject({ status })
  }
  expect(paths).toEqual(['/', '/', '/', '/', '/'])
})

it('s110 and s112: an endless body, as it is and as a gzip bomb, is cut off and decompressed by nobody', async () => {
  const { send } = await openSender()
  const server = createServer((request, response) => {
    const bomb = createGzip()
    const body = request.url === '/bomb' ? bomb : response
    if (body === bomb) {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      bomb.pipe(response)
    }
    const zeros = Buffer.alloc(1_000_000)
    const pour = (): void => {
      if (!response.destroyed && body.write(zeros)) setImmediate(pour)
    }
    body.on('drain', pour)
    pour()
  })
  const port = await listen(server)
  for (const path of ['/', '/bomb']) {
    const answer = await sending(send, `http://127.0.0.1:${port}${path}`)
    expect(answer).toMatchObject({ status: 200, truncated: true })
    expect(answer.body.length).toBeLessThanOrEqual(64 * 1024)
    // Zeros as they are; packed they begin with something else.
    expect(answer.body.startsWith('\0')).toBe(path === '/')
  }
})
