import { once } from 'node:events'
import { createServer, globalAgent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { send } from '#cli/service/http.ts'

it.each([200, 204])(
  'an answer of status %i leaves its connection free, which keeps no process from ending',
  async (status) => {
    const server = createServer((_request, response) => {
      response.statusCode = status
      response.end(status === 204 ? undefined : 'text')
    })
    // Longer than any command: whoever waits for the server to let go waits in vain.
    server.keepAliveTimeout = 600_000
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => server.closeAllConnections())
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const answer = await send(`http://127.0.0.1:${port}/`, { method: 'DELETE', headers: {}, body: '{}' })
    expect(answer.status).toBe(status)
    if (status !== 204) expect(await answer.text()).toBe('text')
    await expect.poll(() => globalAgent.freeSockets[`127.0.0.1:${port}:`]?.length).toBe(1)
  },
)
