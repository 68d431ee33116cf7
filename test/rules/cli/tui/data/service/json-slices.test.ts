import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInSlices, stringifyInSlices } from '#cli/tui/data/service/json-slices.ts'
import { decode, encode } from '#cli/tui/data/disk/slices.ts'
import { cases } from '#test/support/properties.ts'

/** Texts of which slices end amid whatever there is: escapes, pairs, quotation marks. */
const long = fc
  .tuple(fc.constantFrom('\\', '"', '\u{1F600}', '\u2028', '\n', '\0', '日', 'a\\"', '\\\\u0041'), fc.nat({ max: 40 }))
  .map(([unit, more]) => 'x'.repeat(more) + unit.repeat(40_000))
const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.record({ path: fc.string(), content: long, size: fc.nat() }))

describe('JSON in slices', () => {
  it('is what JSON.parse and JSON.stringify make of it', async () => {
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(undefined, 1), async (given, space) => {
        const same: unknown = JSON.parse(JSON.stringify(given))
        expect(JSON.parse(Buffer.from(await stringifyInSlices(given)).toString('utf8'))).toEqual(same)
        expect(await parseInSlices(JSON.stringify(given, null, space))).toEqual(same)
      }),
    )
  })

  it('takes long lists apart and puts them together', async () => {
    const items = Array.from({ length: 5_000 }, (_, index) => ({ path: `a},{"b[${index}]`, oid: 'f'.repeat(40) }))
    const list = { head: 'x', items, nested: { items: [[1, 2], [], {}, 'x'.repeat(50_000)] } }
    expect(await parseInSlices(JSON.stringify(list))).toEqual(list)
    expect(await parseInSlices(JSON.stringify(list, null, 2))).toEqual(list)
  })

  it.each(['"a', '{"a":1', '{"a" 1}', '{a:1}', '[1,]', '[,1]', '{"a":1}}', '[1 2]', '{"a":[1}', '', 'nul'])(
    'refuses %s, also when it is long',
    async (wrong) => {
      await expect(parseInSlices(wrong)).rejects.toThrow(SyntaxError)
      await expect(parseInSlices(wrong + ' '.repeat(40_000))).rejects.toThrow(SyntaxError)
    },
  )
})

it('texts become UTF-8 and come back as they were, whatever stands at the end of a slice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 3 }),
      fc.constantFrom('\u{1F600}', 'é', '\r\n', '\uFEFF', '日'),
      async (more, unit) => {
        const text = 'x'.repeat(more) + unit.repeat(150_000)
        expect((await decode(await encode(text))) === text).toBe(true)
        expect((await encode(text)).equals(Buffer.from(text))).toBe(true)
      },
    ),
    { numRuns: cases(12) },
  )
})
