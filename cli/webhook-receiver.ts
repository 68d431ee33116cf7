import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** What a receiver looks at. Names in lower case. */
export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A delivery that came, and what became of it. */
export interface Receipt extends Received {
  /** Why it is not genuine; null when it is, undefined when nobody could tell. */
  readonly fault: string | null | undefined
  /** What was answered. */
  readonly status: number
  /** Why it could not be passed on. */
  readonly error?: string
}

export interface ReceiverOptions {
  readonly secret: string | undefined
  /** Where deliveries are passed on to. */
  readonly forward: string | undefined
  readonly onReceipt: (receipt: Receipt) => void
}

/** Seconds that a delivery may be away, in both directions (Standard Webhooks, “Timestamp verification”). */
const tolerance = 5 * 60
/** Payloads are under 20 KB. */
const maxBody = 1024 * 1024
/** The service waits for fifteen seconds. */
const forwardMs = 14_000
/** Headers that belong to one connection, not to the message. */
const ofConnection = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'])

/** A receiver for development: checks the signature of what comes, tells of it, and passes it on where asked to. */
export function createReceiver(options: ReceiverOptions): Server {
  return createServer((request, response) => {
    receive(request, response, options).catch(() => response.destroy())
  })
}

async function receive(request: IncomingMessage, response: ServerResponse, options: ReceiverOptions): Promise<void> {
  const body = await bodyOf(request)
  if (request.method !== 'POST' || body === null) {
    response.writeHead(body === null ? 413 : 405).end()
    return
  }
  const received: Received = { headers: request.headers, body }
  const fault = options.secret === undefined ? undefined : faultOf(received, options.secret, Date.now())
  if (typeof fault === 'string') {
    options.onReceipt({ ...received, fault, status: 401 })
    response.writeHead(401).end()
    return
  }
  const passed = options.forward === undefined ? { status: 204 } : await passOn(options.forward, received)
  options.onReceipt({ ...received, fault, ...passed })
  response.writeHead(passed.status, passed.retryAfter === undefined ? {} : { 'retry-after': passed.retryAfter }).end()
}

async function passOn(
  forward: string,
  { headers, body }: Received,
): Promise<{ status: number; retryAfter?: string; error?: string }> {
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.has(name))
  try {
    const answer = await fetch(forward, {
      method: 'POST',
      headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardMs),
    })
    await answer.body?.cancel()
    const retryAfter = answer.headers.get('retry-after')
    return { status: answer.status, ...(retryAfter === null ? {} : { retryAfter }) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { status: 502, error: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** Null when there is too much of it. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= maxBody) chunks.push(chunk)
  }
  return bytes > maxBody ? null : Buffer.concat(chunks)
}

/**
 * Why a delivery is not genuine, or null when it is (Standard Webhooks 1.0): whoever has no secret cannot sign, and
 * what was signed long ago may be a replay.
 *
 * @param secret `whsec_` and Base64. @param now milliseconds since 1970.
 */
export function faultOf({ headers, body }: Received, secret: string, now: number): string | null {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headers[name]
    return typeof value === 'string' ? value : ''
  })
  if (!id || !timestamp || !signatures) return 'it has no signature'
  const seconds = Number(timestamp)
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - seconds) > tolerance) return 'its time is not now'
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const given = signatures.split(' ').filter((signature) => signature.startsWith('v1,'))
  return given.some((signature) => equal(Buffer.from(signature.slice(3), 'base64'), expected))
    ? null
    : 'its signature is of another secret'
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
