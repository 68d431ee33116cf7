import type { RecordChange, RecordTable, StreamSpec } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import type { WebhookEvent, NewEvent } from './events.ts'
import type { PendingDelivery } from './webhook-worker.ts'
import { Failure } from '../contract/failure.ts'
import type { WebhookEventType } from '../contract/webhooks.ts'
import { Outbox, type OutboxDocument as StoredOutbox } from '../storage/outbox.ts'
import { subscribers, type WebhookDocument } from './stored-webhook.ts'
import { clean, cut } from './payloads.ts'

/**
 * Events in the outbox of a document, a kilobyte each. So many wait only when the queue cannot be written: then nothing
 * is begun any more that would end in another event, while what is under way still finds room. The document stays small.
 */
export const maxOutbox = 100
/** Seconds after which a client may try again what was refused. */
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
interface QueueHead {
  /** When it was taken over, which may be long after it happened: an entry of a changelog has the date it likes. */
  readonly since: number
  readonly waiting: Readonly<Record<string, { readonly attempts: number; readonly dueAt: number }>>
}

/** The outbox of documents; its events become records of the queue. */
const outbox = new Outbox<OutboxEntry, QueueHead, WebhookEvent>({
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
export function record(document: OutboxDocument, event: NewEvent): boolean {
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

type Table = RecordTable<QueueHead, WebhookEvent>

interface QueuedEvent {
  readonly since: number
  /** By webhook. */
  readonly pending: Map<string, PendingDelivery>
  /** It may still lie in the outbox: until it does not, its record says that it was taken over. */
  mayBeInOutbox: boolean
}

/**
 * The events of a project that are on their way, as records: an attempt costs one short line. Memory first, then the
 * disk: what was done but not noted when the process died is done again, with the same id.
 */
export class DeliveryQueue {
  readonly #table: Table
  readonly #events = new Map<string, QueuedEvent>()

  private constructor(table: Table) {
    this.#table = table
  }

  static async open(table: Table): Promise<DeliveryQueue> {
    const queue = new DeliveryQueue(table)
    await queue.#load()
    return queue
  }

  /** Records that could not be read when it was opened: a disk or a backup did not keep them. They are left out. */
  get damaged(): number {
    return this.#table.damaged
  }

  /** Everything that is on its way, oldest first. */
  *pending(): Generator<PendingDelivery> {
    for (const { pending } of this.#events.values()) yield* pending.values()
  }

  get empty(): boolean {
    for (const { pending } of this.#events.values()) if (pending.size > 0) return false
    return true
  }

  find(event: string, webhook: string): PendingDelivery | undefined {
    return this.#events.get(event)?.pending.get(webhook)
  }

  /**
   * Takes over what is in the outbox of a document; one at a time. What was taken before is left out, so that doing it
   * again after a crash changes nothing. Durable. Returns what is new. Throws Failure `unavailable`.
   *
   * @param since Milliseconds since the epoch: now.
   */
  async takeOver(store: Store, document: string, since: number): Promise<readonly PendingDelivery[]> {
    await outbox.move(store, document, { table: this.#table, now: since })
    const fresh = await this.#load()
    await this.#noteMoved()
    return fresh
  }

  /** Notes an attempt that failed and is followed by another: what the pending says now. */
  async keep({ event }: PendingDelivery): Promise<void> {
    const queued = this.#events.get(event.id)
    if (queued !== undefined) await this.#table.write([{ put: event.id, head: headOf(queued) }])
  }

  /** Notes that an event was delivered to a webhook, or will not be. Done twice it changes nothing. */
  async settle({ event, webhook }: PendingDelivery): Promise<void> {
    const queued = this.#events.get(event.id)
    if (queued?.pending.delete(webhook) !== true) return
    if (queued.pending.size > 0 || queued.mayBeInOutbox)
      await this.#table.write([{ put: event.id, head: headOf(queued) }])
    else await this.#delete([event.id])
  }

  /** After a move the outbox holds none of the events that are here: the records of those that are done may go. */
  async #noteMoved(): Promise<void> {
    const done: string[] = []
    for (const [id, queued] of this.#events) {
      queued.mayBeInOutbox = false
      if (queued.pending.size === 0) done.push(id)
    }
    await this.#delete(done)
  }

  async #delete(ids: readonly string[]): Promise<void> {
    await this.#table.write(ids.map((id): RecordChange<QueueHead, WebhookEvent> => ({ delete: id })))
    // Not before: the table would bring them back.
    for (const id of ids) this.#events.delete(id)
  }

  /** Reads records that are not known yet. Returns what waits of them. */
  async #load(): Promise<readonly PendingDelivery[]> {
    const fresh: PendingDelivery[] = []
    for (const [id] of this.#table.heads()) {
      if (this.#events.has(id)) continue
      const found = await this.#table.read(id)
      if (found === undefined) continue
      const { head, body: event } = found
      const waiting = event === undefined ? [] : Object.entries(head.waiting)
      const pending = waiting.map(([webhook, { attempts, dueAt }]): [string, PendingDelivery] => [
        webhook,
        { event: event as WebhookEvent, webhook, since: head.since, attempts, dueAt },
      ])
      this.#events.set(id, { since: head.since, pending: new Map(pending), mayBeInOutbox: true })
      fresh.push(...pending.map(([, one]) => one))
    }
    return fresh
  }
}

/** The events of a project that are on their way. */
export const queueStream: StreamSpec<DeliveryQueue> = {
  name: 'webhooks',
  open: async (opener) => DeliveryQueue.open(await opener.table<QueueHead, WebhookEvent>()),
}

function headOf({ since, pending }: QueuedEvent): QueueHead {
  const waiting = [...pending].map(([webhook, { attempts, dueAt }]) => [webhook, { attempts, dueAt }] as const)
  return { since, waiting: Object.fromEntries(waiting) }
}
