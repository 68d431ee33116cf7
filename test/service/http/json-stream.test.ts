import { array, assert, constantFrom, integer, jsonValue, property, record, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '#contract/limits.ts'
import { JsonStream, NotJson } from '#http/api/json-stream.ts'
import { cases } from '#test/support/properties.ts'

/** As it arrives in chunks: the first of so many bytes, those behind them larger and larger. */
function read(text: string | Buffer, chunkBytes = 65_536): unknown {
  const body = Buffer.from(text)
  const reader = new JsonStream()
  for (let at = 0, size = chunkBytes; at < body.length; at += size) {
    if (at > 1000) size = Math.min(2 * size, 65_536)
    reader.add(body.subarray(at, at + size))
  }
  return reader.end()
}

/** More than what is parsed in one go: white space does not change what a text means. */
const large = (text: string): string => text + ' '.repeat(limits.bodyBytes)
const refusal = expect.objectContaining({ code: 'invalid_request' }) as Error
const deep = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

describe.each([
  ['a small body', (text: string) => text],
  ['a large body', large],
])('%s', (_, sized) => {
  it('may nest to the bound and no deeper, arrays and objects counted together', () => {
    expect(() => read(sized(deep(limits.jsonDepth)))).not.toThrow()
    expect(() => read(sized(deep(limits.jsonDepth + 1)))).toThrow(refusal)
    expect(() => read(sized(deep(limits.jsonDepth + 1)))).toThrow(`at byte ${limits.jsonDepth + 5}`)
    expect(() => read(sized(`[${'{"a":['.repeat(20)}`))).toThrow(`more than ${limits.jsonDepth}`)
  })

  it('may have brackets and commas in strings, whatever is escaped in them', () => {
    const text = String.raw`{"a":["[[[[,", "\"[[[[,", "\\", "{{{{\\\""], "b":"],[\\"}`
    expect(read(sized(text), 3)).toEqual(JSON.parse(text))
    expect(() => read(sized(String.raw`{"a":["\\", ${'['.repeat(limits.jsonDepth)}`))).toThrow(refusal)
  })

  it('is what JavaScript’s own parser makes of it, whatever the chunks', () => {
    const item = record({ path: string({ unit: 'binary' }), content: jsonValue() }, { requiredKeys: [] })
    const body = record({ files: array(item), message: jsonValue(), ['__proto__']: array(jsonValue()) })
    assert(
      property(body, integer({ min: 1, max: 40 }), (value, chunkBytes) => {
        const text = sized(JSON.stringify(value))
        expect(read(text, chunkBytes)).toStrictEqual(JSON.parse(text))
      }),
    )
  })

  it('is refused exactly where JavaScript’s own parser refuses', () => {
    const pieces = [...'{}[],:"\\ \n01.-e'.split(''), 'true', '"a"', '{"a":[', ']}', '{"a":1}', ',{"b":[2]}', '\u0001']
    assert(
      property(array(constantFrom(...pieces), { maxLength: 12 }), integer({ min: 1, max: 40 }), (parts, chunkBytes) => {
        const text = sized(parts.join(''))
        if (text === '') return
        expect(outcomeOf(() => read(text, chunkBytes))).toEqual(outcomeOf(() => JSON.parse(text)))
      }),
    )
  })

  it('is refused when it is not UTF-8, and not where a character is cut in two', () => {
    const text = sized('{"a":["é€😀","é€😀"],"b":"😀"}')
    for (const chunkBytes of [1, 2, 3, 5, 7]) expect(read(text, chunkBytes)).toEqual(JSON.parse(text))
    for (const bytes of ['ff', 'c3', 'e282', 'f09f98', 'c328', 'eda080']) {
      const body = Buffer.concat([Buffer.from(sized('{"a":["')), Buffer.from(bytes, 'hex'), Buffer.from('"]}')])
      expect(() => read(body, 5)).toThrow(refusal)
      expect(() => read(Buffer.concat([Buffer.from(sized('{}')), Buffer.from(bytes, 'hex')]), 5)).toThrow(refusal)
    }
  })
})

function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch (error) {
    if (error instanceof NotJson || error instanceof SyntaxError) return 'not JSON'
    throw error
  }
}

it('an item of a list may be larger than a chunk, and half of it a number', () => {
  const value = { files: [{ content: 'x'.repeat(200_000) }, 1, -12.5e10, { content: '€\n'.repeat(50_000) }] }
  for (const chunkBytes of [65_536, 997]) expect(read(JSON.stringify(value), chunkBytes)).toEqual(value)
})

it('a character may not be cut in two by a quote or a comma, wherever a chunk ends', () => {
  const x = 'x'.repeat(65_534)
  const inChunks = (...chunks: readonly string[]) => {
    const reader = new JsonStream()
    for (const chunk of [' '.repeat(limits.bodyBytes), ...chunks]) reader.add(Buffer.from(chunk, 'latin1'))
    return reader.end()
  }
  expect(inChunks('{"a":', `"\xc3`, `\xa9${x}"}`)).toEqual({ a: `é${x}` })
  expect(() => inChunks('{"a":\xc3', `"\xa9${x}"}`)).toThrow(refusal)
  expect(() => inChunks('{"a":\xc3', `"\xa9${x}`, '"}')).toThrow(refusal)
  expect(() => inChunks(`{"a":["abc\xc3`, '"', `,"\xa9x"]}`)).toThrow(refusal)
  expect(() => inChunks(`{"a":[1\xc3`, ',', `\xa9,2]}`)).toThrow(refusal)
})

