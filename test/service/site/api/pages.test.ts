import { beforeAll, describe, expect, test } from 'vitest'
import { limits } from '#contract/limits.ts'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import type { NavItem } from '#site/shell.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { recordingPool } from '#test/support/site/support/recording-pool.ts'
import { pets, siteWith } from '#test/support/site/api/pets.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await sharedRenderPool()
})

const newProject = () => new TestProject(recordingPool(pool))
const html = (project: TestProject, url: string) =>
  (JSON.parse(project.text(url) ?? '{"html":"nothing"}') as { html: string }).html
const openapi = JSON.stringify(pets)

/** Titles of the navigation with what is below them. */
function outline(items: readonly NavItem[]): unknown[] {
  return items.map((item) => (item.kind === 'group' ? [item.title, outline(item.items)] : item.title))
}

describe('operations that navigation asks for', () => {
  test('have a page each, in groups by their tags, where a tab names nothing but a description', async () => {
    const project = newProject()
    const { errors, warnings } = await project.build(
      siteWith(
        {
          tabs: [
            { tab: 'Start', pages: ['index'] },
            { tab: 'API', openapi: 'openapi.json' },
          ],
        },
        { 'openapi.json': openapi },
      ),
    )
    expect([errors, warnings]).toEqual([[], []])
    const [, api] = project.shell().sections
    expect(outline(api?.items ?? [])).toEqual([
      ['All about pets', ['List pets', 'Add a pet']],
      ['Pets', ['Get a pet']],
      ['Webhooks', ['A pet was adopted']],
    ])
    expect(html(project, '/api-reference/pets/list-pets')).toContain('Lists <strong>all</strong> pets.')
  })

  test('stand where their entries stand, among pages of their author', async () => {
    const project = newProject()
    await project.build(
      siteWith(
        { groups: [{ group: 'API', openapi: 'api/openapi.json', pages: ['index', 'POST /pets', 'GET /pets/{id}'] }] },
        { 'api/openapi.json': openapi },
      ),
    )
    expect(outline(project.shell().sections[0]?.items ?? [])).toEqual([['API', ['Home', 'Add a pet', 'Get a pet']]])
  })

  test('are rendered anew where they have changed, and nowhere else', async () => {
    const project = newProject()
    const navigation = { groups: [{ group: 'API', openapi: 'openapi.json' }] }
    await project.build(siteWith(navigation, { 'openapi.json': openapi }))
    await project.build(siteWith(navigation, { 'openapi.json': openapi.replace('**all**', '*most*') }))
    expect(project.pool.rendered).toEqual(['openapi.json', 'api-reference/pets/list-pets.mdx'])
    await project.build(siteWith(navigation, { 'openapi.json': openapi.replace('**all**', '*most*'), 'other.md': '' }))
    expect(project.pool.rendered).toEqual(['other.md'])
  })
})

test('a description may refer to files as large as itself', { timeout: 60_000 }, async () => {
  const project = newProject()
  const models = JSON.stringify({ A: { type: 'object', properties: {} }, x: '"'.repeat(3_500_000) })
  const described = openapi.replace('"#/components/schemas/Pet"', '"models.json#/A"')
  expect(models.length).toBeLessThan(limits.descriptionBytes)
  const { errors } = await project.build(
    siteWith(
      { groups: [{ group: 'API', openapi: 'openapi.json' }] },
      { 'openapi.json': described, 'models.json': models },
    ),
  )
  expect(errors.filter(({ path }) => path !== 'models.json')).toEqual([])
  expect(html(project, '/api-reference/pets/list-pets')).toContain('A[]')
})

