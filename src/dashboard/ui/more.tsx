import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Button } from './button.tsx'

type Pages = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage' | 'isError'>

/** Brings the next page of a list, where there is one. */
export function More({ query }: { readonly query: Omit<Pages, 'isError'> }) {
  if (!query.hasNextPage) return null
  return (
    <div>
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </div>
  )
}

/** Of a filtered list the newest pages may have no item: brings further ones until one has. Returns whether it does. */
export function useFirstItems(query: Pages, items: number): boolean {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError } = query
  const isSearching = items === 0 && hasNextPage && !isError
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage()
  }, [isSearching, isFetchingNextPage, fetchNextPage])
  return isSearching
}
