import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let mine: ProjectAccess

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
  mine = await createProject(service.url, 'mine')
})
afterAll(() => service.close())

describe('a credential', () => {
  it('that is missing or wrong is answered 401, before the body is looked at', async () => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { authorization: 'Basic eDp5' }]) {
      const response = await fetch(`${service.url}/api/deploy`, { method: 'POST', headers, body: 'x'.repeat(20 << 20) })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain('Bearer')
      expect(await response.json()).toMatchObject({ code: 'unauthenticated' })
    }
  })
})

describe('an answer', () => {
  it('with something of its caller is kept by no cache', async () => {
    const headers = { authorization: `Bearer ${mine.session}`, 'content-type': 'application/json' }
    const url = `${service.url}/api/projects/mine`
    const answers = await Promise.all([
      fetch(`${service.url}/api/auth/me`, { headers }),
      fetch(url, { headers }),
      fetch(`${url}/keys`, { method: 'POST', headers, body: '{"name":"made"}' }),
      fetch(url, { method: 'PATCH', headers, body: '{}' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 400])
    expect(new Set(answers.map((response) => response.headers.get('cache-control')))).toEqual(new Set(['no-store']))
  })
})

describe('the dashboard’s cookie', () => {
  const origin = () => `http://localhost:${service.port}`
  async function signIn(): Promise<string> {
    const response = await fetch(`${service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'mine@example.com', password: 'correct horse battery' }),
    })
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^quire_session=.*HttpOnly/)
    expect(cookie).toContain('SameSite=Lax')
    return cookie.split(';', 1)[0] ?? ''
  }
  const patch = (cookie: string, headers: Record<string, string>, type = 'application/json') =>
    fetch(`${service.url}/api/projects/mine`, {
      method: 'PATCH',
      headers: { cookie, 'content-type': type, ...headers },
      body: '{"title":"New"}',
    })

  it('reads, and writes only for our own page', async () => {
    const cookie = await signIn()
    expect((await fetch(`${service.url}/api/auth/me`, { headers: { cookie } })).status).toBe(200)
    expect((await patch(cookie, { origin: origin() })).status).toBe(200)
    expect((await patch(cookie, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await patch(cookie, {})).status).toBe(403)
    expect((await patch(cookie, { origin: `http://mine.localhost:${service.port}` })).status).toBe(403)
    expect((await patch(cookie, { origin: origin(), 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await patch(cookie, { origin: origin() }, 'text/plain')).status).toBe(403)
  })

  it('carries sessions only: an API key in it is nothing', async () => {
    const cookie = await signIn()
    const read = (value: string) => fetch(`${service.url}/api/projects/mine`, { headers: { cookie: value } })
    expect((await read(cookie)).status).toBe(200)
    expect((await read(`quire_session=${mine.key}`)).status).toBe(401)
    const headers = { origin: origin() }
    expect((await patch(`quire_session=${mine.key}`, headers)).status).toBe(401)
    // Where both are sent, the header is what counts.
    const both = { cookie, authorization: `Bearer ${mine.key}` }
    expect((await fetch(`${service.url}/api/auth/me`, { headers: both })).status).toBe(403)
  })

  it('lives on with a session that is in use', async () => {
    const cookie = await signIn()
    const me = (headers: Record<string, string>) => fetch(`${service.url}/api/auth/me`, { headers })
    expect((await me({ cookie })).headers.get('set-cookie')).toMatch(`${cookie}; Max-Age=2592000;`)
    expect((await me({ cookie, authorization: `Bearer ${mine.session}` })).headers.get('set-cookie')).toBeNull()
    expect((await me({ authorization: `Bearer ${mine.session}` })).headers.get('set-cookie')).toBeNull()
  })

  it('is not set by what a form of another site can send', async () => {
    const body = JSON.stringify({ email: 'mine@example.com', password: 'correct horse battery' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', null]) {
      const headers: Record<string, string> = type === null ? {} : { 'content-type': type }
      // Bytes, for which fetch makes up no type.
      const init = { method: 'POST', headers, body: new TextEncoder().encode(body) }
      const response = await fetch(`${service.url}/api/auth/login`, init)
      expect(response.status).toBe(415)
      expect(response.headers.get('set-cookie')).toBeNull()
    }
    const asked = await fetch(`${service.url}/api/auth/login`, {
      method: 'OPTIONS',
      headers: { origin: `http://mine.localhost:${service.port}`, 'access-control-request-headers': 'content-type' },
    })
    expect(asked.ok).toBe(false)
    expect(asked.headers.get('access-control-allow-headers')).toBeNull()
  })

  it('ends with the session', async () => {
    const cookie = await signIn()
    const headers = { cookie, origin: origin(), 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/api/auth/logout`, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(204)
    expect(response.headers.get('set-cookie')).toContain('quire_session=;')
    expect((await fetch(`${service.url}/api/auth/me`, { headers: { cookie } })).status).toBe(401)
  })

  it('is bound to one host where the dashboard is served by HTTPS', async () => {
    const secure = await startTestService(
      { PUBLIC_URL: 'https://app.example.com', PREVIEW_DOMAIN: 'sites.example.net', SIGNUP: 'open' },
      { builder: new FakeBuilder() },
    )
    const response = await fetch(`${secure.url}/api/auth/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: 'correct horse battery' }),
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-quire_session=.*; Path=\/; HttpOnly; Secure; SameSite=Lax/,
    )
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    const [bound = ''] = String(response.headers.get('set-cookie')).split(';', 1)
    const read = (cookie: string) => fetch(`${secure.url}/api/auth/me`, { headers: { cookie } })
    expect((await read(bound)).status).toBe(200)
    // Without the prefix any host of the domain could have set it.
    expect((await read(bound.replace('__Host-', ''))).status).toBe(401)
    expect((await read(`quire_session=other; ${bound}`)).status).toBe(200)
    await secure.close()
  })
})

describe('signing in', () => {
  it('is limited by address', async () => {
    const strict = await startTestService({ SIGN_INS_PER_MINUTE: '3' }, { builder: new FakeBuilder() })
    const body = { email: 'a@example.com', password: 'wrong wrong wrong' }
    const client = createClient({ baseUrl: strict.url })
    const codes: string[] = []
    for (let attempt = 0; attempt < 4; attempt++)
      codes.push((await refusalOf(client.call(contract.accounts.login, { body }))).code)
    expect(codes).toEqual(['unauthenticated', 'unauthenticated', 'unauthenticated', 'rate_limited'])
    expect((await refusalOf(client.call(contract.accounts.login, { body }))).retryAfter).toBeGreaterThan(0)
    await strict.close()
  })
})
