import type { List } from '../src/contract/common.ts'
import { Failure } from '../src/contract/failure.ts'

/** Items of a page that the service gives at most. */
const mostOfAPage = 200

interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/**
 * The first items of a list, page by page.
 * @param limit the option `--limit`; all of them without it. @throws Failure invalid_request for what counts nothing.
 */
export async function firstItems<T>(
  read: (query: PageQuery) => Promise<List<T>>,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  if (limit !== Number.POSITIVE_INFINITY && (!Number.isInteger(limit) || limit < 1))
    throw new Failure('invalid_request', '--limit takes a whole number from 1 on.')
  const items: T[] = []
  let cursor: string | undefined
  do {
    const page = await read({
      limit: Math.min(mostOfAPage, limit - items.length),
      ...(cursor === undefined ? {} : { cursor }),
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return items
}
