import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linesWith } from '#lib/line-search.ts'
import { inSlices, isTurnOver, nextTurn } from '#lib/slices.ts'

const find = (text: string, wanted: string, more: { exact?: boolean; most?: number; shown?: number } = {}) =>
  inSlices(linesWith(text, { wanted, exact: false, most: 100, shown: 300, ...more }))
const placesIn = async (text: string, wanted: string, exact = false) =>
  (await find(text, wanted, { exact })).map(({ line, column }) => [line, column])

describe('lines with a text', () => {
  test.each([
    ['', 'a', []],
    ['a', '', []],
    ['a\nb', 'a\nb', []],
    [
      'one\ntwo one one\n\none',
      'one',
      [
        [1, 1],
        [2, 5],
        [4, 1],
      ],
    ],
    [
      'One\r\noNE\r\n',
      'one',
      [
        [1, 1],
        [2, 1],
      ],
    ],
    ['ÄÖ\nä', 'äö', [[1, 1]]],
    ['İstanbul one', 'ONE', [[1, 10]]],
    [
      'ΟΔΟΣ\nοδος',
      'οδοσ',
      [
        [1, 1],
        [2, 1],
      ],
    ],
    ['日本語の文書', '文書', [[1, 5]]],
    ['😀 smile', 'smile', [[1, 4]]],
    // Half of it where a step ends.
    [`${'a'.repeat(8191)}𐐀`, 'a𐐨', [[1, 8191]]],
  ])('%j has %j at %j', async (text, wanted, expected) => {
    expect(await placesIn(text, wanted)).toEqual(expected)
  })

  test('are found with their capitals where those count', async () => {
    expect(await placesIn('one\nOne', 'One', true)).toEqual([[2, 1]])
  })

  test('are told at most as often as is asked', async () => {
    expect(await find('a\n'.repeat(10), 'a', { most: 3 })).toHaveLength(3)
  })

  test('are told whole, or around the match where they are long, never with half a character', async () => {
    const [short] = await find('  a short line\r\nnext', 'short')
    expect(short).toEqual({ line: 1, column: 5, text: '  a short line', start: 4, end: 9 })
    const long = `${'😀'.repeat(300)}needle${'😀'.repeat(300)}`
    for (const shown of [50, 51, 99, 100]) {
      const [match] = await find(long, 'needle', { shown })
      expect(match?.text.slice(match.start, match.end)).toBe('needle')
      expect(match?.text.isWellFormed()).toBe(true)
      expect(match?.text.length).toBeLessThanOrEqual(shown)
    }
  })

  test('are those that a look at one line after the other finds, wherever they stand', async () => {
    const part = fc.constantFrom('a', 'A', 'ab', 'B', '\n', '\r\n', 'ä', '😀', 'ς', 'İ', 'x'.repeat(8190), ' ')
    const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('a', 'ab', 'xa', 'xx', '😀', 'ä'), async (whole, wanted) => {
        const expected = whole.split('\n').flatMap((line, index) => {
          const at = line.replaceAll('A', 'a').replaceAll('B', 'b').indexOf(wanted)
          return at === -1 ? [] : [[index + 1, at + 1]]
        })
        expect(await placesIn(whole, wanted)).toEqual(expected)
      }),
    )
  })

  test.each([
    ['that nearly repeats', 'a'.repeat(2_000_000), `${'a'.repeat(100)}b${'a'.repeat(99)}`],
    ['of very many lines', `${'\n'.repeat(2_000_000)}a`, 'a'],
    ['of one line with very many matches', 'ab'.repeat(1_000_000), 'ab'],
  ])('of a text %s are looked for in small steps', async (_what, text, wanted) => {
    let longest = 0
    const steps = linesWith(text, { wanted, exact: false, most: 1000, shown: 300 })
    for (;;) {
      const began = process.cpuUsage()
      const { done } = steps.next()
      const { user, system } = process.cpuUsage(began)
      longest = Math.max(longest, user + system)
      if (done === true) break
      if (isTurnOver()) await nextTurn()
    }
    // Processor time, not that of the clock: nothing over a text may hold others up for longer.
    expect(longest).toBeLessThan(50_000)
  })
})
