import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { patterns } from '#contract/patterns.ts'
import { validatorOf } from '#http/api/validate.ts'

const body = Type.Object({
  slug: Type.Optional(Type.String({ pattern: patterns.slug.pattern })),
  count: Type.Optional(Type.Integer({ minimum: 1 })),
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  tags: Type.Optional(Type.Array(Type.String(), { maxItems: 2, uniqueItems: true })),
  title: Type.Optional(Type.String({ maxLength: 3, pattern: patterns.text.pattern })),
})

async function told(value: unknown): Promise<string> {
  try {
    await validatorOf(body, 'body')(value)
    return 'nothing'
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}

describe('what is told of a request that is not valid', () => {
  it.each([
    [{ slug: 'Big' }, '/slug must be lower-case letters, digits and hyphens between them, at most 63 characters.'],
    [{ count: 'x' }, '/count must be a whole number.'],
    [{ note: 1 }, '/note must be text or null.'],
    [{ tags: ['a', 'b', 'c'] }, '/tags must have at most 2 items.'],
    [{ title: 'four' }, '/title must have at most 3 characters.'],
    [{ title: 'x'.repeat(100) + '\ud800' }, '/title must have at most 3 characters.'],
    [[], 'The body must be a JSON object.'],
    [{ slug: 'ok', count: 1, note: null }, 'nothing'],
  ])('%j', async (value, message) => {
    expect(await told(value)).toBe(message)
  })

  it('is not looked for in what is far too much', async () => {
    const watched = new Proxy([1, 2, 3], {
      get(target, name, receiver) {
        if (typeof name === 'string' && /^\d+$/.test(name)) throw new Error(`item ${name} was read`)
        return Reflect.get(target, name, receiver) as unknown
      },
    })
    expect(await told({ tags: watched })).toBe('/tags must have at most 2 items.')
  })

  it('has a bound for every list whose items must differ', () => {
    const text = JSON.stringify(contract)
    const bounded = text.match(/"maxItems":\d+,"uniqueItems":true/g) ?? []
    expect(bounded.length).toBeGreaterThan(2)
    expect(text.match(/"uniqueItems":true/g)).toHaveLength(bounded.length)
  })

  it('has words for every pattern of the contract', () => {
    const used = [...JSON.stringify(contract).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text = '""']) => JSON.parse(text) as string,
    )
    expect(used.length).toBeGreaterThan(10)
    const known: ReadonlySet<string> = new Set(Object.values(patterns).map(({ pattern }) => pattern))
    expect(used.filter((pattern) => !known.has(pattern))).toEqual([])
  })
})
