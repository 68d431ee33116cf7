import { infiniteQueryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'

export function keysQuery(slug: string) {
  return infiniteQueryOptions({
    queryKey: ['project', slug, 'keys'],
    queryFn: ({ pageParam, signal }) =>
      client.call(contract.keys.list, {
        params: { slug },
        query: pageParam === '' ? {} : { cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
}
