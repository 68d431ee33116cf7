import type { Delivery } from '../contract/webhooks.ts'
import type { WebhookEvent } from './event.ts'
import { targetOf } from './kind.ts'
import { render } from './payloads.ts'
import { retryAfterOf } from './schedule.ts'
import { Blocked, SendFailed, type Send, type SendResponse } from './sending.ts'
import { sign } from './signing.ts'
import { validSecrets, type StoredWebhook } from './state.ts'
import { cut } from './text.ts'

/** What one attempt came to. */
export interface Attempted extends Pick<Delivery, 'status' | 'at' | 'durationMs' | 'url' | 'request'> {
  readonly response?: NonNullable<Delivery['response']>
  /** A sentence for people; absent of one that succeeded. */
  readonly error?: string
  /** The receiver said that it is gone for good. */
  readonly gone: boolean
  /** Milliseconds that the receiver asked for. */
  readonly retryAfter?: number
}

export interface AttemptRequest {
  readonly webhook: Readonly<StoredWebhook>
  readonly event: WebhookEvent
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** What is kept of an answer: enough to see what is wrong. */
const keptBody = 4096
const keptHeaders = 40
const keptHeader = 500

/** Sends an event to a webhook once. Null when it was called off, and nobody knows whether it arrived. */
export async function attempt(send: Send, { webhook, event, now, signal }: AttemptRequest): Promise<Attempted | null> {
  const at = now()
  const request = requestOf(webhook, event, at)
  const url = targetOf(webhook)
  const began = performance.now()
  const attempted = (outcome: Omit<Attempted, 'at' | 'durationMs' | 'url' | 'request'>): Attempted => ({
    at: at.toISOString(),
    durationMs: Math.round((performance.now() - began) * 10) / 10,
    url,
    request,
    ...outcome,
  })
  try {
    const response = await send({ ...request, url, signal })
    return attempted(outcomeOf(response, now().getTime()))
  } catch (error) {
    if (error instanceof SendFailed && error.code === 'aborted') return null
    // A name without an address is nobody’s attack: it is like one that does not exist, and tried again.
    if (error instanceof Blocked && error.rule !== 'no_address')
      return attempted({ status: 'skipped', gone: false, error: `${error.message} Nothing was sent, nor will be.` })
    if (error instanceof SendFailed || error instanceof Blocked)
      return attempted({ status: 'failed', gone: false, error: error.message })
    throw error
  }
}

/** Headers and body. Only a generic receiver gets a signature: the chat services know by their URL who calls. */
function requestOf(webhook: Readonly<StoredWebhook>, event: WebhookEvent, at: Date): Delivery['request'] {
  const { body, contentType } = render(webhook.kind, event)
  const headers = { 'content-type': contentType }
  if (webhook.kind !== 'generic') return { headers, body }
  const timestamp = Math.floor(at.getTime() / 1000)
  return {
    headers: {
      ...headers,
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(validSecrets(webhook, at), { id: event.id, timestamp, body }),
    },
    body,
  }
}

function outcomeOf(
  response: SendResponse,
  now: number,
): Pick<Attempted, 'status' | 'response' | 'error' | 'gone' | 'retryAfter'> {
  const { status } = response
  const kept = keep(response)
  if (status >= 200 && status < 300) return { status: 'succeeded', response: kept, gone: false }
  const retryAfter = status === 429 || status === 503 ? retryAfterOf(response.headers['retry-after'], now) : undefined
  return {
    status: 'failed',
    response: kept,
    gone: status === 410,
    error: refusalOf(status),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
}

function refusalOf(status: number): string {
  if (status >= 300 && status < 400) return `The receiver answered ${status}, a redirect. Redirects are not followed.`
  if (status === 410) return 'The receiver answered 410: it is gone for good.'
  return `The receiver answered ${status}.`
}

function keep({ status, headers, body, truncated }: SendResponse): NonNullable<Delivery['response']> {
  const kept = Object.entries(headers).slice(0, keptHeaders)
  const text = cut(body, keptBody)
  return {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, cut(value, keptHeader)])),
    body: text,
    truncated: truncated || text !== body,
  }
}
