import { describe, expect, test } from 'vitest'
import { render } from '../mdx/render-text.ts'

const order = { type: 'object', required: ['name'], properties: { name: { type: 'string', example: 'Ann' } } }
const part = {
  kind: 'operation',
  method: 'POST',
  path: '/orders',
  servers: [{ url: 'https://api.example.com' }],
  operation: {
    requestBody: {
      content: {
        'application/xml': { schema: { $ref: '#/components/schemas/Order' } },
        'application/json': { schema: { $ref: '#/components/schemas/Order' } },
        'multipart/form-data': {
          schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
        },
      },
    },
    responses: {
      201: {
        description: 'Placed',
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/Order' } },
          'application/problem+json': { schema: { $ref: '#/components/schemas/Order' } },
          'text/csv': { schema: { type: 'string' }, example: 'id,name' },
        },
      },
    },
  },
}

async function shown() {
  const settings = { playground: 'simple', pills: [], requiredOnly: false, generate: true, prefill: false }
  const whole = { part, definitions: { '#/components/schemas/Order': order }, settings }
  const source = '---\ntitle: Orders\nopenapi: POST /orders\n---\n'
  const { artifact } = await render(source, { 'api:POST /orders': JSON.stringify(whole) })
  const { html } = artifact
  const blocks = [...html.matchAll(/<section class="q-tab" data-title="([^"]*)"[^>]*>(.*?)<\/section>/gs)]
  const code = new Map(blocks.map(([, title = '', body = '']) => [title, body.replaceAll(/<[^>]*>/g, '')]))
  return { html, code }
}

describe('a body of several media types', () => {
  test('has a request of each, which says what it is', async () => {
    const { code } = await shown()
    expect(code.get('cURL')).toContain('Content-Type: application/json')
    expect(code.get('application/xml')).toMatch(/Content-Type: application\/xml.*&lt;Order&gt;\s*&lt;name&gt;Ann/s)
    expect(code.get('multipart/form-data')).toContain('multipart/form-data')
    expect(code.get('multipart/form-data')).toContain('file')
  })

  test('has an example of each that says something new', async () => {
    const { html, code } = await shown()
    expect(code.get('201 text/csv')).toContain('id,name')
    expect(code.get('201')).toContain('Ann')
    expect(html).not.toContain('201 application/problem+json')
  })
})
