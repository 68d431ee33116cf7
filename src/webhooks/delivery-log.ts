import { randomBytes } from 'node:crypto'
import { type List, pageItems } from '../contract/common.ts'
import type { Delivery, DeliveryStatus, DeliverySummary } from '../contract/webhooks.ts'
import type { RecordLog, StreamSpec } from '../storage/records.ts'
import type { WebhookEvent } from './events.ts'

/** The log of a project holds 16 MB and shows three days; what is older is on disk for a day more. */
const maxBytes = 16 * 1024 * 1024
const shownMs = 3 * 24 * 60 * 60 * 1000

/** A record of the log: one attempt. */
export interface StoredDelivery extends Omit<Delivery, 'event'> {
  /** Id. */
  readonly webhook: string
  /** As a whole, so that it can be delivered again. */
  readonly event: WebhookEvent
}

export interface DeliveryQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly status?: DeliveryStatus
}

/** What was tried in a project, and what came of it. */
export class DeliveryLog {
  readonly #records: RecordLog<StoredDelivery>

  constructor(records: RecordLog<StoredDelivery>) {
    this.#records = records
  }

  /** Durable when it settles. */
  append(delivery: StoredDelivery): Promise<void> {
    return this.#records.append(delivery)
  }

  /** A webhook's, newest first. */
  async list(
    webhook: string,
    { limit = pageItems, cursor, status }: DeliveryQuery,
    now: Date,
  ): Promise<List<DeliverySummary>> {
    const since = shownSince(now)
    const { records, next } = await this.#records.page({
      before: cursor,
      limit,
      where: (record) =>
        record.webhook === webhook && record.at >= since && (status === undefined || record.status === status),
    })
    return { items: records.map(summarise), ...(next === undefined ? {} : { nextCursor: next }) }
  }

  /** Null when there is none, or none any more. */
  async find(webhook: string, id: string, now: Date): Promise<StoredDelivery | null> {
    const since = shownSince(now)
    const { records } = await this.#records.page({
      limit: 1,
      where: (record) => record.id === id && record.webhook === webhook && record.at >= since,
    })
    return records[0] ?? null
  }

  /** Drops from the disk what is not shown any more, a day's deliveries at a time. */
  expire(now: Date): Promise<void> {
    return this.#records.expire(shownSince(now))
  }
}

/** The deliveries of a project. */
export const deliveriesStream: StreamSpec<DeliveryLog> = {
  name: 'deliveries',
  open: async (opener) => new DeliveryLog(await opener.log<StoredDelivery>({ maxBytes, timeOf: ({ at }) => at })),
}

function shownSince(now: Date): string {
  return new Date(now.getTime() - shownMs).toISOString()
}

/** An id that sorts by time: `dlv_` and 18 letters and digits. */
export function newDeliveryId(now: Date): string {
  const time = now.getTime().toString(36).padStart(10, '0')
  return `dlv_${time}${randomBytes(5).readUIntBE(0, 5).toString(36).padStart(8, '0')}`
}

/** As the API shows it. */
export function present({ webhook: _webhook, event, ...delivery }: StoredDelivery): Delivery {
  return { ...delivery, event: { id: event.id, type: event.type } }
}

function summarise(delivery: StoredDelivery): DeliverySummary {
  const { request: _request, response: _response, ...summary } = present(delivery)
  return summary
}
