import type { DeliveryStatus } from '../contract/webhooks.ts'
import { attempt, type Attempted } from './attempt.ts'
import { newDeliveryId, type DeliveryLog, type StoredDelivery } from './delivery-log.ts'
import type { WebhookEvent } from './event.ts'
import type { Lanes, Receiver } from './lanes.ts'
import type { DeliveryPorts } from './ports.ts'
import type { StoredWebhook } from './state.ts'

/** What all projects share. */
export interface SharedParts {
  readonly ports: DeliveryPorts
  readonly lanes: Lanes
  /** Told of every attempt. */
  readonly onAttempt: (status: DeliveryStatus) => void
}

/** Which attempt of what. */
export type What = Pick<StoredDelivery, 'event' | 'trigger' | 'attempt'>

/** The attempts of one project: each finds its lane, and is written down. */
export class Attempts {
  readonly #slug: string
  readonly #log: DeliveryLog
  readonly #parts: SharedParts
  readonly #running = new Set<AbortController>()

  constructor(slug: string, log: DeliveryLog, parts: SharedParts) {
    this.#slug = slug
    this.#log = log
    this.#parts = parts
  }

  get running(): number {
    return this.#running.size
  }

  /** Sends an event once. Null when it was called off. */
  async send(webhook: Readonly<StoredWebhook>, event: WebhookEvent): Promise<Attempted | null> {
    const { lanes, ports, onAttempt } = this.#parts
    const controller = new AbortController()
    const { signal } = controller
    this.#running.add(controller)
    let begun = false
    const begin = async (): Promise<Attempted | null> => {
      if (signal.aborted) return null
      begun = true
      return attempt(ports.send, { webhook, event, now: ports.now, signal })
    }
    // A place may be taken for long by receivers of others: who is called off does not wait for one.
    const calledOff = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => void (begun || resolve(null)))
    })
    try {
      const outcome = await Promise.race([lanes.run(this.#receiver(webhook.id), begin), calledOff])
      if (outcome === null) return null
      onAttempt(outcome.status)
      if (outcome.status === 'skipped') {
        const details = { slug: this.#slug, webhook: webhook.id, event: event.id, reason: outcome.error }
        ports.log.warn(details, 'a webhook was skipped: its URL is not allowed')
      }
      return outcome
    } finally {
      this.#running.delete(controller)
    }
  }

  /** Writes an attempt into the log. Durable. */
  async note(
    webhook: Readonly<StoredWebhook>,
    what: What,
    outcome: Attempted & { readonly nextAttemptAt?: string },
  ): Promise<StoredDelivery> {
    const { gone: _gone, retryAfter: _retryAfter, request, response, ...rest } = outcome
    const delivery: StoredDelivery = {
      id: newDeliveryId(new Date(outcome.at)),
      webhook: webhook.id,
      ...what,
      ...rest,
      ...(response === undefined ? {} : { responseStatus: response.status }),
      request,
      ...(response === undefined ? {} : { response }),
    }
    await this.#log.append(delivery)
    return delivery
  }

  /** Writes down that an event is not sent at all. */
  async noteGivenUp(webhook: Readonly<StoredWebhook>, what: What, error: string): Promise<void> {
    const at = this.#parts.ports.now().toISOString()
    const request = { headers: {}, body: '' }
    this.#parts.onAttempt('failed')
    await this.note(webhook, what, {
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
    this.#parts.lanes.forget(this.#receiver(webhook))
  }

  /** Calls off what is under way. */
  abort(): void {
    for (const controller of this.#running) controller.abort()
  }

  #receiver(webhook: string): Receiver {
    return { project: this.#slug, webhook }
  }
}
