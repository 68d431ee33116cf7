import { SpanKind } from '@opentelemetry/api'
import type { DeliveryStatus, Delivery } from '../contract/webhooks.ts'
import { inSpan, tellMeasured } from '../lib/measured.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import type { DeliveryConcurrency, Receiver } from './concurrency.ts'
import { newDeliveryId, type DeliveryLog, type StoredDelivery } from './delivery-log.ts'
import type { WebhookEvent } from './events.ts'
import { UnreadableSecret, type Keyring } from './keyring.ts'
import { targetOf, render, cut, sign } from './payloads.ts'
import { retryAfterOf } from './retry-schedule.ts'
import { Blocked, SendFailed, type Send, type SendResponse } from './send.ts'
import { type StoredWebhook, validSecrets } from './stored-webhook.ts'

/** What the log keeps of an answer: enough to see what is wrong. Characters, headers, characters of a header. */
const keptBody = 4096
const keptHeaders = 40
const keptHeader = 500

/** What deliveries need of other rooms. */
export interface DeliveryPorts {
  readonly store: Store
  /** Whose a project is: by whom attempts under way are divided. */
  readonly ownerOf: (projectId: string) => string
  /** Whether nothing is sent for a project now: its events wait until it is woken. */
  readonly rests: (projectId: string) => boolean
  readonly documentOf: (projectId: string) => string
  /** Of the names of projects' documents. */
  readonly documentPrefix: string
  readonly records: Pick<Records, 'open' | 'use' | 'exists'>
  readonly send: Send
  /** Opens the secrets that sign. */
  readonly keyring: Pick<Keyring, 'open'>
  /** Milliseconds before each attempt; see publishedSchedule. */
  readonly schedule: readonly number[]
  readonly log: {
    warn(details: Readonly<Record<string, unknown>>, message: string): void
    error(details: Readonly<Record<string, unknown>>, message: string): void
  }
  readonly now: () => Date
  /** At least 0, less than 1: jitter. */
  readonly random: () => number
}

/** What all projects share. */
export interface SharedParts {
  readonly ports: DeliveryPorts
  readonly concurrency: DeliveryConcurrency
  /** Told of every attempt. */
  readonly onAttempt: (status: DeliveryStatus) => void
}

/** Which event an attempt is of, why it is made, and its number. */
export type AttemptSubject = Pick<StoredDelivery, 'event' | 'trigger' | 'attempt'>

/** How one attempt ended. */
export interface AttemptOutcome extends Pick<Delivery, 'status' | 'at' | 'durationMs' | 'url' | 'request'> {
  readonly response?: NonNullable<Delivery['response']>
  /** A sentence for people; absent of one that succeeded. */
  readonly error?: string
  /** The receiver said that it is gone for good. */
  readonly gone: boolean
  /** Milliseconds that the receiver asked for. */
  readonly retryAfter?: number
}

interface AttemptRequest {
  readonly webhook: Readonly<StoredWebhook>
  readonly event: WebhookEvent
  readonly ports: Pick<DeliveryPorts, 'send' | 'keyring' | 'now' | 'log'>
  readonly signal: AbortSignal
}

/** Makes the attempts of one project within the limits of concurrency, and records them in its log. */
export class Attempts {
  readonly #projectId: string
  readonly #log: DeliveryLog
  readonly #parts: SharedParts
  readonly #running = new Set<AbortController>()

  constructor(projectId: string, log: DeliveryLog, parts: SharedParts) {
    this.#projectId = projectId
    this.#log = log
    this.#parts = parts
  }

  get running(): number {
    return this.#running.size
  }

