import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '#contract/common.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { limits } from '#contract/limits.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let project: ProjectAccess

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
  project = await createProject(service.url, 'limits')
})
afterAll(() => service.close())

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Problem & { status: number | string }
}

async function send(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Answer['body'] }
}
const post = (body: unknown): Promise<Answer> => send('POST', '/api/deploy', JSON.stringify(body))

/** A deploy request of exactly so many bytes: two files of just under 5 MB, and JSON’s white space. */
function requestOf(bytes: number): string {
  const half = 'x'.repeat(limits.fileBytes - 1000)
  const body = JSON.stringify({
    files: [
      { path: 'a.txt', content: half },
      { path: 'b.txt', content: half },
    ],
  })
  return body + ' '.repeat(bytes - body.length)
}

describe('an address that cannot be read', () => {
  it.each([
    ['a % that begins no byte', '/api/projects/%', 'a % in it'],
    ['bytes that are no UTF-8', '/api/projects/%ff', 'a % in it'],
    ['a part that is too long', `/api/projects/${'a'.repeat(2000)}`, 'A part of the address is longer'],
  ])('is refused like any other mistake: %s', async (_what, path, says) => {
    const { status, headers, body } = await send('GET', path)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { status: 400, code: 'invalid_request', detail: expect.stringContaining(says) },
    })
    expect(headers.get('content-type')).toContain('application/problem+json')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('bytes that are no request', () => {
  /** All that comes back until the connection ends. */
  async function exchange(text: string): Promise<string> {
    const socket = connect(service.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.write(text, 'latin1')
    await once(socket, 'close')
    return answer
  }
  const host = (): string => `Host: 127.0.0.1:${service.port}\r\n`

  it.each([
    ['an address with letters that are not ASCII', 'GET /api/projects/\u00e4 HTTP/1.1\r\n'],
    ['a header without a name', 'GET /healthz HTTP/1.1\r\n: x\r\n'],
    ['no HTTP at all', 'hello\r\n'],
  ])('are refused like any other mistake: %s', async (_what, text) => {
    const [head = '', body = ''] = (await exchange(`${text}${host()}\r\n`)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(head).toContain('Content-Type: application/problem+json')
    expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('have no second answer where they follow on one', async () => {
    const answer = await exchange(`GET * HTTP/1.1\r\nTransfer-Encoding: xchunked\r\nHost: [\r\n\r\n`)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
    expect(answer).toContain('The Host header is not valid')
  })

  it('are answered where the answer before them has ended', async () => {
    const socket = connect(service.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    socket.write(`GET /healthz HTTP/1.1\r\n${host()}\r\n`)
    await expect.poll(() => answer).toContain('"status":"ok"')
    socket.write('hello\r\n\r\n')
    await once(socket, 'close')
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  })
})

describe('sizes', () => {
  it('a request of exactly 10 MB is taken', async () => {
    expect(await send('POST', '/api/deploy', requestOf(limits.requestBytes))).toMatchObject({
      status: 201,
      body: { status: 'live' },
    })
  })

  it('one byte more is answered 413, and the client gets to read it', async () => {
    const answer = await send('POST', '/api/deploy', requestOf(limits.requestBytes + 1))
    expect(answer).toMatchObject({
      status: 413,
      body: { code: 'request_too_large', hint: expect.stringContaining('objects') },
    })
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  })

  it('so is a body without a length that does not end', async () => {
    const socket = connect(service.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => undefined)
    const chunk = Buffer.alloc(1 << 20, 'x')
    socket.write(
      `POST /api/deploy HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nAuthorization: Bearer ${project.key}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    // Once: each wait for it leaves listeners behind.
    const closed = once(socket, 'close')
    for (let sent = 0; sent < 14 && !socket.destroyed; sent++) {
      if (!socket.write(Buffer.concat([Buffer.from('100000\r\n'), chunk, Buffer.from('\r\n')])))
        await Promise.race([once(socket, 'drain'), closed])
    }
    await expect.poll(() => answer).toContain('"code":"request_too_large"')
    socket.destroy()
  })

  const padded = (body: unknown, bytes: number): string => {
    const text = JSON.stringify(body)
    return text + ' '.repeat(bytes - text.length)
  }
  const credentials = { email: 'limits@example.com', password: 'correct horse battery' }

  it('a request without files may have exactly 64 KB, and nobody signed in may send more', async () => {
    const login = (bytes: number) => send('POST', '/api/auth/login', padded(credentials, bytes))
    expect(await login(limits.bodyBytes)).toMatchObject({ status: 200 })
    expect(await login(limits.bodyBytes + 1)).toMatchObject({
      status: 413,
      body: { code: 'request_too_large', detail: expect.stringContaining('64 KB') },
    })
  })

  it('only endpoints that take the content of files take as much as a deploy', () => {
    const large = Object.entries(contract).flatMap(([noun, verbs]) =>
      Object.entries<Endpoint>(verbs)
        .filter(([, { bodyLimit }]) => bodyLimit !== undefined)
        .map(([verb, { bodyLimit }]) => [`${noun}.${verb}`, bodyLimit]),
    )
    const names = ['deploys.create', 'deploys.putObjects', 'checks.create', 'previews.create']
    const branches = ['saveFile', 'commit', 'check', 'render', 'update', 'publish'].map((verb) => `branches.${verb}`)
    const entries = ['create', 'update', 'preview'].map((verb) => [`changelog.${verb}`, 4 * 1024 * 1024])
    const ofModels = [
      ['generation.create', 2 * limits.promptBytes],
      ['assistant.send', limits.promptBytes],
    ]
    const files = [...names, ...branches].map((name) => [name, limits.requestBytes])
    expect(new Map(large as [string, number][])).toEqual(
      new Map([...files, ...entries, ...ofModels] as [string, number][]),
    )
  })

  it('a file of exactly 5 MB is taken, one byte more names the file', async () => {
    const content = 'x'.repeat(limits.fileBytes)
    expect(await post({ files: [{ path: 'big.txt', content }] })).toMatchObject({ status: 201 })
    const answer = await post({ files: [{ path: 'docs/big.txt', content: content + 'x' }] })
    expect(answer).toMatchObject({ status: 413, body: { code: 'file_too_large', errors: [{ path: 'docs/big.txt' }] } })
  })
})

describe('bodies', () => {
  it('that are not JSON are answered with the place', async () => {
    const answer = await send('POST', '/api/deploy', '{"files": [\n  {"path": oops}]}')
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ line: 2, column: 12 }] } })
  })

  it('that nest too deep are refused before they are parsed', async () => {
    const nested = (depth: number) =>
      `{"files":[{"path":"a.md","content":""}],"x":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(await send('POST', '/api/deploy', nested(limits.jsonDepth - 1))).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/x' }] },
    })
    for (const body of [nested(limits.jsonDepth), `{"email":${'['.repeat(4_900_000)}`]) {
      expect(await send('POST', '/api/deploy', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', detail: expect.stringContaining('nests more than 32') },
      })
    }
  })

  it('that go wrong far behind their start are refused without the place', async () => {
    expect(await send('POST', '/api/deploy', `{"files":[${`"${'a'.repeat(30)}",`.repeat(50_000)}oops]}`)).toMatchObject(
      {
        status: 400,
        body: { code: 'invalid_request', detail: expect.stringContaining('after the first 1 MB') },
      },
    )
  })

  it('that are cut off, empty or not UTF-8 are refused', async () => {
    expect(await send('POST', '/api/deploy', '{"files": [')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
    expect(await send('POST', '/api/deploy', '')).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    const latin = Buffer.from('{"files":[{"path":"a","content":"é"}]}', 'latin1')
    expect(await send('POST', '/api/deploy', new Uint8Array(latin))).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('UTF-8') },
    })
  })

  it('of wrong types are answered with a pointer for every field', async () => {
    const answer = await post({
      files: [{ path: 1 }, { path: 'a', content: 2, encoding: 'rot13' }, { content: '' }, 7],
      message: [],
    })
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.map((error) => error.pointer)).toEqual([
      '/files/0/path',
      '/files/1/content',
      '/files/1/encoding',
      '/files/2/path',
      '/files/3',
      '/message',
    ])
    expect(answer.body.errors?.[2]?.message).toBe('must be one of "utf-8", "base64"')
  })

  it('with no files, or none at all, are refused', async () => {
    expect(await post({ files: [] })).toMatchObject({ status: 400, body: { errors: [{ pointer: '/files' }] } })
    expect(await post({})).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/files', message: 'is missing' }] },
    })
    expect(await post(null)).toMatchObject({ status: 400 })
  })

  it('far over the bounds of the schema are refused without looking at everything', async () => {
    const answer = await send('POST', '/api/deploy', `{"files":[${'1,'.repeat(100_000)}1]}`)
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/files', message: `must have at most ${limits.files} items` }] },
    })
  })

  it('of another type are answered 415', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await send('POST', '/api/deploy', 'files=1', form)).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    })
  })
})

describe('addresses', () => {
  it('that are not there are answered 404, and other methods 405 with those that work', async () => {
    expect(await send('GET', '/api/nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const answer = await send('PUT', '/api/projects')
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  })

  it('with a wrong query say so', async () => {
    const answer = await send('GET', '/api/projects/limits/deploys?limit=1000')
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/limit' }] } })
  })
})
