import { beforeAll, describe, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import type { Files } from '#test/support/site/support/project.ts'
import { builtBy, one, schemas, sends, toSchema } from '#test/support/site/api/hostile.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

const built = (description: unknown, others?: Files) => builtBy(pool, description, others)

describe('references', () => {
  const loop = { $ref: '#/components/x/A' }
  const around = {
    components: { x: { A: { $ref: '#/components/x/B' }, B: loop }, schemas: { A: { $ref: '#/components/schemas/A' } } },
  }
  test.each([
    ['a schema', one(sends(toSchema('A')), around)],
    [
      'a schema through allOf',
      one(sends(toSchema('B')), schemas({ B: { allOf: [toSchema('C')] }, C: { allOf: [toSchema('B')] } })),
    ],
    [
      'a schema through a choice',
      one(
        sends(toSchema('B')),
        schemas({ B: { anyOf: [toSchema('C'), { type: 'null' }] }, C: { oneOf: [toSchema('B')] } }),
      ),
    ],
    ['a parameter', one({ parameters: [loop] }, around)],
    ['a response', one({ responses: { 200: loop } }, around)],
    ['a body', one({ requestBody: loop }, around)],
    [
      'an example',
      one(
        { responses: { 200: { description: 'x', content: { 'application/json': { examples: { a: loop } } } } } },
        around,
      ),
    ],
    ['a header', one({ responses: { 200: { description: 'x', headers: { a: loop } } } }, around)],
    ['a callback', one({ callbacks: { a: loop } }, around)],
    [
      'a discriminator',
      one(
        sends({
          oneOf: [toSchema('B')],
          discriminator: { propertyName: 'a', mapping: { b: 'B', c: toSchema('B').$ref } },
        }),
        schemas({ B: { allOf: [{ oneOf: [toSchema('B')] }] } }),
      ),
    ],
  ])('of %s that go in a circle end', async (_what, description) => {
    const { errors, html } = await built(description)
    expect(errors).toEqual([])
    expect(html).toContain('data-method="POST"')
  })

  test('of a path that go in a circle are told', async () => {
    const { said } = await built({
      openapi: '3.1.0',
      paths: { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } },
    })
    expect(said.join()).toContain('leads to nothing but itself')
  })

  test.each([
    'https://example.com/a.yaml#/A',
    '//example.com/a',
    'file:///etc/passwd',
    '../../secret.yaml',
    '/../../secret.yaml',
    'C:\\a.yaml',
    '%2e%2e/secret.yaml',
    'absent.yaml#/A',
    '#/nothing',
    '#nothing',
    '#/__proto__',
    '#/constructor/name',
    '#/paths/length',
  ])('to %s lead nowhere, and are told', async ($ref) => {
    const { errors, said, html, project } = await built(one(sends({ properties: { a: { $ref } } })))
    expect(errors).toEqual([])
    expect(said.join()).toMatch(/is not followed|nothing is at/)
    expect(html).toContain('>a<')
    expect(project.fetched).toEqual([])
  })

  test('to itself and to its own file show what is there', async () => {
    const { errors, said, html } = await built(
      one(
        sends({
          properties: {
            all: { $ref: '#' },
            file: { $ref: './openapi.json' },
            here: { $ref: 'openapi.json#/components/schemas/Own' },
          },
        }),
        schemas({ Own: { properties: { mine: {} } } }),
      ),
    )
    expect([errors, said]).toEqual([[], []])
    expect(html).toContain('>mine<')
  })
})

test('references of an operation in a file of its own begin in the file that has them', async () => {
  const description = {
    openapi: '3.1.0',
    security: [{ key: [] }],
    paths: { '/x': { $ref: 'paths/x.yaml' } },
    components: { securitySchemes: { key: { $ref: 'shared/key.yaml' } } },
  }
  const { errors, said, html } = await built(description, {
    'paths/x.yaml': 'parameters: [{ $ref: ../shared/id.yaml }]\npost: { $ref: post/x.yaml }\n',
    'shared/wrong.yaml': 'description: All went wrong\n',
    'paths/post/x.yaml':
      'summary: Send\nresponses: { default: { $ref: ../../shared/wrong.yaml } }\nrequestBody: { content: { a/b: { schema: { $ref: ../../shared/body.yaml } } } }\n',
    'shared/id.yaml': 'in: query\nname: shared-id\nschema: { type: string }\n',
    'shared/key.yaml': 'type: apiKey\nin: header\nname: X-Shared\n',
    'shared/body.yaml': 'properties: { inside: { type: string } }\n',
  })
  expect([errors, said]).toEqual([[], []])
  expect(html).toContain('All went wrong')
  for (const name of ['shared-id', 'X-Shared', 'inside']) expect(html).toContain(`<code>${name}</code>`)
})
