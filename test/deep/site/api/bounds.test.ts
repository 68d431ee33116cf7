import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { openRenderPool } from '#site/render/pool.ts'
import type { Files } from '#test/support/site/support/project.ts'
import { builtBy, list, one, schemas, sends, toSchema } from '#test/support/site/api/hostile.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await openRenderPool({ children: 2 })
})
afterAll(() => pool.close())

const built = (description: unknown, others?: Files) => builtBy(pool, description, others)

const fields = (count: number, schema: object) => ({
  properties: Object.fromEntries(list(count, (index) => [`f${index}`, schema])),
})
/** Schemas each of which has the next one several times: a power of it when written out. */
const powers = (make: (next: object) => object) =>
  one(
    sends(toSchema('S0')),
    schemas(
      Object.fromEntries([
        ...list(60, (index): [string, object] => [`S${index}`, make(toSchema(`S${index + 1}`))]),
        ['S60', { type: 'string' }],
      ]),
    ),
  )
const answers = (media: object, count = 1) =>
  one({
    responses: Object.fromEntries(
      list(count, (index) => [`${200 + index}`, { description: 'So', content: { 'application/json': media } }]),
    ),
  })

/** Of HTML, for a page that shows all that it has room for. */
const pageBytes = 1.5 * 1024 * 1024

describe('a page stays within bounds', () => {
  test.each([
    ['allOf by powers', powers((next) => ({ allOf: [next, next], properties: { a: {} } }))],
    ['lists in lists', powers((next) => ({ type: 'array', items: next }))],
    [
      'lists of a thousand million',
      one(sends({ type: 'array', minItems: 1e9, items: { type: 'array', minItems: 1e9, items: { minLength: 1e9 } } })),
    ],
    ['choices by powers', powers((next) => ({ oneOf: [next, next, { properties: { a: {} } }] }))],
    [
      'a long name that a thousand fields share',
      one(sends(fields(1000, toSchema('N'))), schemas({ N: { properties: { ['n'.repeat(50_000)]: {} } } })),
    ],
    [
      'long names of schemas that types are told by',
      one(
        sends(fields(1000, toSchema('C'))),
        schemas({
          C: { oneOf: list(3, (index) => toSchema(`${index}${'n'.repeat(20_000)}`)) },
          ...Object.fromEntries(list(3, (index) => [`${index}${'n'.repeat(20_000)}`, { properties: { a: {} } }])),
        }),
      ),
    ],
    ['a thousand servers', one({}, { servers: list(1000, (index) => ({ url: `https://s${index}.example` })) })],
    ['an example of a megabyte', answers({ example: list(150_000, () => 1) })],
    [
      'a list in lists',
      answers({ example: JSON.parse(`${'['.repeat(150)}${'1,'.repeat(100_000)}1${']'.repeat(150)}`) }),
    ],
  ])('for %s', async (_what, description) => {
    const { errors, html } = await built(description)
    expect(errors).toEqual([])
    expect(html.length).toBeGreaterThan(1000)
    expect(html.length).toBeLessThan(pageBytes)
  })

  test.each([
    ['fields by powers', powers((next) => ({ properties: { a: next, b: next, c: next, d: next } }))],
    [
      'a long text that a thousand fields share',
      one(
        sends(fields(1000, toSchema('L'))),
        schemas({ L: { type: 'string', description: '*word* '.repeat(20_000) } }),
      ),
    ],
    [
      '20,000 values that a thousand fields share',
      one(sends(fields(1000, toSchema('E'))), schemas({ E: { enum: list(20_000, (index) => `value-${index}`) } })),
    ],
    ['three thousand answers', answers({ example: 'x' }, 3000)],
    [
      'ten thousand parameters',
      one({ parameters: list(10_000, (index) => ({ in: 'query', name: `p${index}`, schema: {} })) }),
    ],
    ['an operation larger than a page', one(sends({ enum: list(100_000, (index) => `value-${index}`) }))],
    [
      'a schema larger than a page',
      one(
        sends({ properties: { big: toSchema('Big') } }),
        schemas({ Big: fields(40_000, { type: 'string', format: 'uuid' }) }),
      ),
    ],
  ])('and says that it does, for %s', async (_what, description) => {
    const { errors, html } = await built(description)
    expect(errors).toEqual([])
    expect(html).toContain('Not everything is shown here')
    expect(html.length).toBeLessThan(pageBytes)
  })

  test('of a channel as of an operation', async () => {
    const message = {
      traits: list(60_000, () => ({ $ref: '#/components/messageTraits/T' })),
      payload: fields(1000, { $ref: '#/components/schemas/S' }),
      examples: list(12, () => ({ payload: 'x'.repeat(15_000) })),
    }
    const { errors, html } = await built({
      asyncapi: '2.6.0',
      info: { title: 'T', version: '1' },
      channels: { send: { publish: { message: { oneOf: list(200, () => ({ $ref: '#/components/messages/M' })) } } } },
      components: {
        messages: { M: message },
        messageTraits: { T: { headers: {} } },
        schemas: { S: { type: 'string', description: '*word* '.repeat(2000) } },
      },
    })
    expect(errors).toEqual([])
    expect(html).toContain('Not everything is shown here')
    expect(html.length).toBeLessThan(pageBytes)
  })

  test('and tells how many values and servers it does not show', async () => {
    const description = one(sends({ properties: { kind: { enum: list(1300, (index) => `v${index}`) } } }), {
      servers: list(1000, (index) => ({ url: `https://s${index}.example` })),
    })
    const { html } = await built(description)
    expect(html).toContain('>and 300 more<')
    expect(html).toContain('>and 992 more<')
  })
})

