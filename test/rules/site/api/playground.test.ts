import { describe, expect, it } from 'vitest'
import type { RequestForm } from '#site/api/request-form.ts'
import type { PageArtifact } from '#site/page.ts'
import { render } from '#test/support/site/mdx/render-text.ts'

interface Description {
  readonly part?: object
  readonly definitions?: object
  readonly settings?: object
  readonly front?: string
}

async function artifactOf({ part, definitions = {}, settings, front = '' }: Description): Promise<PageArtifact> {
  const whole = {
    part: {
      kind: 'operation',
      method: 'GET',
      path: '/apples',
      servers: [{ url: 'https://api.example.com/v1' }],
      operation: { responses: { 200: { description: 'Apples' } } },
      ...part,
    },
    definitions,
    settings: {
      playground: 'interactive',
      pills: [],
      requiredOnly: false,
      generate: true,
      prefill: false,
      ...settings,
    },
  }
  const source = `---\ntitle: Apples\nopenapi: GET /apples\n${front}---\n`
  return (await render(source, { 'api:GET /apples': JSON.stringify(whole) })).artifact
}

const entities: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" }

async function formOf(description: Description): Promise<RequestForm | undefined> {
  const { html } = await artifactOf(description)
  const written = / data-request="([^"]*)"/.exec(html)?.[1]
  if (written === undefined) return undefined
  return JSON.parse(written.replaceAll(/&([^;]+);/g, (whole, name: string) => entities[name] ?? whole)) as RequestForm
}

const body = (schema: object) => ({
  operation: { requestBody: { content: { 'application/json': { schema } } }, responses: {} },
})

