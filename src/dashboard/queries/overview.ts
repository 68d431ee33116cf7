import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { isUnderWay } from './branches.ts'

const followEveryMs = 2_000

/** The newest few branches. */
export function latestBranchesQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'branches', 'latest'],
    queryFn: ({ signal }) => client.call(contract.branches.list, { params: { slug }, query: { limit: 5 }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ preview }) => isUnderWay(preview)) === true && followEveryMs,
  })
}

/** The newest entry of the changelog, be it a draft. */
export function latestEntryQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'changelog', 'latest'],
    queryFn: async ({ signal }) =>
      (await client.call(contract.changelog.list, { params: { slug }, query: { limit: 1 }, signal })).items[0] ?? null,
  })
}
