import { queryOptions, useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Domain } from '../../contract/domains.ts'
import { contract } from '../../contract/index.ts'
import { client, isFailure } from '../client.ts'

/** Milliseconds between two looks for the record of a domain that somebody waits for. */
const lookEveryMs = 30_000

export function domainsQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug, 'domains'],
    queryFn: ({ signal }) => client.call(contract.domains.list, { params: { slug }, signal }),
  })
}

/**
 * Looks for the record of a domain: when asked, and by itself while the page is seen and the domain is not verified. A
 * refusal (another project has the domain) ends that.
 */
export function useLook(slug: string, { domain, verified }: Domain): UseMutationResult<Domain, Error, void> {
  const queries = useQueryClient()
  const look = useMutation({
    mutationFn: () => client.call(contract.domains.verify, { params: { slug, domain } }),
    onSettled: () => queries.invalidateQueries(domainsQuery(slug)),
  })
  const { mutate, isPending, error } = look
  const isAwaited = !verified && !isPending && !isFailure(error, 'domain_taken', 'invalid_domain')
  useEffect(() => {
    if (!isAwaited) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') mutate()
    }, lookEveryMs)
    return () => clearInterval(timer)
  }, [isAwaited, mutate])
  return look
}

/** Chooses the domain that readers of the site’s other addresses are led to; null: none. */
export function useChoosePrimary(slug: string): UseMutationResult<{ items: Domain[] }, Error, string | null> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (domain) => client.call(contract.domains.setPrimary, { params: { slug }, body: { domain } }),
    onSuccess: (list) => queries.setQueryData(domainsQuery(slug).queryKey, list),
  })
}
