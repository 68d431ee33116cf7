import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Button } from './button.tsx'

type List = UseInfiniteQueryResult<readonly unknown[]>

/** Brings the next page of a list, where there is one; of a filtered list, further ones until one has an item. */
export function More({
  query,
  label = 'Show more',
}: {
  readonly query: Pick<List, 'data' | 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>
  readonly label?: string
}) {
  if (!query.hasNextPage) return null
  const bring = async (): Promise<void> => {
    const before = query.data?.length ?? 0
    for (;;) {
      const { data = [], hasNextPage, isError } = await query.fetchNextPage()
      if (isError || !hasNextPage || data.length > before) return
    }
  }
  return (
    <div>
      <Button busy={query.isFetchingNextPage} onClick={() => void bring()}>
        {label}
      </Button>
    </div>
  )
}

/**
 * Brings further pages of a list while they are wanted, as where the newest have no item that is asked for. Returns
 * whether more is to come.
 */
export function useFurther(
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchNextPage' | 'isFetching' | 'isError'>,
  isWanted: boolean,
): boolean {
  const { hasNextPage, isFetching, fetchNextPage, isError } = query
  const isComing = isWanted && hasNextPage && !isError
  useEffect(() => {
    if (isComing && !isFetching) void fetchNextPage()
  }, [isComing, isFetching, fetchNextPage])
  return isComing
}
