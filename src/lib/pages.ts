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
  // Of very many items few are shown: the others are looked at once and not sorted. From the end, where the newest are.
  const page: { readonly item: T; readonly place: string }[] = []
  let more = false
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index] as T
    const place = placeOf(item)
    if (after !== null && place >= after) continue
    if (page.length === limit) more = true
    if (page.length === limit && place <= (page.at(-1)?.place ?? '')) continue
    let at = page.length
    while (at > 0 && (page[at - 1]?.place ?? '') < place) at -= 1
    page.splice(at, 0, { item, place })
    if (page.length > limit) page.pop()
  }
  const last = page.at(-1)
  return {
    items: page.map(({ item }) => item),
    ...(more && last !== undefined ? { nextCursor: encodeCursor(last.place) } : {}),
  }
}

function encodeCursor(place: string): string {
  return Buffer.from(place, 'utf8').toString('base64url')
}

function decodeCursor(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString('utf8')
  if (place !== '' && encodeCursor(place) === cursor) return place
  throw unknownCursor()
}
