import { Failure } from '../contract/failure.ts'
import type { WebhookEventType } from '../contract/webhooks.ts'
import { Outbox, type OutboxDocument as StoredOutbox } from '../storage/outbox.ts'
import type { HappenedEvent, WebhookEvent } from './events.ts'
import { subscribers, type WebhookDocument } from './stored-webhook.ts'
import { clean, cut } from './truncate.ts'

/**
 * More than ever waits while the disk takes what is written: a kilobyte each, so that the document stays small also when
 * the queue beside it cannot be written. With so many, nothing is begun any more that would end in another one; what
 * is under way still finds room.
 */
export const maxOutbox = 100
/** Seconds after which to try again what was refused. */
const patience = 30
const maxMessage = 1000

/** An event with the webhooks that listened when it happened. */
export interface OutboxEntry {
  readonly event: WebhookEvent
  /** Ids. */
  readonly webhooks: readonly string[]
}

/** A project's document, as far as its outbox is concerned. Most of the time there is none: events are moved at once. */
export type OutboxDocument = WebhookDocument & StoredOutbox<OutboxEntry>

/** What is left to do for an event, by the id of the webhook; nothing when it is done but may still lie in the outbox. */
export interface QueueHead {
  /** When it was taken over, which may be long after it happened: an entry of a changelog has the date it likes. */
  readonly since: number
  readonly waiting: Readonly<Record<string, { readonly attempts: number; readonly dueAt: number }>>
}

/** The outbox of documents; its events become records of the queue. */
export const outbox = new Outbox<OutboxEntry, QueueHead, WebhookEvent>({
  keyOf: ({ event }) => event.id,
  changeOf: ({ event, webhooks }, since) => ({
    head: { since, waiting: Object.fromEntries(webhooks.map((id) => [id, { attempts: 0, dueAt: since }])) },
    body: event,
  }),
  most: maxOutbox,
})

/**
 * Puts an event into the outbox of a project's document when a webhook listens, inside the change that makes it happen:
 * both are durable together or not at all. Pure and synchronous. Returns whether somebody listens.
 */
export function record(document: OutboxDocument, event: HappenedEvent): boolean {
  const webhooks = subscribers(document, event.type).map(({ id }) => id)
  if (webhooks.length === 0) return false
  const { id, type, at, data } = event
  const project = { slug: document.slug, title: document.title }
  const short = { ...data, message: clean(cut(data.message, maxMessage)) }
  outbox.put(document, { event: { id, type, at, project, data: short }, webhooks })
  return true
}

/**
 * For what may wait: throws Failure `unavailable` when a webhook listens to one of the events and the outbox is full.
 * An event that was recorded is never dropped for a newer one.
 */
export function requireRoom(document: Readonly<OutboxDocument>, types: readonly WebhookEventType[]): void {
  if (!outbox.isFull(document)) return
  if (types.every((type) => subscribers(document, type).length === 0)) return
  throw new Failure('unavailable', `${maxOutbox} events of ${document.slug} could not be handed to its webhooks yet.`, {
    hint: 'The service cannot write their queue; its log says why. Try again later, or disable the webhooks.',
    retryAfter: patience,
  })
}
