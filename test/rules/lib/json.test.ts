import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '#lib/json-reader.ts'
import { jsonBytes } from '#lib/json-writer.ts'
import { parseOwnJson } from '#lib/own-json.ts'
import { atOnce } from '#test/support/at-once.ts'

const read = (text: string): unknown => atOnce(parseJson(text, { budget: { max: 1_000_000, used: 0 } })).value
const native = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
const isRefused = (text: string): boolean => /__proto__|constructor|prototype/.test(text)

describe('reading', () => {
  it('agrees with JSON.parse on every document', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom(0, 2), (text, indent) => {
        const pretty = JSON.stringify(JSON.parse(text), null, indent)
        fc.pre(!isRefused(pretty))
        expect(plain(read(pretty))).toEqual(JSON.parse(pretty))
      }),
    )
  })

  it('takes and refuses what JSON.parse takes and refuses, also in broken documents', () => {
    const parts = fc.constantFrom(
      '{', '}', '[', ']', ',', ':', '"a"', '"', '\\', '\\u00e9', '1', '-', '0', '.5', 'e3', 'true', 'nul', ' ', '\n', '\u0001', '"b":',
    ) // prettier-ignore
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        fc.pre(text.trim() !== '')
        expect(plain(read(text))).toEqual(plain(native(text)))
      }),
    )
  })

  it('refuses what is large and no JSON', () => {
    const pages = JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index))
    for (const text of [
      pages.slice(0, -1),
      `${pages}]`,
      pages.replace(',', ',,'),
      pages.slice(0, -1) + ',"x',
      `[${pages}`,
    ])
      expect(() => atOnce(parseOwnJson(Buffer.from(text)))).toThrow(SyntaxError)
  })

  it('reads in steps what is too large to read at once', () => {
    const pages = Array.from({ length: 20_000 }, (_, index) => ({ path: `/page-${index}, "[${index}"`, size: index }))
    const byPath = Object.fromEntries(pages.map(({ path, size }) => [`${path}\\`, [size, '}']]))
    const value = {
      'a "name": {[\\': { pages, empty: {}, ['__proto__']: 1 },
      list: [[], byPath, [[pages]], 'x'.repeat(2 << 20), -1.5e3, null],
      ['__proto__']: [true],
      last: {},
    }
    let steps = 1
    const reading = parseOwnJson(Buffer.from(JSON.stringify(value)))
    let step = reading.next()
    for (; step.done !== true; step = reading.next()) steps += 1
    expect(JSON.stringify(step.value)).toBe(JSON.stringify(value))
    expect(steps).toBeGreaterThan(100)
  })
})

describe('writing', () => {
  it('writes what JSON.stringify writes', () => {
    const anything = fc.anything({
      maxDepth: 5,
      withNullPrototype: true,
      values: [fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
    })
    fc.assert(
      fc.property(anything, (value) => {
        const wanted = JSON.stringify([value])
        expect(atOnce(jsonBytes([value]))?.toString()).toBe(wanted)
      }),
    )
  })

  it('ends at its limit', () => {
    const value = Array.from({ length: 10_000 }, () => 'x'.repeat(100))
    expect(atOnce(jsonBytes(value, 500_000))).toBeUndefined()
    expect(atOnce(jsonBytes(value, 1_100_000))).toHaveLength(1_030_001)
  })
})
