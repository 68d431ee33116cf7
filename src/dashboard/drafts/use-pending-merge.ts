import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { PendingConflict } from '../../authoring/pending-conflicts.ts'
import { meQuery } from '../queries/account.ts'
import { PendingMerge } from './pending-merge.ts'

/** Read once; from then on it is the same for all pages of the branch. */
function pendingMergeQuery(account: string, branch: string) {
  return queryOptions({
    queryKey: ['pendingMerge', account, branch],
    queryFn: () => new PendingMerge(account, branch).read(),
    staleTime: Infinity,
    gcTime: Infinity,
    structuralSharing: false,
    enabled: account !== '',
  })
}

/** @param branch its id. @returns undefined while it is being read */
export function usePendingMerge(branch: string): PendingMerge | undefined {
  const me = useQuery(meQuery)
  const { data: pendingMerge } = useQuery(pendingMergeQuery(me.data?.account.id ?? '', branch))
  useEffect(() => {
    if (pendingMerge === undefined) return undefined
    addEventListener('pagehide', pendingMerge.leave)
    return () => {
      removeEventListener('pagehide', pendingMerge.leave)
      pendingMerge.flush()
    }
  }, [pendingMerge])
  return pendingMerge
}

/** What there is to be settled, as it stands. */
export function usePendingConflicts(pendingMerge: PendingMerge): readonly PendingConflict[] {
  return useSyncExternalStore(pendingMerge.subscribe, pendingMerge.items)
}
