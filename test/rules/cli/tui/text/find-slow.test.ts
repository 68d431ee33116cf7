import { expect, test } from 'vitest'
import { TextBuffer } from '#cli/tui/text/buffer.ts'
import { Finder } from '#cli/tui/text/find.ts'

/** A machine that is so busy that whatever is bounded in time is broken off. */
const busy = () => undefined

const replacement = { text: 'b', isPattern: false }

test('A plain text is found and replaced however long that takes', async () => {
  const buffer = new TextBuffer('a a\na')
  const finder = new Finder(buffer, { text: 'a', wholeWord: true }, busy)
  expect((await finder.count())?.total).toBe(3)
  expect(finder.on(0)).toEqual([
    { from: 0, to: 1 },
    { from: 2, to: 3 },
  ])
  const [start, end] = [0, 1].map((column) => ({ line: 0, column }))
  expect(start && end && finder.replacement({ start, end }, replacement)).toBe('b')
  expect(await finder.replaceAll(replacement)).toBe(3)
  expect(buffer.text()).toBe('b b\nb')
})

test('A pattern that is broken off again and again is given up', async () => {
  const finder = new Finder(new TextBuffer('a'), { text: '(a+)+', pattern: true }, busy)
  await expect(finder.count()).rejects.toThrow('This pattern takes too long.')
  expect(finder.on(0)).toEqual([])
})
