import { expect, onTestFinished, test } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

async function start(settings: Record<string, string>): Promise<TestService> {
  const service = await startTestService(settings, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  return service
}

/** A request to a path of the service, its answer read. */
async function send(service: TestService, path: string, init: RequestInit = {}) {
  const response = await fetch(service.url + path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const bearer = (key: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...more },
})
const json = (method: string, key: string, body: unknown): RequestInit => ({
  method,
  ...bearer(key, { 'content-type': 'application/json' }),
  body: JSON.stringify(body),
})

async function statuses(times: number, request: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = []
  for (let time = 0; time < times; time++) found.push((await request()).status)
  return found
}

const newKey = async (client: Client, slug: string): Promise<string> =>
  (await client.call(contract.keys.create, { params: { slug }, body: { name: 'Another' } })).key

test('every answer tells the limits it is under, and a refusal how long to wait', async () => {
  const service = await start({ RATE_DEPLOY: '2', RATE_CALLERS: '50' })
  const { key } = await createProject(service.url, 'mine')
  const deploy = () => send(service, '/api/deploy', json('POST', key, { files: [{ path: 'a.md', content: 'a' }] }))

  const first = await deploy()
  expect(first.status).toBe(201)
  expect(first.headers.get('ratelimit-policy')).toBe('"callers";q=50;w=60, "deploy";q=2;w=60')
  expect(first.headers.get('ratelimit')).toMatch(/^"callers";r=47;t=\d+, "deploy";r=1;t=60$/)
  expect((await deploy()).status).toBe(201)

  const refused = await deploy()
  expect(refused.status).toBe(429)
  expect(refused.headers.get('content-type')).toContain('application/problem+json')
  expect(refused.headers.get('ratelimit')).toMatch(/"deploy";r=0;t=\d+$/)
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(JSON.parse(refused.text)).toMatchObject({
    code: 'rate_limited',
    detail: 'More than 2 requests a minute from this account.',
    hint: expect.stringContaining(`Wait ${seconds} s.`),
    limit: { name: 'deploy', requests: 2, windowSeconds: 60 },
  })
})

test('accounts and strangers behind one address have budgets of their own', async () => {
  const service = await start({ RATE_CALLERS: '6', RATE_STRANGERS: '3' })
  const { key } = await createProject(service.url, 'mine')
  const { key: other } = await createProject(service.url, 'other')
  const read = (slug: string, with_: string) => () => send(service, `/api/projects/${slug}`, bearer(with_))

  // Making the key was one request, and the project another.
  expect(await statuses(5, read('mine', key))).toEqual([200, 200, 200, 200, 429])
  expect(await statuses(1, read('other', other))).toEqual([200])
  const strange = await statuses(4, () => send(service, '/api/projects/mine/changelog/rss'))
  expect(strange.at(-1)).toBe(429)
  expect(await statuses(1, read('other', other))).toEqual([200])
})

inDepth.each([
  ['device', 'RATE_DEVICE', 'POST', '/api/auth/device', { client_id: 'quire-cli' }],
  ['branches', 'RATE_BRANCHES', 'POST', '/api/projects/mine/branches', { name: '' }],
  ['checks', 'RATE_CHECKS', 'POST', '/api/projects/mine/branches/none/check', { changes: [] }],
  ['renders', 'RATE_RENDERS', 'POST', '/api/projects/mine/changelog/preview', {}],
  ['renders', 'RATE_RENDERS', 'POST', '/api/projects/mine/branches/none/render', { path: 'a.md', content: '' }],
  ['searches', 'RATE_SEARCHES', 'GET', '/api/projects/mine/search?q=a', undefined],
  ['searches', 'RATE_SEARCHES', 'GET', '/api/projects/mine/branches/none/search?q=a', undefined],
  ['searches', 'RATE_SEARCHES', 'GET', '/api/projects/mine/changelog?q=a', undefined],
  ['deploy', 'RATE_DEPLOY', 'POST', '/api/projects/mine/publish', {}],
  ['deploy', 'RATE_DEPLOY', 'POST', '/api/projects/mine/rollback', {}],
  ['generate', 'RATE_GENERATE', 'POST', '/api/proxy/generate', {}],
  ['objects', 'RATE_OBJECTS', 'POST', '/api/deploy/objects', {}],
  ['webhooks', 'RATE_WEBHOOKS', 'POST', '/api/projects/mine/webhooks', {}],
  ['webhooks', 'RATE_WEBHOOKS', 'DELETE', '/api/projects/mine/webhooks?id=none', {}],
  ['domains', 'RATE_DOMAINS', 'POST', '/api/projects/mine/domains', {}],
  ['enter', 'RATE_ENTER', 'PUT', '/api/projects/mine/visibility/password', {}],
  ['changelog', 'RATE_CHANGELOG', 'POST', '/api/projects/mine/changelog', {}],
])('the limit %s is the setting %s and holds for %s %s', async (name, setting, method, path, body) => {
  const service = await start({ [setting]: '2' })
  const { key } = await createProject(service.url, 'mine')
  const request = () => send(service, path, json(method, key, body))
  expect(await statuses(2, request)).not.toContain(429)
  const refused = await request()
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.text)).toMatchObject({ limit: { name } })
})

