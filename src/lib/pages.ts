import type { List, ListQuery } from '../contract/common.ts'
import { pageItems } from '../contract/common.ts'
import { unknownCursor } from '../contract/failure.ts'

/**
 * A page of a list, newest first. The cursor is the place of the last item, so that items which come and go between two
 * requests neither repeat nor hide others.
 *
 * @param placeOf unique text that sorts by age. Throws Failure `invalid_request` for a cursor that no page gave.
 */
export function pageOf<T>(
  items: readonly T[],
  { limit = pageItems, cursor }: ListQuery,
  placeOf: (item: T) => string,
): List<T> {
  const after = cursor === undefined ? null : decodeCursor(cursor)
  const placed = items.map((item) => ({ item, place: placeOf(item) }))
  const rest = placed
    .filter(({ place }) => after === null || place < after)
    .sort((a, b) => (a.place < b.place ? 1 : -1))
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const more = last !== undefined && rest.length > page.length
  return { items: page.map(({ item }) => item), ...(more ? { nextCursor: encodeCursor(last.place) } : {}) }
}

function encodeCursor(place: string): string {
  return Buffer.from(place, 'utf8').toString('base64url')
}

function decodeCursor(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString('utf8')
  if (place !== '' && encodeCursor(place) === cursor) return place
  throw unknownCursor()
}
