import { randomUUID } from 'node:crypto'
import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { Delivery, DeliveryStatus, DeliverySummary } from '../contract/webhooks.ts'
import type { AttemptSubject, DeliveryPorts } from './attempts.ts'
import { present, type StoredDelivery } from './delivery-log.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { WebhookEvent } from './events.ts'
import type { StoredWebhook, WebhookDocument } from './stored-webhook.ts'

type Ports = Pick<DeliveryPorts, 'store' | 'documentOf' | 'now'> & {
  readonly siteUrl: (projectId: string) => string
}

/** A webhook of a project. */
export interface WebhookPath {
  readonly projectId: string
  /** The webhook's. */
  readonly id: string
}

/** The log of deliveries for people, and deliveries that people ask for. Each throws `not_found`. */
export class Deliveries {
  readonly #ports: Ports
  readonly #dispatcher: Dispatcher

  constructor(ports: Ports, dispatcher: Dispatcher) {
    this.#ports = ports
    this.#dispatcher = dispatcher
  }

  /** Newest first. */
  async list(
    { projectId, id }: WebhookPath,
    query: ListQuery & { status?: DeliveryStatus },
  ): Promise<List<DeliverySummary>> {
    await this.#find({ projectId, id })
    return (await this.#dispatcher.project(projectId)).log.list(id, query, this.#ports.now())
  }

  async read(path: WebhookPath, delivery: string): Promise<Delivery> {
    await this.#find(path)
    return present(await this.#stored(path, delivery))
  }

  /** Sends `webhook.test` once, also to a webhook that is not enabled. */
  async test({ projectId, id }: WebhookPath): Promise<Delivery> {
    const { webhook, project } = await this.#find({ projectId, id })
    const event: WebhookEvent = {
      id: `evt_test_${randomUUID().replaceAll('-', '')}`,
      type: 'webhook.test',
      at: this.#ports.now().toISOString(),
      project,
      data: {
        message: `A test of the webhook of ${project.title}. Nothing happened.`,
        url: this.#ports.siteUrl(projectId),
      },
    }
    return this.#send(projectId, webhook, { event, trigger: 'test', attempt: 1 })
  }

  /** Sends the event of an earlier delivery once more, with the same id and body. */
  async redeliver(path: WebhookPath, delivery: string): Promise<Delivery> {
    const { webhook } = await this.#find(path)
    const { event, attempt } = await this.#stored(path, delivery)
    return this.#send(path.projectId, webhook, { event, trigger: 'redelivery', attempt: attempt + 1 })
  }

  async #send(projectId: string, webhook: Readonly<StoredWebhook>, subject: AttemptSubject): Promise<Delivery> {
    const delivery = await (await this.#dispatcher.project(projectId)).send(webhook, subject)
    if (delivery !== null) return present(delivery)
    throw new Failure('unavailable', 'The service is ending: nobody knows whether the event arrived.', {
      hint: 'Try again in a moment.',
      retryAfter: 5,
    })
  }

  async #stored({ projectId, id }: WebhookPath, delivery: string): Promise<StoredDelivery> {
    const stored = await (await this.#dispatcher.project(projectId)).log.find(id, delivery, this.#ports.now())
    if (stored !== null) return stored
    throw new Failure('not_found', `The webhook ${id} has no delivery ${delivery}.`, {
      hint: 'Deliveries are shown for three days.',
    })
  }

  async #find({
    projectId,
    id,
  }: WebhookPath): Promise<{ webhook: Readonly<StoredWebhook>; project: WebhookEvent['project'] }> {
    const { store, documentOf } = this.#ports
    const document = await store.read<WebhookDocument>(documentOf(projectId))
    const webhook = document?.webhooks?.find((known) => known.id === id)
    if (document !== undefined && webhook !== undefined)
      return { webhook, project: { slug: document.slug, title: document.title } }
    throw new Failure('not_found', `The project has no webhook ${id}.`, { hint: 'quire webhooks lists them.' })
  }
}
