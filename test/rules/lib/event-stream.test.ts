import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { EventStream } from '#lib/event-stream.ts'
import { listen } from '#test/support/loopback.ts'

afterEach(() => void vi.useRealTimers())

it('says nothing more after its end, however long its client takes to read it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const errors: unknown[] = []
  const server = createServer()
  const port = await listen(server)
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  await once(client, 'connect')
  client.pause().write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  response.on('error', (error) => errors.push(error))
  const stream = new EventStream(response)
  vi.advanceTimersByTime(20_000)
  // More than the buffers of both sides take.
  const whole = 'x'.repeat(16 * 1024 * 1024)
  stream.send('done', whole)
  stream.end()
  vi.advanceTimersByTime(60_000)
  await new Promise(setImmediate)
  expect(response.writableFinished).toBe(false)
  expect(errors).toEqual([])
  const read = await text(client.resume())
  expect(read.match(/: still here/g)).toHaveLength(1)
  expect(read).toContain(whole)
})
