import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { originProblem } from '#http/sites/hosts.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { hostile } from '#test/support/shared.ts'
import { getSite } from '#test/support/site.ts'

let service: TestService
let project: ProjectAccess
let cookie: string
beforeAll(async () => {
  service = await startTestService()
  project = await createProject(service.url, 'docs')
  await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Home' }] } })
  const response = await signIn(service.url)
  cookie = String(response.headers.get('set-cookie')).split(';')[0] ?? ''
})
afterAll(() => service.close())

const signIn = (url: string): Promise<Response> =>
  fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'docs@example.com', password: 'correct horse battery' }),
  })

/** What a page of a tenant may try with cookies, by words of the collection’s descriptions. */
const attempts: Readonly<Record<string, () => Promise<void>>> = {
  'Domain=preview.example; Path': async () => {
    const plain = await getSite(service.port, 'docs.localhost', '/')
    const sent = await getSite(service.port, 'docs.localhost', '/', { cookie: 'sid=x; quire_session=y' })
    expect(plain.status).toBe(200)
    expect(sent.body).toEqual(plain.body)
    expect(sent.headers['set-cookie']).toBeUndefined()
  },
  '__Host-sid': async () => {
    const made = await fetch(`${service.url}/api/auth/me`, { headers: { cookie: '__Host-quire_session=made-up' } })
    expect(made.status).toBe(401)
    const header = String((await signIn(service.url)).headers.get('set-cookie'))
    expect(header).toContain('HttpOnly')
    expect(header).toContain('SameSite=Lax')
    expect(header).not.toContain('Domain')
  },
  'cookie bomb': async () => {
    const bomb = getSite(service.port, 'docs.localhost', '/', { cookie: 'a=b; '.repeat(10_000) })
    // The answer may be cut off: the rest of the headers is not read any more.
    const end = await bomb.then(
      ({ status }) => status,
      () => 'closed',
    )
    expect([431, 'closed']).toContain(end)
    expect((await getSite(service.port, 'docs.localhost', '/')).status).toBe(200)
  },
  'cross-site form POST': async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json']) {
      const response = await fetch(`${service.url}/api/projects`, {
        method: 'POST',
        headers: { cookie, 'content-type': type, origin: `http://docs.localhost:${service.port}` },
        body: '{"slug":"stolen"}',
      })
      expect([403, 415]).toContain(response.status)
    }
  },
  'credentials:include': async () => {
    const response = await fetch(`${service.url}/api/auth/me`, {
      headers: { cookie, origin: `http://docs.localhost:${service.port}` },
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  },
  'window.open': async () => {
    const response = await fetch(`${service.url}/dashboard`)
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  },
  'service worker': async () => {
    const response = await getSite(service.port, 'docs.localhost', '/index.md', { 'service-worker': 'script' })
    expect(response.status).toBe(403)
  },
  'parent domain shared': async () => {
    expect(originProblem({ publicUrl: 'https://app.example.com', previewDomain: 'docs.example.com' })).not.toBeNull()
    expect(originProblem({ publicUrl: 'https://app.example.com', previewDomain: 'example-docs.net' })).toBeNull()
    const settings = { PUBLIC_URL: 'https://app.example.com', PREVIEW_DOMAIN: 'docs.example.com' }
    await expect(startTestService(settings, { builder: new FakeBuilder() })).rejects.toMatchObject({
      code: 'unavailable',
    })
  },
}

describe('what a tenant’s page tries with cookies comes to nothing', () => {
  it.each(Object.entries(attempts))('%s', (_, expectNothing) => expectNothing())

  it('and that is every case of the collection', () => {
    const cases: { act: string }[] = JSON.parse(readFileSync(join(hostile, 'http/97-cookies.json'), 'utf8'))
    const untried = cases.filter(({ act }) => !Object.keys(attempts).some((words) => act.includes(words)))
    expect(untried).toEqual([])
  })
})
