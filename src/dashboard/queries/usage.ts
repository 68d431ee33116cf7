import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'

export function usageQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'usage'],
    queryFn: ({ signal }) => client.call(contract.usage.read, { params: { slug }, signal }),
  })
}

/** A year, by month, newest first. */
export function usageHistoryQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'usage', 'history'],
    queryFn: ({ signal }) => client.call(contract.usage.history, { params: { slug }, query: { months: 12 }, signal }),
  })
}