describe('a description is refused, and what is wrong with it is said,', () => {
  const yaml = (text: string) => `openapi: 3.1.0\n${text}\npaths: {}\n`
  const paths = (count: number, name: (index: number) => string) => ({
    openapi: '3.1.0',
    paths: Object.fromEntries(list(count, (index) => [name(index), { get: {} }])),
  })
  test.each([
    ['that has more operations than can be', paths(10_001, (index) => `/${index}`), 'at most 10000 are allowed'],
    [
      'whose names are longer than can be sent',
      paths(8000, (index) => `/${index}${'é'.repeat(300)}`),
      'split it into several',
    ],
    [
      'whose aliases repeat each other',
      yaml(
        `x0: &x0 [a, a]\n${list(40, (index) => `x${index + 1}: &x${index + 1} [${`*x${index}, `.repeat(9)}]`).join('\n')}`,
      ),
      'repeats too much',
    ],
    [
      'whose aliases repeat a long text',
      yaml(`x-text: &text ${'word '.repeat(20_000)}\nx-all: [${'*text, '.repeat(5000)}]`),
      'repeats too much',
    ],
    [
      'whose merge keys add ever more',
      yaml(
        `x-base: &base {${list(2000, (index) => `k${index}: 1, `).join('')}}\nx-all:\n${list(2000, () => '  - <<: *base').join('\n')}`,
      ),
      'its merge keys add more',
    ],
    ['that merges itself', yaml('x-a: &a\n  <<: *a'), 'nests too deep'],
    ['that holds itself', yaml('x-a: &a [*a]'), 'nests too deep'],
    ['that nests too deep', yaml(`x-a: ${'['.repeat(3000)}${']'.repeat(3000)}`), 'nests too deep'],
    [
      'that nests too deep, as JSON',
      `{"openapi":"3.1.0","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'nests too deep',
    ],
    ['with more values than can be read', yaml(`x-a: [${'a,'.repeat(500_000)}]`), 'write it as JSON'],
    [
      'of Swagger with nothing where something should be',
      { swagger: '2.0', paths: { '/x': null, '/y': { get: { parameters: [null, 1], responses: 3 } } } },
      'cannot be read as Swagger 2.0',
    ],
    ['that is no object', '- 1\n- 2\n', 'is no description of an API'],
    ['that is empty', '', 'is no description of an API'],
  ])('%s', async (_what, description, message) => {
    const { errors, said } = await built(description)
    expect(said.join()).toContain(message)
    expect(errors).toEqual([])
  })
})
