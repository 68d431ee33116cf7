import { beforeAll, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import { compareDescription, comparisonOf, type Count } from '#scripts/tools/descriptions/compare.ts'
import { DescriptionFiles } from '#scripts/tools/descriptions/files.ts'
import { wantedOf } from '#scripts/tools/descriptions/wanted.ts'
import { pets } from '#test/support/site/api/pets.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

/** In several files, with all that one may be made of. */
const orders = {
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Orders, version: '1' }
paths:
  /orders:
    parameters:
      - $ref: 'parts.yaml#/tenant'
    get: { $ref: 'list.yaml' }
    post:
      summary: Place an order
      requestBody:
        content:
          application/json:
            schema:
              allOf:
                - $ref: 'parts.yaml#/Base'
                - type: object
                  properties:
                    size: { anyOf: [{ type: string, enum: [small, large] }, { type: 'null' }] }
                    kind: { oneOf: [{ const: 1, title: NEW }, { const: 2, title: OLD }] }
                    pay:
                      oneOf:
                        - { type: object, properties: { card: { type: string } } }
                        - { type: object, properties: { iban: { type: string } } }
                    labels: { type: object, additionalProperties: { type: object, properties: { colour: {} } } }
                    state: { description: How it is, type: object, properties: { own: {} } }
                    pair: { type: array, prefixItems: [{ type: string }, { properties: { right: {} } }] }
                    tags: { patternProperties: { '^x-': { type: object, properties: { tag: {} } } } }
                    matrix: { type: array, items: { type: array, items: { $ref: 'parts.yaml#/Base' } } }
            examples:
              plain: { value: { note: third } }
              large: { value: { note: fourth, size: large } }
      responses:
        '201':
          description: Placed
          headers: { Location: { schema: { type: string } } }
          content:
            application/json:
              schema: { $ref: 'parts.yaml#/Base' }
              examples:
                one: { value: { id: 17, note: first } }
                two: { $ref: 'parts.yaml#/example' }
        default: { description: Wrong, content: { text/plain: { schema: { enum: [a, b] } } } }
webhooks:
  shipped:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: 'parts.yaml#/Base' }
            example: { id: 19, note: sent }
      responses: { '204': { description: Thanks } }
`,
  'list.yaml': `
summary: List orders
parameters:
  - { in: query, name: state, schema: { type: array, items: { enum: [open, closed] } } }
  - { in: cookie, name: session, schema: { type: string } }
responses: { '200': { description: All, content: { application/json: { schema: { type: array, items: { $ref: 'parts.yaml#/Base' } } } } } }
`,
  'parts.yaml': `
tenant: { in: header, name: X-Tenant, schema: { type: string } }
example: { value: { id: 18, note: second } }
State: { type: object, properties: { code: { enum: [on, off] } } }
Base:
  type: object
  properties:
    id: { type: integer, readOnly: true }
    note: { type: string }
    state: { $ref: '#/State' }
    parent: { $ref: '#/Base' }
`,
}

const sum = (counts: Readonly<Record<string, Count>>) =>
  Object.fromEntries(
    Object.entries(counts).map(([kind, { wanted, missing, cut }]) => [kind, [wanted, ...missing, ...cut]]),
  )

test('all of a description in one file is on its pages', async () => {
  const {
    said,
    took: _took,
    pageBytes: _bytes,
    ...counts
  } = await compareDescription(pool, 'openapi.json', { 'openapi.json': JSON.stringify(pets) })
  expect(said).toEqual([])
  expect(sum(counts)).toMatchObject({ operations: [3], webhooks: [1], parameters: [2], responses: [5] })
  expect(sum(counts)).toMatchObject({ values: [8], fields: [expect.any(Number)] })
})

test('all of a description in several files is on its pages', async () => {
  const { said, took: _took, pageBytes: _bytes, ...counts } = await compareDescription(pool, 'openapi.yaml', orders)
  expect(said).toEqual([])
  expect(sum(counts)).toEqual({
    operations: [2],
    webhooks: [1],
    parameters: [4],
    fields: [expect.any(Number)],
    values: [expect.any(Number)],
    responses: [4],
    examples: [5],
  })
})

test('what pages lack is found, whatever it is', () => {
  const wanted = wantedOf(new DescriptionFiles(orders), 'openapi.yaml')
  const counts = comparisonOf(wanted, [])
  expect(counts.operations.missing).toEqual(['GET /orders', 'POST /orders'])
  expect(counts.webhooks.missing).toEqual(['WEBHOOK shipped'])
  expect(counts.parameters.missing).toContain('GET /orders queryParameters › state')
  expect(counts.fields.missing).toContain('POST /orders body › labels › {key} › colour')
  expect(counts.fields.missing).toContain('POST /orders body › matrix › note')
  expect(counts.fields.missing).toContain('POST /orders body › state › code')
  expect(counts.fields.missing).toContain('POST /orders body › pair › [1] › right')
  expect(counts.fields.missing).toContain('POST /orders body › tags › {^x-} › tag')
  expect(counts.fields.missing).not.toContain('POST /orders body › id')
  expect(counts.values.missing).toContain('POST /orders body › kind: 2')
  expect(counts.responses.missing).toContain('POST /orders default')
  expect(counts.examples.missing).toContain('POST /orders response 201 application/json two')
})