inDepth(
  'strangers search a changelog as often as the limit of searches says, and list it and read its feeds on',
  async () => {
    const service = await start({ RATE_SEARCHES: '2' })
    await createProject(service.url, 'mine')
    const list = (query: string) => () => send(service, `/api/projects/mine/changelog${query}`)
    expect(await statuses(3, list('?limit=2'))).toEqual([200, 200, 200])
    expect(await statuses(2, list('?q=a'))).toEqual([200, 200])
    // However it is written.
    for (const query of ['?q=b', '?tag=x&q=a', '?%71=a', '?q=a&q=b', '?q'])
      expect(await statuses(1, list(query))).toEqual([429])
    expect(await statuses(1, list(''))).toEqual([200])
    expect(await statuses(1, list('/rss'))).toEqual([200])
  },
)

test('an account has one budget, whichever of its keys and sessions ask', async () => {
  const service = await start({ RATE_WEBHOOKS: '3', RATE_CHANGELOG: '3' })
  const { session, key } = await createProject(service.url, 'mine')
  const client = createClient({ baseUrl: service.url, token: session })
  const more = [await newKey(client, 'mine'), await newKey(client, 'mine')]
  for (const path of ['/api/projects/mine/webhooks?id=none', '/api/projects/mine/changelog?id=none']) {
    const remove = (token: string) => () => send(service, path, { method: 'DELETE', ...bearer(token) })
    expect(await statuses(1, remove(key))).toEqual([404])
    expect(await statuses(1, remove(session))).toEqual([404])
    for (const other of more) expect(await statuses(1, remove(other))).toEqual([other === more[0] ? 404 : 429])
  }
})

inDepth(
  'an address that guesses credentials is stopped, through the API and through git; good keys go on',
  async () => {
    const service = await start({ RATE_FAILURES: '4' })
    const { key } = await createProject(service.url, 'mine')
    const basic = (secret: string) => ({ headers: { authorization: `Basic ${btoa(`x:${secret}`)}` } })
    const path = '/git/mine.git/info/refs?service=git-upload-pack'

    expect(await statuses(2, () => send(service, '/api/projects/mine', bearer('quire_wrong')))).toEqual([401, 401])
    // Git asks without a credential first; that is no guess.
    expect(await statuses(5, () => send(service, path))).toEqual([401, 401, 401, 401, 401])
    expect(await statuses(3, () => send(service, path, basic('quire_wrong')))).toEqual([401, 401, 429])
    const refused = await send(service, path, basic('quire_wrong'))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.text).toContain('credential that is not valid')
    expect((await send(service, '/api/projects/mine', bearer('quire_wrong'))).status).toBe(429)
    expect((await send(service, '/api/projects/mine', bearer(key))).status).toBe(200)
    expect((await send(service, path, basic(key))).status).toBe(200)
  },
)

