import { expect, test } from 'vitest'
import { SearchTerms } from '#analytics/search-terms.ts'

test('a term counts from the second search on, then with the first', () => {
  const terms = new SearchTerms()
  expect(terms.take('prj_1', 'rate limits', false)).toEqual([0, 0])
  expect(terms.take('prj_2', 'rate limits', true)).toEqual([0, 0])
  expect(terms.take('prj_1', 'rate limits', true)).toEqual([2, 1])
  expect(terms.take('prj_1', 'rate limits', false)).toEqual([1, 1])
})