it('what comes a byte at a time is read all the same', () => {
  const value = { files: Array.from({ length: 9000 }, (_, at) => ({ path: `é${at}` })), message: 'x'.repeat(70_000) }
  const reader = new JsonStream()
  const body = Buffer.from(JSON.stringify(value))
  for (let at = 0; at < body.length; at++) reader.add(body.subarray(at, at + 1))
  expect(reader.end()).toEqual(value)
})

it('what is with long texts is what JavaScript’s own parser makes of it', () => {
  const long = 'x'.repeat(150_000)
  const name = constantFrom('a', 'a', 'b', '__proto__', 'files')
  const member = constantFrom('1', '[]', '["s"]', '{"a":1}', JSON.stringify(long), `[${JSON.stringify(long)},{}]`)
  const body = array(record({ name, member }), { maxLength: 6 })
  assert(
    property(body, integer({ min: 997, max: 65_536 }), (members, chunkBytes) => {
      const text = `{${members.map(({ name: key, member: json }) => `"${key}":${json}`).join(',')}}`
      expect(read(large(text), chunkBytes)).toStrictEqual(JSON.parse(text))
    }),
    { numRuns: cases(15) },
  )
})

it('a text may be as long as the body, with escapes and characters of any length cut in two anywhere', () => {
  const letters = constantFrom('a', '\n', '\\', '"', '\0', 'é', '€', '😀', '\uD800', '\uDE00', '\uD83D')
  const text = array(letters, { minLength: 1, maxLength: 40 }).map((some) =>
    some.join('').repeat(150_000 / some.length),
  )
  assert(
    property(text, integer({ min: 0, max: 3 }), integer({ min: 997, max: 65_536 }), (long, lead, chunkBytes) => {
      const value = { files: [{ content: 'b'.repeat(lead) + long }, 1, { path: long, content: '' }], message: long }
      expect(read(JSON.stringify(value), chunkBytes)).toStrictEqual(value)
      expect(read(JSON.stringify({ message: long, files: [long] }), chunkBytes)).toStrictEqual({
        message: long,
        files: [long],
      })
    }),
    { numRuns: cases(15) },
  )
})

it.each(['a\\', 'a\\x', 'a\\u12', 'a\\u12g4', 'a\n'])('a long text of %j is not JSON', (end) => {
  const long = 'x'.repeat(200_000)
  for (const chunkBytes of [65_536, 997]) {
    expect(() => read(`{"a":["${long}${end}"]}`, chunkBytes)).toThrow(NotJson)
    expect(() => read(`{"a":"${end}${long}"}`, chunkBytes)).toThrow(NotJson)
  }
})

it('a text that does not end is not JSON, also behind what would be', () => {
  expect(() => read(`{"a":"${'x'.repeat(200_000)}`)).toThrow(NotJson)
  expect(() => read(`{}${' '.repeat(200_000)}"${'x'.repeat(200_000)}`)).toThrow(NotJson)
})

it('a body may be one long text, which is not looked through letter by letter', () => {
  const text = 'x'.repeat(2 ** 21)
  expect(read(JSON.stringify(text)) === text).toBe(true)
  expect(() => read('1'.repeat(2 ** 21))).toThrow('more than 1 MB')
})

it('a name may not be long, nor a body for nothing of which it consists', () => {
  const long = String.raw`\n`.repeat(100_000)
  expect(() => read(`{"${long}":1}`)).toThrow('a name of more than 64 KB')
  expect(() => read(`{"files":[{"a":{"${long}":"${long}"}}]}`)).toThrow('a name of more than 64 KB')
  const names = Array.from({ length: 100 }, (_, at) => `"${at}":"${long.slice(0, 20_000)}"`).join(',')
  expect(() => read(`{${names}}`)).toThrow('more than 1 MB outside its lists')
  expect(() => read(`{"files":[{${names}}]}`)).toThrow('more than 1 MB outside its lists or in one item')
  const space = ' \n'.repeat(2 ** 20)
  expect(read(`${space}{${space}"files":[{},${space}1${space}]${space}}${space}`)).toEqual({ files: [{}, 1] })
})

it('a body has so many values and no more, and is refused before the rest has come', () => {
  const items = (count: number): string => `{"files":[${'{},'.repeat(count)}{}]}`
  expect(() => read(items(limits.jsonValues / 2 - 4))).not.toThrow()
  expect(() => read(`{"files":[${'{},'.repeat(limits.jsonValues)}`)).toThrow(`more than ${limits.jsonValues} values`)
})

it('an item, or what is in no list, may not be large for its number of values', () => {
  const numbers = '0,'.repeat(limits.jsonMembers)
  const padding = `"${'x'.repeat(limits.bodyBytes)}"`
  expect(() => read(`{"b":${padding},"a":[${numbers}0]}`)).not.toThrow()
  expect(() => read(`{"b":${padding},"a":[[${numbers}0]]}`)).toThrow('in an item')
  expect(() => read(`[${padding},${numbers}0]`)).toThrow('outside a list')
})
