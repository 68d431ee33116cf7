import { describe, expect, test } from 'vitest'
import { inSlices } from '#lib/slices.ts'
import { placesOf } from '#lib/text-search.ts'

const places = (text: string, wanted: string, most = 10) => inSlices(placesOf(text, wanted, most))

describe('where a text stands', () => {
  test.each([
    ['', 'a', []],
    ['a', 'a', [0]],
    ['aaaa', 'aa', [0, 1, 2]],
    ['abcabcabd', 'abcabd', [3]],
    ['one two one', 'one', [0, 8]],
    ['ääöä', 'öä', [2]],
    ['abab', 'ba ', []],
  ])('in %j: %j', async (text, wanted, expected) => {
    expect(await places(text, wanted)).toEqual(expected)
  })

  test('is told at most as often as is asked', async () => {
    expect(await places('a'.repeat(100), 'a', 2)).toEqual([0, 1])
  })

  test('is what indexOf finds, in texts that nearly repeat', async () => {
    const text = 'aab'.repeat(300) + 'aaab'.repeat(100)
    for (const wanted of ['aaab', 'baab', 'baaabaaa', 'aab'.repeat(50) + 'aaa', 'c'])
      expect((await places(text, wanted, 1))[0] ?? -1).toBe(text.indexOf(wanted))
  })

  test('takes no time worth speaking of where indexOf takes minutes', async () => {
    const half = 'a'.repeat(150_000)
    expect(await places('a'.repeat(1_000_000), `${half}b${half}`)).toEqual([])
  })
})
