import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { queryClient } from '../query-client.ts'
import { listQuery } from './list.ts'

/** What readers did on the last days. */
export function analyticsQuery(slug: string, days: number) {
  return queryOptions({
    queryKey: ['project', slug, 'analytics', days],
    queryFn: ({ signal }) => client.call(contract.analytics.read, { params: { slug }, query: { days }, signal }),
  })
}

const notesKey = (slug: string) => ['project', slug, 'feedback'] as const

/** What readers wrote, newest first. */
export function notesQuery(slug: string, helpful: 'yes' | 'no' | undefined) {
  return listQuery([...notesKey(slug), helpful], (cursor, signal) =>
    client.call(contract.feedback.list, {
      params: { slug },
      query: { limit: 20, ...(helpful === undefined ? {} : { helpful }), ...cursor },
      signal,
    }),
  )
}

export async function removeNote(slug: string, id: string): Promise<void> {
  await client.call(contract.feedback.remove, { params: { slug }, query: { id } })
  await queryClient.invalidateQueries({ queryKey: notesKey(slug) })
}
