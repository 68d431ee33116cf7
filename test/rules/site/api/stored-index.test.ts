import { expect, test } from 'vitest'
import { wholly } from '#lib/slices.ts'
import { readIndex, writeIndex } from '#site/api/stored-index.ts'

const index = {
  title: 'Pets',
  tags: [['pets', 'All\npets'] as [string, string]],
  warnings: [],
  entries: [
    { kind: 'operation' as const, name: 'GET /pets', title: 'List', part: 0, hash: 'a' },
    { kind: 'schema' as const, name: 'Pet', title: 'Pét', part: 1, hash: 'b' },
  ],
  parts: [
    ['operation GET /pets', 0, 2, [1]] as [string, number, number, number[]],
    ['#/components/schemas/Pet', 2, 2, []] as [string, number, number, number[]],
  ],
}
const read = (text: string, at = 0) => wholly(readIndex(Buffer.from(text), at))

test('an index is read as it was written, wherever it stands, and what comes after it is told', () => {
  const written = writeIndex(index)
  expect(read(`head\n${written}{}{}`, 5)).toEqual({ index, end: 5 + Buffer.byteLength(written) })
})

test.each([
  ['nothing', ''],
  ['another text', 'text\nof it\n'],
  ['less than it says', writeIndex(index).split('\n').slice(0, -2).join('\n')],
  ['entries that are none', writeIndex(index).replace('"kind":"schema"', '"kind":"shape"')],
  ['parts that are none', writeIndex(index).replace(',0,2,[1]]', ',-1,2,[1]]')],
])('an index with %s is none', (_what, text) => {
  expect(read(text)).toBeUndefined()
})
