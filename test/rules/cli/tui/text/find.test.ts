import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextBuffer } from '#cli/tui/text/buffer.ts'
import { Finder } from '#cli/tui/text/find.ts'
import type { Range } from '#authoring/lines.ts'

const at = (line: number, column: number) => ({ line, column })
const range = (line: number, from: number, to: number): Range => ({ start: at(line, from), end: at(line, to) })

test('Next goes around the text, previous the other way', async () => {
  const finder = new Finder(new TextBuffer('one two\nthree two\nfour'), { text: 'two' })
  expect(await finder.next(at(0, 0))).toEqual(range(0, 4, 7))
  expect(await finder.next(at(0, 5))).toEqual(range(1, 6, 9))
  expect(await finder.next(at(1, 7))).toEqual(range(0, 4, 7))
  expect(await finder.previous(at(1, 6))).toEqual(range(0, 4, 7))
  expect(await finder.previous(at(0, 4))).toEqual(range(1, 6, 9))
})

test('The one find of a text is found from behind it, and from within it', async () => {
  const finder = new Finder(new TextBuffer('here'), { text: 'here' })
  for (const column of [0, 2, 4]) {
    expect(await finder.next(at(0, column))).toEqual(range(0, 0, 4))
    expect(await finder.previous(at(0, column))).toEqual(range(0, 0, 4))
  }
  expect(await new Finder(new TextBuffer('here'), { text: 'there' }).next(at(0, 0))).toBeUndefined()
})

test('Small letters find any case, a capital only itself', async () => {
  const buffer = new TextBuffer('API api Api')
  expect((await new Finder(buffer, { text: 'api' }).count())?.total).toBe(3)
  expect((await new Finder(buffer, { text: 'API' }).count())?.total).toBe(1)
})

test('A whole word is not found inside of another one, in any script', async () => {
  const buffer = new TextBuffer('art, article, Müllart, art')
  expect((await new Finder(buffer, { text: 'art', wholeWord: true }).count())?.total).toBe(2)
})

test('Signs that mean something in patterns are found as themselves', async () => {
  const buffer = new TextBuffer('a.b axb (a.b) [x]{1}')
  expect((await new Finder(buffer, { text: 'a.b' }).count())?.total).toBe(2)
  expect((await new Finder(buffer, { text: '[x]{1}' }).count())?.total).toBe(1)
})

test('What is no pattern is refused with the reason', () => {
  expect(() => new Finder(new TextBuffer('x'), { text: '(a', pattern: true })).toThrow(/no pattern/)
})

test('A find knows its number among all', async () => {
  const count = await new Finder(new TextBuffer('x x\nx\ny x'), { text: 'x' }).count()
  expect(count?.total).toBe(4)
  expect([at(0, 0), at(0, 2), at(1, 0), at(2, 2)].map((position) => count?.before(position))).toEqual([0, 1, 2, 3])
})

test('Replacing all is one step of undo, and lines keep their ends', async () => {
  const text = 'a b\r\nno\na a\r\n'
  const buffer = new TextBuffer(text)
  expect(await new Finder(buffer, { text: 'a' }).replaceAll({ text: 'cc', isPattern: false })).toBe(3)
  expect(buffer.text()).toBe('cc b\r\nno\ncc cc\r\n')
  buffer.undo()
  expect(buffer.text()).toBe(text)
  expect(buffer.canUndo).toBe(false)
})

test('A pattern’s groups fill in the replacement', async () => {
  const buffer = new TextBuffer('2026-11-23')
  const finder = new Finder(buffer, { text: String.raw`(\d+)-(\d+)-(\d+)`, pattern: true })
  await finder.replaceAll({ text: String.raw`$3.$2.$1\n$& $$`, isPattern: true })
  expect(buffer.text()).toBe('23.11.2026\n2026-11-23 $')
})

test('A plain replacement is taken as it is', async () => {
  const buffer = new TextBuffer('price')
  await new Finder(buffer, { text: 'price' }).replaceAll({ text: String.raw`$1 \n`, isPattern: false })
  expect(buffer.text()).toBe(String.raw`$1 \n`)
})

test('A find is replaced only where it still stands', () => {
  const buffer = new TextBuffer('one two')
  const finder = new Finder(buffer, { text: 'two' })
  expect(finder.replacement(range(0, 4, 7), { text: '2', isPattern: false })).toBe('2')
  expect(finder.replacement(range(0, 0, 3), { text: '2', isPattern: false })).toBeUndefined()
})

test('Long lines are searched to their end, and each find counts once', async () => {
  const text = `${'x'.repeat(49_999)}needle${'y'.repeat(80_000)}needle`
  const buffer = new TextBuffer(text)
  const finder = new Finder(buffer, { text: 'needle' })
  expect((await finder.count())?.total).toBe(2)
  expect(await finder.next(at(0, 50_010))).toEqual(range(0, 130_005, 130_011))
  expect(await finder.previous(at(0, 130_000))).toEqual(range(0, 49_999, 50_005))
  expect(await finder.replaceAll({ text: 'pin', isPattern: false })).toBe(2)
  expect(buffer.text()).toBe(text.replaceAll('needle', 'pin'))
})

test('A pattern that never ends is given up', async () => {
  const finder = new Finder(new TextBuffer(`${'a'.repeat(60)}!`), { text: '^(a+)+$', pattern: true })
  await expect(finder.next(at(0, 0))).rejects.toThrow(/too long/)
  expect(finder.on(0)).toEqual([])
})

test('Counting and replacing stop where the text changes meanwhile', async () => {
  const buffer = new TextBuffer('a\n'.repeat(200_000))
  const finder = new Finder(buffer, { text: 'a' })
  const counted = finder.count()
  const replaced = finder.replaceAll({ text: 'b', isPattern: false })
  buffer.replace({ start: at(0, 0), end: at(0, 0) }, 'x')
  expect(await counted).toBeUndefined()
  expect(await replaced).toBeUndefined()
  expect(buffer.at(1)).toBe('a')
})

test('Replacing all gives what replacing in the text gives', async () => {
  const some = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '\n', ' ', '漢', '👍'), maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(some, fc.constantFrom('a', 'ab', '漢', '👍', ' '), async (text, wanted) => {
      const buffer = new TextBuffer(text)
      await new Finder(buffer, { text: wanted }).replaceAll({ text: 'Z', isPattern: false })
      expect(buffer.text()).toBe(text.replaceAll(new RegExp(wanted, 'giu'), 'Z'))
    }),
  )
})

test('What is too long to be looked for is told before it is looked for', async () => {
  const finder = (text: string, pattern = false) => new Finder(new TextBuffer('漢 x'), { text, pattern })
  expect((await finder('x'.repeat(1_000)).count())?.total).toBe(0)
  expect((await finder('x'.repeat(250), true).count())?.total).toBe(0)
  // V8 would take seconds to compile some of these, and overflow its stack with others.
  expect(() => finder('x'.repeat(1_001))).toThrow('Too long: at most 1,000 characters are looked for.')
  expect(() => finder(String.raw`\p{L}`.repeat(60), true)).toThrow('Too long: a pattern has at most 250 characters.')
})