describe('the page of an operation', () => {
  test('shows what is sent and what comes back', async () => {
    const project = newProject()
    await project.build(siteWith({ groups: [{ group: 'API', openapi: 'openapi.json' }] }, { 'openapi.json': openapi }))
    const list = html(project, '/api-reference/pets/list-pets')
    expect(list).toContain('data-method="GET"')
    for (const part of ['limit', 'How many', '1 ≤ x ≤ 100', 'X-Key', 'From your account', 'The pets', 'There are none'])
      expect(list).toContain(part)
    expect(list.replaceAll(/<[^>]*>/g, '')).toContain('limit integer default: 10')
    const add = html(project, '/api-reference/pets/add-a-pet')
    for (const part of ['name', 'What it answers to', 'cat', 'dog', 'Person', 'email', 'Shelter', 'city'])
      expect(add).toContain(part)
  })

  test('shows a parameter as the operation describes it, not as its path does', async () => {
    const project = newProject()
    const limit = (description: string) => ({ name: 'limit', in: 'query', description, schema: { type: 'integer' } })
    const operation = { summary: 'List', parameters: [limit('Of the operation')] }
    const paths = { '/a': { parameters: [limit('Of the path')], get: operation } }
    await project.build({
      'index.md': '[list](list.md)',
      'openapi.json': JSON.stringify({ ...pets, paths }),
      'list.md': '---\nopenapi: GET /a\n---\n',
    })
    const shown = html(project, '/list')
    expect(shown).toContain('Of the operation')
    expect(shown).not.toContain('Of the path')
  })
})

describe('pages that name an operation', () => {
  test('show it before their own words', async () => {
    const project = newProject()
    const { warnings } = await project.build({
      'index.md': '[users](users.md)',
      'openapi.json': openapi,
      'users.md': '---\ntitle: Users\nopenapi: GET /pets\n---\n\nMore of it.\n',
    })
    expect(warnings).toEqual([])
    expect(html(project, '/users')).toMatch(/Lists <strong>all<\/strong> pets.*More of it/s)
  })

  const users = (named: string) => `---\ntitle: Users\nopenapi: "${named}"\n---\n`

  test.each([
    'specs/pets.json GET /pets',
    'specs/pets.json get /pets/',
    '/specs/pets.json GET /pets',
    'pets GET /pets',
  ])('know it in a file that only they name: %s', async (named) => {
    const project = newProject()
    const files = { 'index.md': '[users](users.md)', 'specs/pets.json': openapi, 'users.md': users(named) }
    const { warnings, pages } = await project.build(files)
    expect(warnings).toEqual([])
    expect(pages).toEqual({ total: 2, built: 2, reused: 0 })
    expect(html(project, '/users')).toContain('Lists <strong>all</strong> pets.')
    await project.build({ ...files, 'other.md': '' })
    expect(project.pool.rendered).toEqual(['other.md'])
    project.newBuilder()
    await project.build({ ...files, 'specs/pets.json': openapi.replace('**all**', '*most*') })
    expect(project.pool.rendered).toEqual(['specs/pets.json', 'users.md'])
    expect(html(project, '/users')).toContain('Lists <em>most</em> pets.')
  })

  test.each([
    ['../pets.json', 'specs/pets.json'],
    ['./pets.json', 'specs/users/pets.json'],
    ['./pets.json', 'pets.json'],
  ])('know it by its path from their folder, else from the root: %s is %s', async (named, file) => {
    const project = newProject()
    const page = users(`${named} GET /pets`)
    const files = { 'index.md': '[users](specs/users/a.md)', [file]: openapi, 'specs/users/a.md': page }
    const { warnings } = await project.build(files)
    expect(warnings).toEqual([])
    expect(html(project, '/specs/users/a')).toContain('Lists <strong>all</strong> pets.')
    await project.build({ ...files, [file]: openapi.replace('**all**', '*most*') })
    expect(html(project, '/specs/users/a')).toContain('Lists <em>most</em> pets.')
  })

  test('know it with the slash at its end that the description has and they have not, and by its own name first', async () => {
    const project = newProject()
    const both = { ...pets, paths: { '/a/': pets.paths['/pets'], '/b': { get: { summary: 'Plain b' } }, '/b/': {} } }
    const described = JSON.stringify(both).replace('"/b/":{}', '"/b/":{"get":{"summary":"B with a slash"}}')
    const page = (title: string, named: string) => `---\ntitle: ${title}\nopenapi: ${named}\n---\n`
    const { warnings, errors } = await project.build(
      siteWith(
        { groups: [{ group: 'API', openapi: 'openapi.json', pages: ['index', 'GET /a', 'GET /b/', 'one', 'two'] }] },
        { 'openapi.json': described, 'one.md': page('One', 'GET /b'), 'two.md': page('Two', 'get /a') },
      ),
    )
    expect([errors, warnings]).toEqual([[], []])
    expect(outline(project.shell().sections[0]?.items ?? [])).toEqual([
      ['API', ['Home', 'List pets', 'B with a slash', 'One', 'Two']],
    ])
    expect(html(project, '/one')).toContain('>/b</code>')
    expect(html(project, '/two')).toContain('Lists <strong>all</strong> pets.')
  })

  test('tell readers that it is missing where it is', async () => {
    const project = newProject()
    await project.build({ 'index.md': '[users](users.md)', 'users.md': users('GET /nowhere') })
    expect(html(project, '/users')).toContain('data-word="partMissing"')
  })

  test.each([
    'file:///etc/passwd GET /x',
    '../../secret.json GET /x',
    'absent.json GET /x',
    '/absent.json POST /<x>',
    'users',
  ])('%s is said to be unknown', async (named) => {
    const project = newProject()
    const files = { 'index.md': '[users](users.md)', 'users.md': `---\nopenapi: "${named}"\n---\n` }
    const { errors, warnings } = await project.build(files)
    expect(errors).toEqual([])
    expect(warnings).toMatchObject([{ path: 'users.md', line: 1, rule: 'api-unknown' }])
    expect(project.reads).toHaveLength(2)
  })
})

