import { expect, test } from 'vitest'
import { readParts } from '#site/search/parts.ts'
import { artifact, atOnce } from '#test/rules/answers/support.ts'
import { heldHeap } from '#test/support/held-memory.ts'

test('the keys of parts, which are kept as long as the site, do not keep the pages that they were read from', () => {
  const text = 'filler '.repeat(1000)
  const keysOf = (page: number): string[] => {
    const html = `<h2 id="a-heading-with-a-long-name-${page}">A heading</h2><p>${text}</p>`
    return atOnce(readParts(artifact(html), '/page')).map(({ key }) => key)
  }
  const before = heldHeap()
  const keys = Array.from({ length: 1000 }, (_, page) => keysOf(page))
  expect(heldHeap() - before).toBeLessThan((1000 * text.length) / 4)
  expect(keys[77]?.[0]).toBe('a-heading-with-a-long-name-77')
})
