import { once } from 'node:events'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'

const body = JSON.stringify({ files: [{ path: 'index.md', content: 'x'.repeat(1000) }] })
const headers = (key: string) => `Host: localhost\r\nAuthorization: Bearer ${key}\r\n`
const basic = (key: string) =>
  `Host: localhost\r\nAuthorization: Basic ${btoa(`x:${key}`)}\r\nContent-Type: application/x-git-`
const posted = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`

/** Requests of which the client sends this much. */
const cut: Readonly<Record<string, (key: string) => string>> = {
  'in a body': (key) => `POST /api/deploy HTTP/1.1\r\n${headers(key)}${posted}\r\n${body.slice(0, 500)}`,
  'in a body that is gzip': (key) =>
    `POST /api/deploy HTTP/1.1\r\n${headers(key)}Content-Encoding: gzip\r\n${posted}\r\n\u001f\u008b\b`,
  'after a body': (key) => `POST /api/deploy HTTP/1.1\r\n${headers(key)}${posted}\r\n${body}`,
  'without a body': (key) => `GET /api/projects/mine HTTP/1.1\r\n${headers(key)}\r\n`,
  'as a stranger': () => `GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  'in a fetch': (key) =>
    `POST /git/mine.git/git-upload-pack HTTP/1.1\r\n${basic(key)}upload-pack-request\r\nContent-Length: 900\r\n\r\n0014command=ls-refs\n0000`,
  'in a push': (key) =>
    `POST /git/mine.git/git-receive-pack HTTP/1.1\r\n${basic(key)}receive-pack-request\r\nContent-Length: 900\r\n\r\n00a0`,
  'before what Git has': (key) =>
    `GET /git/mine.git/info/refs?service=git-upload-pack HTTP/1.1\r\n${basic(key)}x\r\n\r\n`,
}

test.each(Object.entries(cut))('a client that goes away %s is no error', async (_, requestOf) => {
  const errors: string[] = []
  const log = new Writable({ write: (line: Buffer, _encoding, done) => (errors.push(line.toString()), done()) })
  const logger = pino({ level: 'error' }, log)
  const service = await startTestService({}, { builder: new FakeBuilder(), logger })
  onTestFinished(() => service.close())
  const { key } = await createProject(service.url, 'mine')
  const request = requestOf(key)
  for (let time = 0; time < 40; time++) {
    const client = connect(service.port, '127.0.0.1')
    client.on('error', () => undefined)
    client.write(request, 'latin1')
    if (time % 4 > 0) await once(client, 'connect')
    for (let turn = 0; turn < time % 8; turn++) await new Promise(setImmediate)
    if (time % 2 === 0) client.resetAndDestroy()
    else client.end()
  }
  expect(
    (await fetch(`${service.url}/api/projects/mine`, { headers: { authorization: `Bearer ${key}` } })).status,
  ).toBe(200)
  await service.service.close()
  expect(errors).toEqual([])
})