describe('the page of a schema', () => {
  test('shows its fields, with an example beside them', async () => {
    const project = newProject()
    const { warnings } = await project.build({
      'index.md': '[pet](pet.md)',
      'openapi.json': openapi,
      'pet.md': '---\nopenapi-schema: Pet\n---\n',
    })
    expect(warnings).toEqual([])
    const pet = html(project, '/pet')
    for (const part of ['What it answers to', 'id="response-owner"', 'id="response-owner-city"', '&quot;id&quot;'])
      expect(pet).toContain(part)
  })
})

test.each([
  ['openapi-schema: Order Item', {}],
  ['openapi-schema: my shop Order Item', { 'specs/my shop.json': 'whole' }],
  ['openapi-schema: "shop Order Item"', { 'specs/shop.yaml': 'whole' }],
  [`openapi-schema: "'my shop' Order Item"`, { 'specs/my shop.json': 'whole' }],
])('%s names a schema with a space, of a file without its ending', async (front, files) => {
  const schemas = { 'Order Item': { type: 'object', properties: { amount: { type: 'integer' } } } }
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {},
    components: { schemas },
  })
  const own = Object.fromEntries(Object.keys(files).map((path) => [path, text]))
  const project = newProject()
  const { warnings } = await project.build({
    'index.md': '[item](item.md)',
    ...(Object.keys(files).length === 0 ? { 'openapi.json': text } : own),
    'item.md': `---\n${front}\n---\n`,
  })
  expect(warnings).toEqual([])
  expect(html(project, '/item')).toContain('id="response-amount"')
})

test('a channel with spaces in its name is found in a file without its ending', async () => {
  const channels = { 'room one': { publish: { message: { payload: { properties: { text: { type: 'string' } } } } } } }
  const project = newProject()
  const { warnings } = await project.build({
    'index.md': '[room](room.md)',
    'specs/chat rooms.json': JSON.stringify({ asyncapi: '2.6.0', info: { title: 'Chat', version: '1' }, channels }),
    'room.md': '---\nasyncapi: chat rooms room one\n---\n',
  })
  expect(warnings).toEqual([])
  expect(html(project, '/room')).toContain('text')
})

