import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import type { DeliveryStatus, DeliverySummary } from '../../contract/webhooks.ts'
import { client } from '../client.ts'
import { listQuery } from './list.ts'

/** Whatever is known of a project’s webhooks. */
export function webhooksKey(slug: string) {
  return ['project', slug, 'webhooks'] as const
}

export function webhooksQuery(slug: string) {
  return listQuery([...webhooksKey(slug), 'list'], (cursor, signal) =>
    client.call(contract.webhooks.list, { params: { slug }, query: cursor, signal }),
  )
}

export function webhookQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [...webhooksKey(slug), id],
    queryFn: ({ signal }) => client.call(contract.webhooks.read, { params: { slug, id }, signal }),
  })
}

/** Of all deliveries of a webhook the last. */
export function lastDeliveryQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [...deliveriesKey(slug, id), 'last'],
    queryFn: async ({ signal }) => {
      const query = { limit: 1 }
      const { items } = await client.call(contract.webhooks.deliveries, { params: { slug, id }, query, signal })
      return items[0] ?? null
    },
  })
}

function deliveriesKey(slug: string, id: string) {
  return [...webhooksKey(slug), id, 'deliveries'] as const
}

/** Newest first; asked for again while another attempt is due soon. */
export function deliveriesQuery(slug: string, id: string, status: DeliveryStatus | undefined) {
  const filter = status === undefined ? {} : { status }
  return listQuery(
    [...deliveriesKey(slug, id), filter],
    (cursor, signal) =>
      client.call(contract.webhooks.deliveries, { params: { slug, id }, query: { ...filter, ...cursor }, signal }),
    (items) => untilNext(items, Date.now()),
  )
}

const soonMs = 10 * 60 * 1000
const lateMs = 30 * 1000

/** Milliseconds until the next attempt that is due in ten minutes or is about to be made. False: there is none. */
function untilNext(deliveries: readonly DeliverySummary[], now: number): number | false {
  const due = deliveries
    .flatMap(({ nextAttemptAt }) => (nextAttemptAt === undefined ? [] : [Date.parse(nextAttemptAt) - now]))
    .filter((distance) => distance > -lateMs && distance < soonMs)
  return due.length === 0 ? false : Math.max(2000, Math.min(...due) + 1000)
}

export function deliveryQuery(slug: string, id: string, delivery: string) {
  return queryOptions({
    queryKey: [...deliveriesKey(slug, id), delivery],
    queryFn: ({ signal }) => client.call(contract.webhooks.delivery, { params: { slug, id, delivery }, signal }),
    // What was sent and answered does not change.
    staleTime: Infinity,
  })
}