  /** Sends an event once. Null when it was called off. */
  async send(webhook: Readonly<StoredWebhook>, event: WebhookEvent): Promise<AttemptOutcome | null> {
    const { concurrency, ports, onAttempt } = this.#parts
    const controller = new AbortController()
    const { signal } = controller
    this.#running.add(controller)
    let begun = false
    const begin = async (): Promise<AttemptOutcome | null> => {
      if (signal.aborted) return null
      begun = true
      return attemptOnce({ webhook, event, ports, signal })
    }
    // Receivers of others may occupy the slots for long: an attempt that is called off does not wait for one.
    const calledOff = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => void (begun || resolve(null)))
    })
    try {
      const outcome = await Promise.race([concurrency.run(this.#receiver(webhook.id), begin), calledOff])
      if (outcome === null) return null
      onAttempt(outcome.status)
      tellMeasured('webhook', outcome.status, performance.now() - outcome.durationMs)
      if (outcome.status === 'skipped') {
        const details = { projectId: this.#projectId, webhook: webhook.id, event: event.id, reason: outcome.error }
        ports.log.warn(details, 'a webhook was skipped: its URL is not allowed')
      }
      return outcome
    } finally {
      this.#running.delete(controller)
    }
  }

  /** Durable when it settles. */
  async record(
    webhook: Readonly<StoredWebhook>,
    subject: AttemptSubject,
    outcome: AttemptOutcome & { readonly nextAttemptAt?: string },
  ): Promise<StoredDelivery> {
    const { gone: _gone, retryAfter: _retryAfter, request, response, ...rest } = outcome
    const delivery: StoredDelivery = {
      id: newDeliveryId(new Date(outcome.at)),
      webhook: webhook.id,
      ...subject,
      ...rest,
      ...(response === undefined ? {} : { responseStatus: response.status }),
      request,
      ...(response === undefined ? {} : { response }),
    }
    await this.#log.append(delivery)
    return delivery
  }

  /** Records that an event is given up without an attempt. */
  async recordGivenUp(webhook: Readonly<StoredWebhook>, subject: AttemptSubject, error: string): Promise<void> {
    const at = this.#parts.ports.now().toISOString()
    const request = { headers: {}, body: '' }
    this.#parts.onAttempt('failed')
    await this.record(webhook, subject, {
      status: 'failed',
      at,
      durationMs: 0,
      url: webhook.url,
      request,
      error,
      gone: false,
    })
  }

  /** The webhook is gone. */
  forget(webhook: string): void {
    this.#parts.concurrency.forget(this.#receiver(webhook))
  }

  /** Calls off what is under way. */
  abort(): void {
    for (const controller of this.#running) controller.abort()
  }

  #receiver(webhook: string): Receiver {
    return { project: this.#projectId, webhook }
  }
}

/** Sends an event to a webhook once. Null when it was called off, and nobody knows whether it arrived. */
async function attemptOnce({ webhook, event, ports, signal }: AttemptRequest): Promise<AttemptOutcome | null> {
  const { send, now } = ports
  const at = now()
  const secrets = webhook.kind === 'generic' ? openSecrets(webhook, at, ports) : []
  const request = requestOf(webhook, event, { at, secrets })
  const url = targetOf(webhook)
  const began = performance.now()
  const attempted = (outcome: Omit<AttemptOutcome, 'at' | 'durationMs' | 'url' | 'request'>): AttemptOutcome => ({
    at: at.toISOString(),
    durationMs: Math.round((performance.now() - began) * 10) / 10,
    url,
    request,
    ...outcome,
  })
  if (webhook.kind === 'generic' && secrets.length === 0)
    return attempted({ status: 'failed', gone: false, error: unreadable })
  try {
    const response = await inSpan('webhook', {}, () => send({ ...request, url, signal }), SpanKind.CLIENT)
    return attempted(outcomeOf(response, now().getTime()))
  } catch (error) {
    if (error instanceof SendFailed && error.code === 'aborted') return null
    // A name without an address may have one later, like a name that does not exist yet: it is tried again.
    if (error instanceof Blocked && error.rule !== 'no_address')
      return attempted({ status: 'skipped', gone: false, error: `${error.message} Nothing was sent, nor will be.` })
    if (error instanceof SendFailed || error instanceof Blocked)
      return attempted({ status: 'failed', gone: false, error: error.message })
    throw error
  }
}

/** For people who see the deliveries of a webhook. */
const unreadable =
  'The service cannot read the signing secret of this webhook, so nothing was sent. Rotate the secret, or ask the operator for its key.'

/** The secrets that sign. Those that cannot be opened are left out, and told to the operator. */
function openSecrets(
  webhook: Readonly<StoredWebhook>,
  at: Date,
  { keyring, log }: AttemptRequest['ports'],
): readonly string[] {
  return validSecrets(webhook, at).flatMap((stored) => {
    try {
      return [keyring.open(stored, webhook.id)]
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error
      log.warn({ webhook: webhook.id, reason: error.message }, 'a signing secret of a webhook cannot be read')
      return []
    }
  })
}

interface Signing {
  readonly at: Date
  /** None: without a signature. */
  readonly secrets: readonly string[]
}

/** Headers and body. Only a generic receiver gets a signature: the chat services know by their URL who calls. */
function requestOf(
  webhook: Readonly<StoredWebhook>,
  event: WebhookEvent,
  { at, secrets }: Signing,
): Delivery['request'] {
  const { body, contentType } = render(webhook.kind, event)
  const headers = { 'content-type': contentType }
  if (secrets.length === 0) return { headers, body }
  const timestamp = Math.floor(at.getTime() / 1000)
  return {
    headers: {
      ...headers,
      'webhook-id': event.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(secrets, { id: event.id, timestamp, body }),
    },
    body,
  }
}

function outcomeOf(
  response: SendResponse,
  now: number,
): Pick<AttemptOutcome, 'status' | 'response' | 'error' | 'gone' | 'retryAfter'> {
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
