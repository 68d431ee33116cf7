import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { pageOf } from '#lib/pages.ts'

it('pages of a list are all of it, newest first, in whatever order it comes', () => {
  const lists = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 60 })
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 20 }), (items, limit) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = pageOf(items, { limit, ...(cursor === undefined ? {} : { cursor }) }, (item) => `p${item}`)
        expect(page.items.length).toBeLessThanOrEqual(limit)
        seen.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(seen).toEqual(items.toSorted((a, b) => (a < b ? 1 : -1)))
    }),
  )
})
