import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import type { ReadEntry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const endpoints = contract.changelog
const params = { slug: 'docs' }
const text = { title: 'Faster builds', content: 'Twice as fast.' }

let service: TestService
let project: ProjectAccess
let stranger: ProjectAccess
let anybody: Client
let owner: Client
let reader: Client
let deployer: Client

async function withScopes(scopes: ('read' | 'deploy')[]): Promise<Client> {
  const { key } = await owner.call(contract.keys.create, { params, body: { name: scopes.join(), scopes } })
  return createClient({ baseUrl: service.url, token: key })
}
const create = (body: object = {}): Promise<ReadEntry> =>
  owner.call(endpoints.create, { params, body: { ...text, ...body } })
const page = (path = '', headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}/dashboard/docs/changelog${path}`, { headers })

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder(), texts: new FakeTexts() })
  project = await createProject(service.url, 'docs')
  stranger = await createProject(service.url, 'elsewhere')
  anybody = createClient({ baseUrl: service.url })
  owner = createClient({ baseUrl: service.url, token: project.session })
  reader = await withScopes(['read'])
  deployer = await withScopes(['deploy'])
})
afterAll(() => service.close())

describe('entries over HTTP', () => {
  it('drafts and what is scheduled are for members and keys that may read', async () => {
    const draft = await create({ title: 'Draft' })
    const scheduled = await create({ is_draft: false, published_at: '2999-01-01T00:00:00Z' })
    const published = await create({ is_draft: false })
    for (const { id } of [draft, scheduled, published]) {
      for (const client of [owner, project.client, reader])
        expect(await client.call(endpoints.read, { params: { ...params, id } })).toMatchObject({ id })
      for (const client of [anybody, stranger.client, deployer]) {
        const seen = client.call(endpoints.read, { params: { ...params, id } })
        if (id === published.id) expect(await seen).toMatchObject({ id, html: '<p>Twice as fast.</p>' })
        else expect(await refusalOf(seen)).toMatchObject({ code: 'not_found' })
      }
    }
    const ids = async (client: Client): Promise<string[]> =>
      (await client.call(endpoints.list, { params })).items.map(({ id }) => id)
    expect(await ids(reader)).toEqual(expect.arrayContaining([draft.id, scheduled.id, published.id]))
    for (const client of [anybody, stranger.client, deployer]) {
      expect(await ids(client)).toContain(published.id)
      expect(await ids(client)).not.toContain(draft.id)
      expect(await ids(client)).not.toContain(scheduled.id)
    }
  })

  it('what an entry would look like is shown to who may write one, and nothing is kept', async () => {
    const before = await owner.call(endpoints.list, { params })
    const preview = (client: Client, content: string): Promise<{ html: string }> =>
      client.call(endpoints.preview, { params, body: { content } })
    expect(await preview(owner, '<a href="/guide">Guide</a>')).toEqual({
      html: expect.stringMatching(/<a href="https?:\/\/docs\.[^"]+\/guide">/),
    })
    expect(await refusalOf(preview(owner, 'broken'))).toMatchObject({
      code: 'invalid_content',
      errors: [{ pointer: '/content', line: 2, column: 5 }],
    })
    expect(await refusalOf(preview(owner, 'é'.repeat(500_001)))).toMatchObject({ code: 'request_too_large' })
    expect(await refusalOf(preview(reader, 'x'))).toMatchObject({ code: 'forbidden' })
    expect(await owner.call(endpoints.list, { params })).toEqual(before)
  })

  it('no cache gives to one what another one got', async () => {
    const { id } = await create({ is_draft: false })
    for (const path of ['', `/${id}`]) {
      const reply = await fetch(`${service.url}/api/projects/docs/changelog${path}`)
      expect(reply.headers.get('cache-control')).toBe('private, no-cache')
    }
  })

  it('a client that has the list gets 304 until something changes, and members have one of their own', async () => {
    await create({ title: 'A draft for the list' })
    await create({ is_draft: false })
    const list = (headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${service.url}/api/projects/docs/changelog`, { headers })
    const authorization = `Bearer ${project.key}`
    const first = await list({ 'accept-encoding': 'gzip' })
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(JSON.stringify(await first.json())).not.toContain('A draft for the list')
    const again = await list({ 'accept-encoding': 'gzip', 'if-none-match': etag })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    expect(again.headers.get('cache-control')).toBe('private, no-cache')
    const members = await list({ authorization, 'if-none-match': etag })
    expect(members.status).toBe(200)
    expect(JSON.stringify(await members.json())).toContain('A draft for the list')
    expect((await list({ 'if-none-match': members.headers.get('etag') ?? '' })).status).toBe(200)
    await create({ is_draft: false })
    expect((await list({ 'if-none-match': etag })).status).toBe(200)
  })

  it('a key writes, publishes, changes and deletes', async () => {
    const { client } = project
    const { id } = await client.call(endpoints.create, { params, body: { ...text, version: '1' } })
    const changed = await client.call(endpoints.update, { params, body: { id, is_draft: false, version: null } })
    expect(changed).toMatchObject({ is_draft: false, status: 'published', tags: [] })
    expect(changed).not.toHaveProperty('version')
    await client.call(endpoints.remove, { params, query: { id } })
    expect(await refusalOf(client.call(endpoints.remove, { params, query: { id } }))).toMatchObject({
      code: 'not_found',
    })
  })

  it('limits are named by field', async () => {
    const tags = Array.from({ length: 21 }, (_, index) => String(index))
    for (const [body, pointer] of [
      [{ title: undefined }, '/title'],
      [{ content: undefined }, '/content'],
      [{ title: '' }, '/title'],
      [{ title: 'x'.repeat(201) }, '/title'],
      [{ title: 'two\nlines' }, '/title'],
      [{ content: '' }, '/content'],
      [{ content: ' \n\t\u00A0'.repeat(1000) }, '/content'],
      [{ content: 'half \ud800' }, '/content'],
      [{ version: 'x'.repeat(101) }, '/version'],
      [{ tags }, '/tags'],
      [{ published_at: 'tomorrow' }, '/published_at'],
    ] as const) {
      const refusal = await refusalOf(create(body))
      expect(refusal).toMatchObject({ code: 'invalid_request' })
      expect(refusal.errors[0]?.pointer).toBe(pointer)
    }
    expect(await create({ title: '🎉'.repeat(100), content: 'x'.repeat(1_000_000) })).toMatchObject({ is_draft: true })
    const indented = '\n'.repeat(999_999) + 'x'
    expect(await create({ content: indented })).toMatchObject({ content: indented })
  })

  it('there is no changelog of a project that is not there', async () => {
    const nowhere = { params: { slug: 'nowhere' } }
    expect(await refusalOf(anybody.call(endpoints.list, nowhere))).toMatchObject({ code: 'not_found' })
    expect((await fetch(`${service.url}/dashboard/nowhere/changelog`)).status).toBe(404)
  })
})

