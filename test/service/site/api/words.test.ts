import { Parser } from 'htmlparser2'
import { beforeAll, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import type { Files } from '#test/support/site/support/project.ts'
import { builtBy, one, page, sends } from '#test/support/site/api/hostile.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

const built = (description: unknown, others?: Files) => builtBy(pool, description, others)

test('names that objects have of their own are names like others', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']
  const all = `{${names.map((name) => `${JSON.stringify(name)}:{"type":"string","description":"says ${name}"}`).join()}}`
  const text = JSON.stringify(
    one(
      {
        tags: ['__proto__'],
        'x-mint': { metadata: 'META', href: page },
        parameters: names.map((name) => ({ in: 'query', name, schema: { type: 'string' } })),
        security: [{ constructor: [] }, { toString: [] }],
        ...sends({ properties: 'ALL' }),
      },
      { components: { schemas: 'ALL' }, tags: names.map((name) => ({ name })) },
    ),
  )
    .replaceAll('"ALL"', all)
    .replace('"META"', '{"__proto__":{"a":1},"constructor":"b"}')
  const { errors, html } = await built({ toJSON: () => JSON.parse(text) as unknown })
  expect(errors).toEqual([])
  for (const name of names) expect(html).toContain(`<code>${name}</code>`)
  expect(({} as { a?: unknown }).a).toBeUndefined()
})

/** Tags and attributes that run something. */
function dangers(html: string): readonly string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag: (tag, attributes) => {
      if (tag === 'script') found.push(tag)
      for (const [name, value] of Object.entries(attributes))
        if (name.startsWith('on') || /^\s*javascript:/i.test(value)) found.push(`${tag} ${name}=${value}`)
    },
  })
  parser.end(html)
  return found
}

test('what is said in a description is text and Markdown, never code', async () => {
  const words = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(2)>',
    'import fs from "fs"',
    'export const a = process.env',
    '{process.env.HOME}',
    '{(() => { throw 1 })()}',
    '<Card title={process.env}>inside</Card>',
    '[click](javascript:alert(3))',
    '--- \u0007 {{',
    'Bearer <token> of `<id>`',
  ].join('\n\n')
  const { errors, html } = await built(
    one({
      summary: 'Send',
      description: words,
      parameters: [
        {
          in: 'query',
          name: '<b onclick=alert(4)>{process.env}',
          description: words,
          schema: { pattern: '^(a+)+$</code><script>', default: '</script><script>' },
        },
      ],
      responses: {
        '<script>': { description: words, content: { '"><script>': { example: '</code><script>alert(5)</script>' } } },
      },
    }),
  )
  expect(errors).toEqual([])
  expect(dangers(html)).toEqual([])
  expect(html).toContain('Bearer &lt;token&gt; of <code>&lt;id&gt;</code>')
  expect(html).toContain('{process.env.HOME}')
  expect(html).toContain('^(a+)+$')
})

test('titles, tags and paths hold whatever their authors write, and what no address can have is told', async () => {
  const operation = (summary: string, tag: string) => ({ get: { summary, tags: [tag], responses: {} } })
  const { errors, said, project } = await built({
    openapi: '3.1.0',
    info: { title: '{process.env}\n\u0000' },
    paths: {
      '/a': operation('A {process.env} <b>\n---\ntitle: other', 'tag\u0000\n{x}'),
      '/../../etc': operation('Up', '..'),
      '/with space': operation('Space', 'x'),
      '/with\u0007bell': operation('Bell', 'x'),
      [`/${'long'.repeat(2000)}`]: operation('Long', 'x'),
    },
  })
  expect(errors).toEqual([])
  expect(said.filter((message) => message.includes('is left out'))).toHaveLength(3)
  const made = Object.keys(project.last?.routes ?? {}).filter(
    (url) => url.startsWith('/api-reference/') && !url.endsWith('.md'),
  )
  expect(made).toEqual(['/api-reference/tag-x/a-process-env-b-title-other', '/api-reference/up'])
})
