import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonError } from '#http/api/json-error.ts'

describe('the place of a JSON mistake', () => {
  it.each([
    ['', 1, 1, 'a value'],
    ['{"a": oops}', 1, 7, 'a value'],
    ['{"a": 1,\n  }', 2, 3, 'a name'],
    ['[1, 2,]', 1, 7, 'a value'],
    ['[1 2]', 1, 4, 'a comma or ]'],
    ['{"a" 1}', 1, 6, 'a colon'],
    ['{"a": "b', 1, 7, 'a value'],
    ['[1] // done', 1, 5, 'the end'],
    ['{"a": 1', 1, 8, 'a comma or }'],
    ['[', 1, 2, 'a value or ]'],
  ])('of %j is found', async (text, line, column, expected) => {
    expect(await findJsonError(text)).toEqual({ line, column, expected })
  })

  it('is found exactly where JavaScript’s own parser refuses', async () => {
    const characters = constantFrom(...'{}[],:"\\ \n01.-e'.split(''), 'true', '"a"', 'nul', '\u0001')
    await assert(
      asyncProperty(array(characters, { maxLength: 12 }), async (parts) => {
        const text = parts.join('')
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        expect((await findJsonError(text)) === null).toBe(valid)
      }),
    )
  })

  it('is found at any depth', async () => {
    expect(await findJsonError('['.repeat(1_000_000))).toMatchObject({ column: 1_000_001 })
  })
})
