import { describe, expect, test } from 'vitest'
import { parseJson as parseInSteps, type JsonProblem } from '#lib/json-reader.ts'
import { atOnce } from '#test/support/at-once.ts'

function parseJson(text: string, max = 100_000) {
  const problems: (JsonProblem & { readonly severity: string })[] = []
  const steps = parseInSteps(text, {
    budget: { max, used: 0 },
    report: (severity, problem) => problems.push({ ...problem(), severity }),
  })
  return { ...atOnce(steps), problems }
}

describe('parseJson', () => {
  test('reads what JSON.parse reads', () => {
    const text = '{"a":[1,-2.5e3,true,null,"x\\u00e9\\n"],"b":{}}'
    expect(JSON.stringify(parseJson(text).value)).toBe(JSON.stringify(JSON.parse(text)))
  })

  test('gives objects without a prototype', () => {
    expect(Object.getPrototypeOf(parseJson('{"a":1}').value)).toBeNull()
  })

  test('refuses a hundred thousand levels with an error, not a crash', () => {
    const { value, problems } = parseJson('['.repeat(100_000))
    expect(value).toBeUndefined()
    expect(problems).toMatchObject([
      { severity: 'error', message: expect.stringContaining('deeper than 64') as string },
    ])
  })

  test('does not take brackets in strings for depth', () => {
    expect(parseJson(`{"a":"${'['.repeat(1000)}\\"${'{'.repeat(1000)}"}`).problems).toEqual([])
  })

  test.each(['__proto__', '\\u005f_proto__', 'constructor', 'prototype'])('refuses the key %s', (key) => {
    const { value, problems } = parseJson(`{"a":{"${key}":{"polluted":1}}}`)
    expect(value).toBeUndefined()
    expect(problems[0]).toMatchObject({ severity: 'error', pointer: expect.stringMatching(/^\/a\//) as string })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('warns of a repeated key and uses the last, as JSON.parse does', () => {
    const { value, problems } = parseJson('{"name":"one","name":"two"}')
    expect(value).toEqual({ name: 'two' })
    expect(problems).toMatchObject([{ severity: 'warning', pointer: '/name', offset: 14 }])
  })

  test.each(['', '{', '{"a":1,}', '// x\n{}', '{"a" 1}', "{'a':1}", '{} {}', 'nul', '"\\x"'])(
    'refuses %j once',
    (text) => {
      const { value, problems } = parseJson(text)
      expect(value).toBeUndefined()
      expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(1)
    },
  )
})

describe('locate', () => {
  test('finds the value of a pointer, and its nearest ancestor where it does not exist', () => {
    const text = '{"a/b":{"~c":[10,20]}}'
    expect(text.slice(parseJson(text).locate('/a~1b/~0c/1')).startsWith('20')).toBe(true)
    expect(text.slice(parseJson(text).locate('/a~1b/x/y')).startsWith('{"~c"')).toBe(true)
  })
})
