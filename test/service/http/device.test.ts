import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { deviceGrant } from '#contract/device-login.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let project: ProjectAccess
let time = Date.now()

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder(), now: () => new Date(time) })
  project = await createProject(service.url, 'docs')
})
afterAll(() => service.close())

const send = async (path: string, body: string | Record<string, string>, type?: string) => {
  const form = typeof body === 'string' ? body : new URLSearchParams(body).toString()
  const headers = { 'content-type': type ?? 'application/x-www-form-urlencoded' }
  const response = await fetch(service.url + path, { method: 'POST', headers, body: form })
  return { response, body: (await response.json()) as Record<string, unknown> }
}
const ask = () => send('/api/auth/device', { client_id: 'quire-cli', host_name: 'laptop', unknown: 'ignored' })
const poll = (code: unknown, more: Record<string, string> = {}) =>
  send('/api/auth/device/token', {
    grant_type: deviceGrant,
    client_id: 'quire-cli',
    device_code: String(code),
    ...more,
  })
const owner = () => createClient({ baseUrl: service.url, token: project.session })

describe('the device grant over HTTP', () => {
  it('takes a standard client’s forms from the first request to the token', async () => {
    const { response, body } = await ask()
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const page = `http://localhost:${service.port}/dashboard/device`
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${String(body['user_code'])}`,
      expires_in: 600,
      interval: 5,
    })
    const pending = await poll(body['device_code'])
    expect(pending.response.status).toBe(400)
    expect(pending.response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(pending.body).toEqual({ error: 'authorization_pending', error_description: expect.any(String) })
    expect((await poll(body['device_code'])).body['error']).toBe('slow_down')

    const userCode = String(body['user_code']).toLowerCase().replace('-', '')
    const read = await owner().call(contract.device.read, { query: { user_code: userCode } })
    expect(read).toMatchObject({ hostName: 'laptop', client: 'Quire command line', sameAddress: true })
    await owner().call(contract.device.approve, { body: { user_code: userCode } })
    const granted = await poll(body['device_code'])
    expect(granted.response.status).toBe(200)
    expect(granted.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', scope: 'account' })
    const terminal = createClient({ baseUrl: service.url, token: String(granted.body['access_token']) })
    expect((await terminal.call(contract.accounts.me)).account.email).toBe('docs@example.com')

    const replay = await poll(body['device_code'])
    expect([replay.response.status, replay.body['error']]).toEqual([400, 'invalid_grant'])
  })

  it('takes JSON as the contract has it, and gives our client the failure by its code', async () => {
    const client = createClient({ baseUrl: service.url })
    const { device_code: code, user_code: userCode } = await client.call(contract.device.authorize, {
      body: { client_id: 'quire-cli' },
    })
    const body = { grant_type: deviceGrant, client_id: 'quire-cli', device_code: code }
    expect((await refusalOf(client.call(contract.device.token, { body }))).code).toBe('authorization_pending')
    expect((await refusalOf(client.call(contract.device.token, { body }))).code).toBe('slow_down')
    await owner().call(contract.device.deny, { body: { user_code: userCode } })
    expect(await refusalOf(client.call(contract.device.token, { body }))).toMatchObject({
      code: 'access_denied',
      message: 'The sign-in was denied in the browser.',
    })
  })

  it('says expired_token when ten minutes have passed', async () => {
    const { body } = await ask()
    time += 10 * 60_000
    const { response, body: refused } = await poll(body['device_code'])
    expect([response.status, refused['error']]).toEqual([400, 'expired_token'])
  })

  it.each([
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['a client that it does not know', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['a code that nobody has', {}, 400, 'invalid_grant'],
  ])('refuses %s', async (_, more, status, error) => {
    const { response, body } = await poll('x', more)
    expect([response.status, body['error']]).toEqual([status, error])
  })

  it.each([
    ['nothing', '', 'application/x-www-form-urlencoded'],
    ['a parameter twice', 'client_id=quire-cli&client_id=quire-cli', 'application/x-www-form-urlencoded'],
    ['text', 'client_id=quire-cli', 'text/plain'],
    ['broken JSON', '{', 'application/json'],
    ['a list', '[]', 'application/json'],
  ])('calls %s an invalid_request', async (_, body, type) => {
    const refused = await send('/api/auth/device', body, type)
    expect([refused.response.status, refused.body['error']]).toEqual([400, 'invalid_request'])
    expect(refused.body['error_description']).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  })

  it('refuses a scope that it does not know', async () => {
    const { response, body } = await send('/api/auth/device', { client_id: 'quire-cli', scope: 'root' })
    expect([response.status, body['error']]).toEqual([400, 'invalid_scope'])
  })
})

describe('the decision', () => {
  it('needs an account, and with the cookie our own page', async () => {
    const { body } = await ask()
    const decision = { user_code: String(body['user_code']) }
    expect((await refusalOf(project.client.call(contract.device.approve, { body: decision }))).code).toBe('forbidden')
    const nobody = createClient({ baseUrl: service.url })
    expect((await refusalOf(nobody.call(contract.device.approve, { body: decision }))).code).toBe('unauthenticated')
    expect((await refusalOf(nobody.call(contract.device.read, { query: decision }))).code).toBe('unauthenticated')
    const approve = (headers: Record<string, string>) =>
      fetch(`${service.url}/api/auth/device/approve`, {
        method: 'POST',
        headers: { cookie: `quire_session=${project.session}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(decision),
      })
    expect((await approve({})).status).toBe(403)
    expect((await approve({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await approve({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
    const form = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }
    expect((await approve(form)).status).toBe(403)
    expect((await approve({ 'sec-fetch-site': 'same-origin' })).status).toBe(204)
  })

  it('is on a page that nobody can frame', async () => {
    const response = await fetch(`${service.url}/dashboard/device?user_code=BCDF-GHJK`)
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(response.headers.get('x-frame-options')).toBe('DENY')
  })
})
