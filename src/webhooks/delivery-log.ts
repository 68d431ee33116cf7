import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type List, pageItems } from '../contract/common.ts'
import type { Delivery, DeliveryStatus, DeliverySummary } from '../contract/webhooks.ts'
import { nullIfMissing } from '../lib/disk.ts'
import { openJournal, type Journal } from '../storage/journal.ts'
import type { WebhookEvent } from './events.ts'

/** A record of the log: one attempt. */
export interface StoredDelivery extends Omit<Delivery, 'event'> {
  /** Id. */
  readonly webhook: string
  /** As a whole, so that it can be delivered again. */
  readonly event: WebhookEvent
}

/** The log of a project holds 16 MB and shows three days; what is older is on disk for a day more. */
const segmentBytes = 2 * 1024 * 1024
const segments = 8
const dayMs = 24 * 60 * 60 * 1000
const shownMs = 3 * dayMs

/** What was tried in a project, and what came of it. */
export class DeliveryLog {
  readonly #journal: Journal<StoredDelivery>
  readonly #now: () => Date

  private constructor(journal: Journal<StoredDelivery>, now: () => Date) {
    this.#journal = journal
    this.#now = now
  }

  static async open(directory: string, now: () => Date): Promise<DeliveryLog> {
    const timeOf = ({ at }: StoredDelivery): string => at
    const options = { maxSegmentBytes: segmentBytes, maxSegments: segments, timeOf }
    return new DeliveryLog(await openJournal<StoredDelivery>(directory, options), now)
  }

  /** Durable when it settles. */
  append(delivery: StoredDelivery): Promise<void> {
    return this.#journal.append(delivery)
  }

  /** A webhook's, newest first. */
  async list(
    webhook: string,
    query: { readonly limit?: number; readonly cursor?: string; readonly status?: DeliveryStatus },
  ): Promise<List<DeliverySummary>> {
    const { limit = pageItems, cursor, status } = query
    const since = this.#since()
    const { records, next } = await this.#journal.readBackwards({
      before: cursor,
      limit,
      where: (record) =>
        record.webhook === webhook && record.at >= since && (status === undefined || record.status === status),
    })
    return { items: records.map(summarise), ...(next === undefined ? {} : { nextCursor: next }) }
  }

  /** Null when there is none, or none any more. */
  async find(webhook: string, id: string): Promise<StoredDelivery | null> {
    const since = this.#since()
    const { records } = await this.#journal.readBackwards({
      limit: 1,
      where: (record) => record.id === id && record.webhook === webhook && record.at >= since,
    })
    return records[0] ?? null
  }

  /** Drops from the disk what is not shown any more, a day's deliveries at a time. */
  expire(): Promise<void> {
    return this.#journal.expire({ dropBefore: this.#since(), cutBefore: this.#before(dayMs) })
  }

  close(): Promise<void> {
    return this.#journal.close()
  }

  #since(): string {
    return this.#before(shownMs)
  }

  #before(milliseconds: number): string {
    return new Date(this.#now().getTime() - milliseconds).toISOString()
  }
}

/** Whether a log that is not open has a file that `expire` drops: nobody wrote to it for so long. */
export async function isOverdue(directory: string, now: Date): Promise<boolean> {
  const names = (await readdir(directory).catch(nullIfMissing)) ?? []
  for (const name of names) {
    const file = await stat(join(directory, name)).catch(nullIfMissing)
    if (file !== null && file.size > 0 && now.getTime() - file.mtimeMs > shownMs) return true
  }
  return false
}

/** Where a project's log lies. */
export function logDirectory(dataDirectory: string, slug: string): string {
  return join(dataDirectory, slug, 'deliveries')
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
