import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { createReceiver, type Receipt } from '#cli/webhook-receiver.ts'
import { listen } from '#test/support/loopback.ts'

const secret = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`

async function serve(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listen(server)}/`
}

async function receive(
  options: { secret?: string; forward?: string } = {},
): Promise<{ url: string; receipts: Receipt[] }> {
  const receipts: Receipt[] = []
  const { secret: given, forward } = options
  const url = await serve(createReceiver({ secret: given, forward, onReceipt: (receipt) => receipts.push(receipt) }))
  return { url, receipts }
}

const post = (url: string, body: string, by = secret): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': new Webhook(by).sign('evt_1', new Date(), body),
    },
  })

describe('a receiver for development', () => {
  it('takes a delivery that is genuine', async () => {
    const { url, receipts } = await receive({ secret })
    expect((await post(url, '{"event":"deploy.success"}')).status).toBe(204)
    expect(receipts).toMatchObject([{ fault: null, status: 204 }])
    expect(receipts[0]?.body.toString()).toBe('{"event":"deploy.success"}')
  })

  it('refuses one that is not, and passes it on to nobody', async () => {
    let passed = 0
    const forward = await serve(createServer((_request, response) => void (passed++, response.end())))
    const { url, receipts } = await receive({ secret, forward })
    const other = `whsec_${Buffer.alloc(32, 'b').toString('base64')}`
    expect((await post(url, '{}', other)).status).toBe(401)
    expect(receipts).toMatchObject([{ fault: 'its signature is of another secret', status: 401 }])
    expect(passed).toBe(0)
  })

  it('passes on bytes and headers, and answers with the answer', async () => {
    const got: { body: string; headers: IncomingHttpHeaders }[] = []
    const forward = await serve(
      createServer((request, response) => {
        let body = ''
        request.on('data', (chunk: Buffer) => (body += chunk.toString()))
        request.on('end', () => {
          got.push({ body, headers: request.headers })
          response.writeHead(503, { 'retry-after': '7' }).end('later')
        })
      }),
    )
    const { url, receipts } = await receive({ forward })
    const answer = await post(url, '{"a": "ü"}')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
    expect(got[0]?.body).toBe('{"a": "ü"}')
    expect(got[0]?.headers).toMatchObject({ 'webhook-id': 'evt_1', 'content-type': 'application/json' })
    expect(receipts).toMatchObject([{ fault: undefined, status: 503 }])
  })

  it('answers 502 when nobody is there to pass it on to', async () => {
    const gone = createServer()
    const forward = await serve(gone)
    gone.close()
    const { url, receipts } = await receive({ forward })
    expect((await post(url, '{}')).status).toBe(502)
    expect(receipts[0]?.error).toContain('ECONNREFUSED')
  })

  it('does not keep what is too large, nor take another method', async () => {
    const { url, receipts } = await receive()
    expect((await post(url, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413)
    expect((await fetch(url)).status).toBe(405)
    expect(receipts).toEqual([])
  })
})
