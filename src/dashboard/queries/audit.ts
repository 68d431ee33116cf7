import { infiniteQueryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'

export interface AuditFilter {
  /** Id of an account or key. */
  readonly actor?: string
  /** An operation or a noun. */
  readonly action?: string
  /** RFC 3339. */
  readonly since?: string
  readonly until?: string
}

/** Who did what, newest first. A page may have few or none though older ones follow. */
export function auditQuery(slug: string, filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['project', slug, 'audit', filter],
    queryFn: ({ pageParam, signal }) =>
      client.call(contract.audit.list, {
        params: { slug },
        query: { ...filter, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
}
