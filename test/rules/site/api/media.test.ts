import { describe, expect, test } from 'vitest'
import { markdownOf } from '#site/markdown/markdown.ts'
import { atOnce } from '#test/support/at-once.ts'
import { render } from '#test/support/site/mdx/render-text.ts'

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
  // A group of languages stands in the one of media types.
  const code = new Map<string, string>()
  const groups: string[] = []
  for (const [, end, title = '', body = ''] of html.matchAll(
    /<(\/?)section(?: class="q-tab" data-title="([^"]*)"[^>]*)?[^>]*>([^]*?)(?=<\/?section)/g,
  )) {
    if (end === '/') groups.pop()
    else groups.push(title)
    if (end === '' && title !== '')
      code.set(groups.filter((each) => each !== '').join(' '), body.replaceAll(/<[^>]*>/g, ''))
  }
  return { html, code }
}

describe('a body of several media types', () => {
  test.each(['cURL', 'Python', 'Go', 'PHP'])('has a request of each in %s', async (language) => {
    const { code } = await shown()
    expect(code.get(`application/json ${language}`)).toContain('application/json')
    expect(code.get(`application/xml ${language}`)).toContain('application/xml')
    expect(code.get(`application/xml ${language}`)).toContain('Ann')
    expect(code.get(`multipart/form-data ${language}`)).toContain('file')
  })

  test('has one request of each in its Markdown', async () => {
    const { html } = await shown()
    const markdown = atOnce(markdownOf(html))
    expect(markdown.split('```bash')).toHaveLength(4)
    expect(markdown).not.toContain('```python')
  })

  test('has an example of each that says something new', async () => {
    const { html } = await shown()
    expect(html).toMatch(/data-title="201 text\/csv"[^]*?id,name/)
    expect(html).toContain('data-title="201"')
    expect(html).not.toContain('201 application/problem+json')
  })
})
