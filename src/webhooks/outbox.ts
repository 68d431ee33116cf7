import type { WebhookEventType } from '../contract/webhooks.ts'
import type { WebhookEvent } from './event.ts'
import { subscribers, type WebhookDocument } from './state.ts'
import { clean, cut } from './text.ts'

/** An event with the webhooks that listened when it happened. */
export interface OutboxEntry {
  readonly event: WebhookEvent
  /** Ids. */
  readonly webhooks: readonly string[]
}

/** A project's document, as far as its outbox is concerned. */
export interface OutboxDocument extends WebhookDocument {
  /** Oldest first; absent most of the time, for the dispatcher takes events out at once. */
  outbox?: OutboxEntry[]
  /** Events that had no room in it since it was emptied. */
  outboxLost?: number
}

/** An event that somebody may listen to: the project's title is put in. */
export interface HappenedEvent extends Omit<WebhookEvent, 'type' | 'project'> {
  readonly type: WebhookEventType
}

/**
 * More than ever waits while the disk takes what is written: about 2 KB each, so that the document stays small also when
 * the queue beside it cannot be written. Beyond it the oldest are lost, and counted.
 */
export const maxOutbox = 30
const maxMessage = 1000

/**
 * Puts an event into the outbox of a project's document when a webhook listens, inside the change that makes it happen:
 * both are durable together or not at all. Pure and synchronous. Returns whether somebody listens.
 */
export function record(document: OutboxDocument, event: HappenedEvent): boolean {
  const webhooks = subscribers(document, event.type).map(({ id }) => id)
  if (webhooks.length === 0) return false
  const known = document.outbox ?? []
  if (known.some((entry) => entry.event.id === event.id)) return true
  const { id, type, at, data } = event
  const project = { slug: document.slug, title: document.title }
  const short = { ...data, message: clean(cut(data.message, maxMessage)) }
  const all = [...known, { event: { id, type, at, project, data: short }, webhooks }]
  document.outbox = all.slice(-maxOutbox)
  if (all.length > maxOutbox) document.outboxLost = (document.outboxLost ?? 0) + all.length - maxOutbox
  return true
}

/** Takes events out of the draft of a document that lie somewhere else by now. Returns how many were lost meanwhile. */
export function takeOut(document: OutboxDocument, ids: ReadonlySet<string>): number {
  const left = (document.outbox ?? []).filter(({ event }) => !ids.has(event.id))
  if (left.length === 0) delete document.outbox
  else document.outbox = left
  const { outboxLost = 0 } = document
  delete document.outboxLost
  return outboxLost
}
