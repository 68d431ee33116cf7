import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { SettledConflict } from '../../authoring/settling.ts'
import { meQuery } from '../queries/account.ts'
import { Settlement } from './settlement.ts'

/** Read once; from then on it is the same for all pages of the branch. */
function settlementQuery(account: string, branch: string) {
  return queryOptions({
    queryKey: ['settlement', account, branch],
    queryFn: () => new Settlement(account, branch).read(),
    staleTime: Infinity,
    gcTime: Infinity,
    structuralSharing: false,
    enabled: account !== '',
  })
}

/** @param branch its id. @returns undefined while it is being read */
export function useSettlement(branch: string): Settlement | undefined {
  const me = useQuery(meQuery)
  const { data: settlement } = useQuery(settlementQuery(me.data?.account.id ?? '', branch))
  useEffect(() => {
    if (settlement === undefined) return undefined
    addEventListener('pagehide', settlement.leave)
    return () => {
      removeEventListener('pagehide', settlement.leave)
      settlement.flush()
    }
  }, [settlement])
  return settlement
}

/** What there is to be settled, as it stands. */
export function useItems(settlement: Settlement): readonly SettledConflict[] {
  return useSyncExternalStore(settlement.subscribe, settlement.items)
}
