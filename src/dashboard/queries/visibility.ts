import { queryOptions, useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import type { Visibility } from '../../contract/visibility.ts'
import { client } from '../client.ts'
import { projectQuery } from './projects.ts'

export function visibilityQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'visibility'],
    queryFn: ({ signal }) => client.call(contract.visibility.read, { params: { slug }, signal }),
  })
}

/** Closes the site, or opens it to everybody. */
export function useSetVisibility(slug: string): UseMutationResult<Visibility, Error, Visibility['visibility']> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (visibility) => client.call(contract.visibility.set, { params: { slug }, body: { visibility } }),
    onSuccess: async (shown) => {
      queries.setQueryData(visibilityQuery(slug).queryKey, shown)
      await queries.invalidateQueries({ ...projectQuery(slug), exact: true })
    },
  })
}

/** Has what the page shows read anew. */
export function useReload(slug: string): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries(visibilityQuery(slug))
}
