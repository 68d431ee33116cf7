import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a receiver looks at. Names in lower case. */
export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Seconds that a delivery may be away, in both directions (Standard Webhooks, “Timestamp verification”). */
const tolerance = 5 * 60

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
