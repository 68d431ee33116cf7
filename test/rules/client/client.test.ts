import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import type { DeployEvent } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing thrown',
    (error: unknown) => error,
  )

describe('client', () => {
  it('sends path parameters, query, body and the token as the contract says', async () => {
    const seen: string[] = []
    const baseUrl = await serve((request, response, body) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`)
      response.setHeader('content-type', 'application/json').end('{"items":[],"id":"d1"}')
    })
    const client = createClient({ baseUrl: baseUrl + '/', token: 'secret' })
    await client.call(contract.deploys.list, { params: { slug: 'a-b' }, query: { limit: 5 } })
    await client.call(contract.deploys.rollback, { params: { slug: 'x' }, body: { deployId: 'd1' } })
    expect(seen).toEqual([
      'GET /api/projects/a-b/deploys?limit=5 Bearer secret ',
      'POST /api/projects/x/rollback Bearer secret {"deployId":"d1"}',
    ])
  })

  it('says in words why a service cannot be reached', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:2' })
    await expect(client.call(contract.accounts.me)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'http://127.0.0.1:2 cannot be reached: nothing answers there (ECONNREFUSED).',
    })
  })

  it('answers undefined for 204', async () => {
    const baseUrl = await serve((_request, response) => response.writeHead(204).end())
    const client = createClient({ baseUrl })
    expect(await client.call(contract.accounts.logout)).toBeUndefined()
  })

  it('makes the service’s Failure again, with hint, errors, retry and further members', async () => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(409, { 'content-type': 'application/problem+json', 'retry-after': '2' }).end(
        JSON.stringify({
          type: 'about:blank',
          title: 't',
          status: 409,
          code: 'deploy_in_progress',
          detail: 'd',
          hint: 'h',
          errors: [{ message: 'm' }],
          deploy: 'd7',
        }),
      )
    })
    const error = await caught(createClient({ baseUrl }).call(contract.deploys.create, { body: { files: [] } }))
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({
      code: 'deploy_in_progress',
      message: 'd',
      hint: 'h',
      retryAfter: 2,
      errors: [{ message: 'm' }],
      extra: { deploy: 'd7' },
    })
  })

  it('explains an answer that is no problem document by its status', async () => {
    const baseUrl = await serve((_request, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    )
    expect(await caught(createClient({ baseUrl }).call(contract.accounts.me))).toMatchObject({
      code: 'unavailable',
      extra: { httpStatus: 502 },
    })
  })

  it('says that the service cannot be reached', async () => {
    const baseUrl = await serve(() => undefined)
    for (const close of closers.splice(0)) close()
    expect(await caught(createClient({ baseUrl }).call(contract.accounts.me))).toMatchObject({ code: 'unavailable' })
  })

  it('passes an abort through as it is', async () => {
    const baseUrl = await serve(() => undefined)
    const error = await caught(createClient({ baseUrl }).call(contract.accounts.me, { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ name: 'AbortError' })
  })

  it('yields server-sent events, skipping comments and joining pieces', async () => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': hello\n\nevent: stage\ndata: {"type":"stage","stage":"build","at":"x"}\n\nevent: progress\nda')
      setTimeout(() => response.end('ta: {"type":"progress","done":1,"total":2}\n\n'), 20)
    })
    const events: DeployEvent[] = []
    const stream = createClient({ baseUrl }).events<DeployEvent>(contract.deploys.events, {
      params: { slug: 'a', id: 'd' },
    })
    for await (const event of stream) events.push(event)
    expect(events).toEqual([
      { type: 'stage', stage: 'build', at: 'x' },
      { type: 'progress', done: 1, total: 2 },
    ])
  })
})