describe('the page of a channel', () => {
  const chat = {
    asyncapi: '3.0.0',
    info: { title: 'Chat', version: '1' },
    servers: { live: { host: 'chat.example', protocol: 'wss', pathname: '/v1' } },
    channels: {
      room: {
        address: '/rooms/{roomId}',
        description: 'Words of a **room**.',
        parameters: { roomId: { description: 'Which one', enum: ['red', 'blue'] } },
        messages: {
          said: { $ref: '#/components/messages/Said' },
          left: { payload: { type: 'object', properties: { who: { type: 'string' } } } },
        },
      },
    },
    operations: {
      say: {
        action: 'receive',
        channel: { $ref: '#/channels/room' },
        messages: [{ $ref: '#/channels/room/messages/said' }],
      },
      hear: { action: 'send', channel: { $ref: '#/channels/room' }, summary: 'What others say' },
    },
    components: {
      messages: {
        Said: {
          payload: {
            type: 'object',
            required: ['text'],
            properties: { text: { type: 'string', description: 'The words' } },
          },
          examples: [{ name: 'Greeting', payload: { text: 'Hello, room' } }],
        },
      },
    },
  }
  const second = {
    asyncapi: '2.6.0',
    info: { title: 'Chat', version: '1' },
    servers: { live: { url: 'wss://chat.example/v1', protocol: 'wss' } },
    channels: {
      '/rooms/{roomId}': {
        description: 'Words of a **room**.',
        parameters: { roomId: { description: 'Which one', schema: { type: 'string' } } },
        publish: { message: { $ref: '#/components/messages/Said' } },
        subscribe: { summary: 'What others say', message: { oneOf: [{ $ref: '#/components/messages/Said' }] } },
      },
    },
    components: chat.components,
  }

  test.each([
    ['3', chat, '/api-reference/room'],
    ['2', second, '/api-reference/rooms-roomid'],
  ])('shows what is sent and what is received, of AsyncAPI %s', async (_, description, url) => {
    const project = newProject()
    const { errors, warnings } = await project.build(
      siteWith(
        {
          groups: [
            { group: 'Chat', asyncapi: 'asyncapi.json' },
            { group: 'Home', pages: ['index'] },
          ],
        },
        {
          'asyncapi.json': JSON.stringify(description),
        },
      ),
    )
    expect([errors, warnings]).toEqual([[], []])
    const page = html(project, url)
    for (const part of [
      'data-method="WSS"',
      'wss://chat.example/v1',
      'Words of a <strong>room</strong>.',
      'Which one',
      'data-word="send"',
      'data-word="receive"',
      'What others say',
      'The words',
      'Hello, room',
    ])
      expect(page).toContain(part)
  })
})

describe('a page that describes its operation itself', () => {
  const page = `---
title: Add a user
api: POST /users/{team}
---

<ParamField path="team" type="string">Which one</ParamField>

<ParamField body="email" type="string" required placeholder="ada@example.com">Where to write</ParamField>

<ParamField body="age" type="number" default={30} />
`
  const api = { mdx: { server: 'https://api.acme.example/v1', auth: { method: 'key', name: 'x-acme' } } }

  test('has method, address, requests and the playground over its words', async () => {
    const project = newProject()
    const { errors, warnings } = await project.build(
      siteWith({ pages: ['index', 'users'] }, { 'users.mdx': page }, { api }),
    )
    expect([errors, warnings]).toEqual([[], []])
    const users = html(project, '/users')
    for (const part of [
      'data-method="POST"',
      'https://api.acme.example/v1',
      'ada@example.com',
      'x-acme',
      'data-request=',
    ])
      expect(users).toContain(part)
    const form = /data-request="([^"]*)"/.exec(users)?.[1]?.replaceAll('&quot;', '"') ?? '{}'
    expect(JSON.parse(form)).toMatchObject({
      method: 'POST',
      path: '/users/{team}',
      parameters: [{ name: 'team', place: 'path', required: true }],
      bodies: [
        {
          type: 'application/json',
          fields: [
            { name: 'email', required: true },
            { name: 'age', type: 'number' },
          ],
        },
      ],
    })
    expect(project.shell().sections[0]?.items).toMatchObject([
      { title: 'Home' },
      { title: 'Add a user', method: 'POST' },
    ])
  })

  test('keeps the requests that its author has written, and asks nobody without a server', async () => {
    const project = newProject()
    const own = `${page}\n<RequestExample>\n\n\`\`\`bash\nacme add\n\`\`\`\n\n</RequestExample>\n`
    await project.build(siteWith({ pages: ['index', 'users'] }, { 'users.mdx': own }))
    const users = html(project, '/users')
    expect(users).toContain('data-method="POST"')
    expect(users).not.toContain('data-request=')
    expect(users.match(/q-aside/g)).toHaveLength(1)
    expect(users).not.toContain('curl')
  })

  test('is told of what is no method and address', async () => {
    const project = newProject()
    const { warnings } = await project.build({ 'index.md': '---\napi: users\n---\n' })
    expect(warnings).toMatchObject([
      { path: 'index.md', rule: 'api-unknown', message: expect.stringContaining('POST /users') },
    ])
  })
})
