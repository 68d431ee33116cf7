import { expect, it, onTestFinished } from 'vitest'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startTestService } from '#test/support/service.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'

const credentials = { email: 'ada@example.com', password: 'correct horse battery' }

/** What `/` of a service answers. */
async function startHome(settings: Record<string, string> = {}) {
  const service = await startTestService(settings, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${service.url}/`, { method, headers, redirect: 'manual' })
  return { service, ask }
}

it('tells people without a session, and programs, what the service is and how to begin; runs nothing, in no frame', async () => {
  const { service, ask } = await startHome({ PUBLIC_URL: 'http://docs.localhost:4000' })
  const response = await ask({ accept: 'text/html' })
  const page = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(response.headers.get('vary')).toBe('cookie')
  expect(page).toContain('quire login --url http://docs.localhost:4000\n')
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href)
  expect(links).toEqual(['/dashboard', '/dashboard?new_account', '/api/docs', '/cli'])
  for (const link of links) {
    const { status } = await fetch(service.url + link, { headers: { accept: 'text/html' } })
    expect([link, status]).toEqual([link, 200])
  }
  expect(await (await ask({ accept: '*/*' })).text()).toBe(page)
  const policy = response.headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(page).not.toContain('<script')
  const head = await ask({}, 'HEAD')
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(page)))
})

it('leads who has a session to the dashboard, and nobody with another cookie', async () => {
  const { service, ask } = await startHome()
  const client = createClient({ baseUrl: service.url })
  const { token } = await client.call(contract.accounts.signup, { body: credentials })
  for (const method of ['GET', 'HEAD']) {
    const response = await ask({ cookie: `quire_session=${token}` }, method)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/dashboard'])
    expect([response.headers.get('cache-control'), response.headers.get('vary')]).toEqual(['no-cache', 'cookie'])
  }
  for (const cookie of ['quire_session=', 'quire_session=nothing', 'other=1'])
    expect((await ask({ cookie })).status).toBe(200)
})

it('offers an account only where people may create one', async () => {
  const { ask } = await startHome({ SIGNUP: 'closed' })
  const page = await (await ask()).text()
  expect(page).toContain('href="/dashboard"')
  expect(page).not.toContain('new_account')
})
