import { infiniteQueryOptions, type InfiniteData, type QueryKey } from '@tanstack/react-query'

export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

function itemsOf<Item>({ pages }: InfiniteData<ListPage<Item>>): readonly Item[] {
  return pages.flatMap(({ items }) => items)
}

/**
 * A list that the service gives page by page; its data are the items of the pages that are here.
 *
 * @param read a page, at a cursor: empty for the first
 * @param again milliseconds after which all pages are read again, by what they have; absent: never by itself
 */
export function listQuery<Item>(
  queryKey: QueryKey,
  read: (cursor: { readonly cursor?: string }, signal: AbortSignal) => Promise<ListPage<Item>>,
  again?: (items: readonly Item[]) => number | false,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam === '' ? {} : { cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    select: itemsOf<Item>,
    refetchInterval: ({ state }) => (state.data !== undefined && again?.(itemsOf(state.data))) ?? false,
  })
}
