import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Button } from './button.tsx'

type List = InfiniteData<{ readonly items: readonly unknown[] }>
type Pages = Pick<
  UseInfiniteQueryResult<List>,
  'data' | 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage' | 'isError'
>

const lengthOf = (list: List | undefined): number => list?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0

/** Brings the next page of a list, where there is one; of a filtered list, further ones until one has an item. */
export function More({ query }: { readonly query: Omit<Pages, 'isError'> }) {
  if (!query.hasNextPage) return null
  const bring = async (): Promise<void> => {
    const before = lengthOf(query.data)
    for (;;) {
      const { data, hasNextPage, isError } = await query.fetchNextPage()
      if (isError || !hasNextPage || lengthOf(data) > before) return
    }
  }
  return (
    <div>
      <Button busy={query.isFetchingNextPage} onClick={() => void bring()}>
        Show more
      </Button>
    </div>
  )
}

/** Of a filtered list the newest pages may have no item: brings further ones until one has. Returns whether it does. */
export function useFirstItems(query: Omit<Pages, 'data'>, items: number): boolean {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError } = query
  const isSearching = items === 0 && hasNextPage && !isError
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage()
  }, [isSearching, isFetchingNextPage, fetchNextPage])
  return isSearching
}
