import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { limits } from '#contract/limits.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let project: ProjectAccess

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
  project = await createProject(service.url, 'compressed')
})
afterAll(() => service.close())

async function send(path: string, body: Uint8Array, headers: Record<string, string>) {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json', ...headers },
    body: new Uint8Array(body),
  })
  const answer = (await response.json()) as Record<string, unknown>
  return { ...answer, status: response.status, headers: response.headers }
}
const deploy = (body: Uint8Array, headers: Record<string, string>) => send('/api/deploy', body, headers)
const gzip = { 'content-encoding': 'gzip' }
const files = [{ path: 'a.txt', content: 'compressed, and read as it was' }]
const request = (): Buffer => Buffer.from(JSON.stringify({ files }))

describe('a request that is sent as gzip', () => {
  it('is taken as if it had not been', async () => {
    expect(await deploy(gzipSync(request()), gzip)).toMatchObject({ status: 201 })
    const read = await project.client.call(contract.files.read, { params: { slug: 'compressed', path: 'a.txt' } })
    expect(read.content).toBe(files[0]?.content)
    expect(await deploy(gzipSync(request()), { 'content-encoding': 'X-GZip' })).toMatchObject({ status: 201 })
    expect(await deploy(request(), { 'content-encoding': 'identity' })).toMatchObject({ status: 201 })
  })

  it('is the same request as the one that is not, to an idempotency key', async () => {
    const key = { 'idempotency-key': 'once' }
    const first = (await deploy(gzipSync(request()), { ...gzip, ...key })) as { id?: unknown }
    expect(await deploy(request(), key)).toMatchObject({ id: first.id })
  })

  it('may have as much in it as any request, and not one byte more', async () => {
    const large = (bytes: number): Buffer => {
      const text = request()
      return gzipSync(Buffer.concat([text, Buffer.alloc(bytes - text.length, ' ')]))
    }
    expect(await deploy(large(limits.requestBytes), gzip)).toMatchObject({ status: 201 })
    expect(await deploy(large(limits.requestBytes + 1), gzip)).toMatchObject({ status: 413, code: 'request_too_large' })
    const login = (bytes: number) => send('/api/auth/login', large(bytes), gzip)
    expect(await login(limits.bodyBytes + 1)).toMatchObject({ status: 413 })
  })

  it('is refused early when it would not end', async () => {
    const part = gzipSync(Buffer.alloc(1024 * 1024, ' '))
    const bomb = Buffer.concat(Array.from({ length: 500 }, () => part))
    expect(bomb.length).toBeLessThan(limits.requestBytes)
    const before = process.memoryUsage().arrayBuffers
    expect(await deploy(bomb, gzip)).toMatchObject({ status: 413, code: 'request_too_large' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1024 * 1024)
  })

  it.each([
    ['is not gzip', () => request()],
    ['was cut off', () => gzipSync(request()).subarray(0, -12)],
    ['is damaged', () => gzipSync(request()).fill(7, 14, 24)],
  ])('is refused when it %s', async (_, body) => {
    expect(await deploy(body(), gzip)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: 'The body is not gzip, or was cut off.',
    })
  })

  it('is a form as well as JSON', async () => {
    const form = gzipSync(Buffer.from('client_id=quire-cli'))
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await send('/api/auth/device', form, { ...gzip, ...type })).toMatchObject({ status: 200 })
  })
})

it('another content coding is refused, and the answer names those that are taken', async () => {
  for (const coding of ['br', 'gzip, gzip', 'deflate']) {
    const answer = await deploy(brotliCompressSync(request()), { 'content-encoding': coding })
    expect(answer).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
      detail: expect.stringContaining(coding),
    })
    expect(answer.headers.get('accept-encoding')).toBe('gzip, identity')
  }
})
