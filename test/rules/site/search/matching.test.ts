import { expect, test } from 'vitest'
import { matchesOf } from '#site/search/matching.ts'

const close = async (asked: string, words: readonly string[], isWhole: boolean) =>
  new Map(
    (await matchesOf(asked, words, { isWhole, pause: () => undefined })).map((match) => [match.word, match.closeness]),
  )

test('a misspelt word that may go on means the word itself before longer ones that begin with it', async () => {
  const found = await close('memry', ['memory_export_id', 'memory'], false)
  expect([...found.keys()]).toEqual(['memory', 'memory_export_id'])
  expect(found.get('memory')).toBe((await close('memry', ['memory'], true)).get('memory'))
  expect(found.get('memory_export_id')).toBeLessThan(found.get('memory') ?? 0)
})