describe('the page', () => {
  it('shows what is published, and answers 304 until that changes', async () => {
    const published_at = '2026-03-04T05:06:07.000Z'
    await create({ title: 'Shown', version: 'v9', is_draft: false, tags: ['api'], published_at })
    await create({ title: 'Hidden' })
    const first = await page()
    const html = await first.text()
    expect(first.status).toBe(200)
    expect(html).toContain('Shown')
    expect(html).toContain('v9')
    expect(html).toContain('<time datetime="2026-03-04T05:06:07.000Z">March 4, 2026</time>')
    expect(html).not.toContain('Hidden')
    expect(html.match(/<link rel="alternate" type="application\/(?:rss|atom|feed)\+(?:xml|json)"/g)).toHaveLength(3)
    const etag = first.headers.get('etag') ?? ''
    expect((await page('', { 'if-none-match': etag })).status).toBe(304)
    await create({ title: 'Newer', is_draft: false })
    const second = await page('', { 'if-none-match': etag })
    expect(second.status).toBe(200)
    expect((await second.text()).indexOf('Newer')).toBeGreaterThan(0)
  })

  it('lets nothing run and nobody frame it', async () => {
    const { headers } = await page()
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/script-src|unsafe/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  it('pages follow each other, and there is none after the last', async () => {
    for (let index = 0; index < 45; index++) await create({ title: `Many ${index}`, is_draft: false, tags: ['many'] })
    const seen: string[] = []
    let path: string | undefined = '?tag=many'
    let turns = 0
    while (path !== undefined) {
      const html = await (await page(path)).text()
      seen.push(...(html.match(/Many \d+(?=<\/a>)/g) ?? []))
      const next: string | undefined = /<link rel="next" href="[^"?]*([^"]*)">/.exec(html)?.[1]
      path = next?.replaceAll('&amp;', '&')
      turns += 1
    }
    expect(turns).toBe(3)
    expect(seen).toEqual(Array.from({ length: 45 }, (_, index) => `Many ${44 - index}`))
    for (const beyond of ['?tag=many&page=4', '?page=0', '?page=x', '?page=99999999', `?tag=${'x'.repeat(51)}`])
      expect((await page(beyond)).status, beyond).toBe(404)
  })

  it('an entry’s page is there while it is published', async () => {
    const { id } = await create({ title: 'One', is_draft: false })
    expect(await (await page(`/${id}`)).text()).toContain('<h1 class="log-name">One</h1>')
    await owner.call(endpoints.update, { params, body: { id, is_draft: true } })
    const gone = await page(`/${id}`)
    expect([gone.status, (await gone.text()).includes('noindex')]).toEqual([404, true])
  })

  it('a project without entries has a friendly one', async () => {
    const empty = await fetch(`${service.url}/dashboard/elsewhere/changelog`)
    expect(empty.status).toBe(200)
    expect(await empty.text()).toContain('Nothing here yet')
  })

  it('the style that it names is there for ever', async () => {
    const href = /<link rel="stylesheet" href="([^"]*)">/.exec(await (await page()).text())?.[1] ?? ''
    const style = await fetch(service.url + href)
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(style.headers.get('cache-control')).toContain('immutable')
  })
})

describe('the project', () => {
  it('takes its changelog with it', async () => {
    const gone = await createProject(service.url, 'gone')
    const { id } = await gone.client.call(endpoints.create, {
      params: { slug: 'gone' },
      body: { ...text, is_draft: false },
    })
    const client = createClient({ baseUrl: service.url, token: gone.session })
    await client.call(contract.projects.remove, { params: { slug: 'gone' } })
    expect((await fetch(`${service.url}/dashboard/gone/changelog`)).status).toBe(404)
    await client.call(contract.projects.create, { body: { slug: 'gone' } })
    expect((await anybody.call(endpoints.list, { params: { slug: 'gone' } })).items).toEqual([])
    expect(await refusalOf(client.call(endpoints.read, { params: { slug: 'gone', id } }))).toMatchObject({
      code: 'not_found',
    })
  })
})