inDepth('pushes count as deploys, and all that git asks counts', async () => {
  const service = await start({ RATE_DEPLOY: '2', RATE_CALLERS: '8', RATE_STRANGERS: '3' })
  const { key } = await createProject(service.url, 'mine')
  const authorization = `Basic ${btoa(`x:${key}`)}`
  const push = () =>
    send(service, '/git/mine.git/git-receive-pack', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/x-git-receive-pack-request' },
      body: '0000',
    })
  expect(await statuses(2, push)).not.toContain(429)
  const refused = await push()
  expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/plain; charset=utf-8'])
  expect(refused.headers.get('ratelimit')).toMatch(/^"callers";r=3;t=\d+, "deploy";r=0;t=\d+$/)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.text).toContain('More than 2 requests a minute from this account')

  const fetching = '/git/mine.git/info/refs?service=git-upload-pack'
  expect(await statuses(4, () => send(service, fetching, { headers: { authorization } }))).toEqual([200, 200, 200, 429])
  // Signing up was the first.
  expect(await statuses(3, () => send(service, fetching))).toEqual([401, 401, 429])
})

inDepth('a HEAD counts as a GET does', async () => {
  const service = await start({ RATE_CALLERS: '4' })
  // Its project and its key count, too.
  const { key } = await createProject(service.url, 'mine')
  const head = () => send(service, '/api/projects/mine', { method: 'HEAD', ...bearer(key) })
  expect(await statuses(3, head)).toEqual([200, 200, 429])
})

inDepth('behind a trusted proxy strangers are told apart: IPv4 by address, IPv6 by its first 64 bits', async () => {
  const service = await start({ RATE_STRANGERS: '2', TRUST_PROXY: '127.0.0.1' })
  const from = (address: string) => () =>
    send(service, '/api/openapi.json', { headers: { 'x-forwarded-for': address } })
  expect(await statuses(3, from('192.0.2.1'))).toEqual([200, 200, 429])
  expect(await statuses(1, from('192.0.2.2'))).toEqual([200])
  expect(await statuses(1, from('2001:db8::1'))).toEqual([200])
  expect(await statuses(1, from('2001:db8::ffff:1'))).toEqual([200])
  expect(await statuses(1, from('2001:db8::2'))).toEqual([429])
  expect(await statuses(1, from('2001:db8:0:1::1'))).toEqual([200])
})

inDepth.each([
  ['IPv6 in one /48', (part: number) => `2001:db8:1:${part}::1`, '2001:db8:2::1'],
  ['IPv4 in one /24', (part: number) => `192.0.2.${part}`, '192.0.3.1'],
])('many networks of one party are not as many parties: %s', async (_, address, elsewhere) => {
  const service = await start({ RATE_STRANGERS: '1', TRUST_PROXY: '127.0.0.1' })
  const from = (ip: string) => send(service, '/api/openapi.json', { headers: { 'x-forwarded-for': ip } })
  const found: number[] = []
  for (let part = 1; part <= 8; part++) found.push((await from(address(part))).status)
  expect(found).toEqual(found.map(() => 200))
  const refused = await from(address(9))
  expect(refused.status).toBe(429)
  expect(refused.text).toContain('More than 8 requests a minute from the network around this address')
  expect((await from(elsewhere)).status).toBe(200)
})

inDepth('one address that asks too often leaves the rest of its network their turns', async () => {
  const service = await start({ RATE_STRANGERS: '1', TRUST_PROXY: '127.0.0.1' })
  const from = (ip: string) => () => send(service, '/api/openapi.json', { headers: { 'x-forwarded-for': ip } })
  await statuses(20, from('192.0.2.1'))
  expect(await statuses(1, from('192.0.2.2'))).toEqual([200])
})

inDepth('without a trusted proxy nobody chooses the address that he is counted by', async () => {
  const service = await start({ RATE_STRANGERS: '2' })
  let last = 0
  const request = () => send(service, '/api/openapi.json', { headers: { 'x-forwarded-for': `192.0.2.${(last += 1)}` } })
  expect(await statuses(3, request)).toEqual([200, 200, 429])
})

inDepth('on loopback the limits leave scripts alone', async () => {
  const service = await start({})
  const { key } = await createProject(service.url, 'mine')
  const request = () => send(service, '/api/projects/mine', bearer(key))
  expect(new Set(await statuses(300, request))).toEqual(new Set([200]))
})