describe('the form of an operation', () => {
  it('asks every server that the description names, and each choice of what stands in its host', async () => {
    const servers = [
      {
        url: 'https://{region}.example.com/{base}',
        variables: { region: { default: 'eu', enum: ['eu', 'us'] }, base: { default: 'v1' } },
      },
      { url: 'https://{tenant}.example.org', variables: { tenant: { default: 'demo' } } },
    ]
    const { servers: origins } = await artifactOf({ part: { servers } })
    expect(origins).toEqual([
      'https://eu.example.com',
      'https://us.example.com',
      'https://demo.example.org',
      'https://*.example.org',
    ])
  })

  it.each([
    ['https://{tenant}.eu.example.org:8443/v1', ['https://demo.eu.example.org:8443', 'https://*.eu.example.org:8443']],
    ['https://api-{tenant}.example.org', ['https://api-demo.example.org', 'https://*.example.org']],
    ['https://{tenant}.example', ['https://demo.example']],
    ['https://{tenant}', ['https://demo']],
    ['https://api.example.org/{tenant}', ['https://api.example.org']],
  ])('asks what readers make of %s below a name of two parts', async (url, origins) => {
    const servers = [{ url, variables: { tenant: { default: 'demo' } } }]
    expect((await artifactOf({ part: { servers } })).servers).toEqual(origins)
  })

  it('asks below the server of docs.json where that of the description is a path', async () => {
    const form = await formOf({
      part: { servers: [{ url: '/v1' }] },
      settings: { servers: ['https://api.example.com/other'] },
    })
    expect(form?.servers.map(({ url }) => url)).toEqual(['https://api.example.com/v1'])
  })

  it.each([
    ['no server', []],
    ['one without a host', [{ url: '/v1' }]],
    ['one without TLS', [{ url: 'http://api.example.com' }]],
    ['one whose host is anything', [{ url: 'https://*.example.com' }]],
  ])('is not there for %s', async (_, servers) => {
    const { servers: origins, features, html } = await artifactOf({ part: { servers } })
    expect(origins).toBeUndefined()
    expect(features).not.toContain('playground')
    expect(html).not.toContain('data-request')
  })

  it('is not there where docs.json or the page wants none', async () => {
    expect(await formOf({ settings: { playground: 'simple' } })).toBeUndefined()
    expect(await formOf({ settings: { playground: 'none' } })).toBeUndefined()
    expect(await formOf({ front: 'playground: none\n' })).toBeUndefined()
    expect(await formOf({ settings: { playground: 'none' }, front: 'playground: interactive\n' })).toBeDefined()
  })

  it('has a field for each property that is sent, and text for what has no form', async () => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: {
        id: { type: 'string', readOnly: true },
        name: { type: 'string' },
        colour: { enum: ['red', 'green'] },
        ripe: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        origin: { type: 'object', properties: { country: { type: 'string' } } },
        buyer: { oneOf: [{ type: 'string' }, { type: 'object' }] },
      },
    }
    const form = await formOf({ part: body(schema) })
    expect(form?.bodies[0]?.fields?.map(({ name, type, required }) => [name, type, required ?? false])).toEqual([
      ['name', 'string', true],
      ['colour', 'string', false],
      ['ripe', 'boolean', false],
      ['tags', 'list', false],
      ['origin', 'object', false],
      ['buyer', 'json', false],
    ])
    expect(form?.bodies[0]?.fields?.[1]?.options).toEqual(['red', 'green'])
  })

  it('begins with the example of the description, and with what is required where there is none', async () => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', example: 'Gala' }, grams: { type: 'integer', example: 90 } },
    }
    const text = async (settings: object) =>
      JSON.parse((await formOf({ part: body(schema), settings }))?.bodies[0]?.text ?? '') as unknown
    expect(await text({})).toEqual({ name: 'Gala' })
    expect(await text({ prefill: true })).toEqual({ name: 'Gala', grams: 90 })
  })

  it('ends at a bound: of a schema with itself in it, and of one with more fields than a form can have', async () => {
    const tree = { type: 'object', properties: { left: { $ref: '#/T' }, right: { $ref: '#/T' } } }
    const cyclic = await formOf({ part: body({ $ref: '#/T' }), definitions: { '#/T': tree } })
    expect(cyclic?.bodies[0]?.fields?.map(({ type }) => type)).toEqual(['json', 'json'])
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`field${index}`, { type: 'string', description: 'x'.repeat(500) }]),
    )
    const large = await formOf({ part: body({ type: 'object', properties: many }) })
    expect(large?.bodies[0]).toEqual({ type: 'application/json', text: '{}' })
    const deep = JSON.parse(
      `${'{"type":"object","properties":{"a":'.repeat(300)}{"type":"string"}${'}}'.repeat(300)}`,
    ) as object
    expect(JSON.stringify(await formOf({ part: body(deep) })).length).toBeLessThan(5000)
  })

  it('says who asks in each way of which one is enough', async () => {
    const schemes = {
      token: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'query', name: 'api_key' },
      user: { type: 'http', scheme: 'basic' },
      oauth: { type: 'oauth2' },
    }
    const form = await formOf({
      part: { schemes, security: [{ token: [], key: [] }, { user: [] }, { oauth: ['read'] }, {}] },
    })
    expect(form?.security.map((way) => way.map(({ kind, place, field }) => `${kind} ${place} ${field}`))).toEqual([
      ['bearer header Authorization', 'key query api_key'],
      ['basic header Authorization'],
      ['bearer header Authorization'],
      [],
    ])
  })

  it('says where tokens are given out, and only which scopes the operation asks for', async () => {
    const clientCredentials = { tokenUrl: 'https://login.example.com/token', scopes: { read: 'Read', write: 'Write' } }
    const schemes = { oauth: { type: 'oauth2', flows: { clientCredentials } } }
    const part = { schemes, security: [{ oauth: ['read'] }] }
    expect((await formOf({ part }))?.security[0]?.[0]).toMatchObject({
      flows: [
        {
          name: 'clientCredentials',
          addresses: [['tokenUrl', 'https://login.example.com/token']],
          scopes: [['read', 'Read']],
        },
      ],
      scopes: ['read'],
    })
    const { html } = await artifactOf({ part })
    expect(html).toMatch(/<summary>clientCredentials<\/summary>.*https:\/\/login\.example\.com\/token.*Write/s)
  })
})
