import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createProject, startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** Sends the beginning of a deploy, and goes away. */
async function goAway(port: number, key: string, body: Buffer, headers: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /api/deploy HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\n${headers}\r\n`,
  )
  socket.write(body)
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.destroy()
}

it('a client that goes away in the middle of its body is no error of the service', async () => {
  const service = await startService(await temporaryDirectory())
  try {
    const { key } = await createProject(service.url, 'leaves')
    const body = Buffer.from('{"files": [')
    await goAway(service.port, key, body, 'Content-Length: 5000\r\n')
    await goAway(service.port, key, Buffer.from('b\r\n{"files": [\r\n'), 'Transfer-Encoding: chunked\r\n')
    await goAway(
      service.port,
      key,
      gzipSync(Buffer.alloc(1 << 20, ' ')).subarray(0, 500),
      'Content-Length: 5000\r\nContent-Encoding: gzip\r\n',
    )
    await new Promise((resolve) => setTimeout(resolve, 300))
  } finally {
    await service.stop()
  }
  expect(service.log()).not.toMatch(/"level":[56]0/)
})
