import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const secretBytes = 32

/** A new secret: `whsec_` and 32 random bytes in Base64. */
export function mintSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

/** What is signed. */
export interface Message {
  /** Header `webhook-id`. */
  readonly id: string
  /** Header `webhook-timestamp`: seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The header `webhook-signature`: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64, once for every secret,
 * separated by spaces (Standard Webhooks 1.0).
 */
export function sign(secrets: readonly string[], { id, timestamp, body }: Message): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}
