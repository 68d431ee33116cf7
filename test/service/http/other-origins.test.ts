import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const origin = 'https://elsewhere.example'

let service: TestService
let project: ProjectAccess
let entry: string

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder(), texts: new FakeTexts() })
  project = await createProject(service.url, 'leaves')
  const params = { slug: project.slug }
  const add = (title: string, draft: boolean) =>
    project.client.call(contract.changelog.create, { params, body: { title, content: 'Text', is_draft: draft } })
  entry = (await add('Told', false)).id
  await add('Secret', true)
})
afterAll(() => service.close())

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${service.url}/api/projects/${project.slug}${path}`, {
    ...init,
    headers: { origin, ...(init.headers as Record<string, string> | undefined) },
  })

const paths = () => ['/changelog', `/changelog/${entry}`, '/changelog/rss', '/changelog/atom', '/changelog/feed.json']

describe('scripts of other origins', () => {
  it('read feeds and what is published of the changelog', async () => {
    for (const path of paths()) {
      const answer = await ask(path)
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 200, '*'])
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  it('learn why they are refused, and follow a project that was renamed', async () => {
    const refused = await ask('/changelog/none')
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([404, '*'])
  })

  it('ask with what they have whether it is still right', async () => {
    for (const path of paths()) {
      const preflight = await ask(path, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.headers.get('access-control-allow-headers')).toContain('if-none-match')
      expect(preflight.headers.get('access-control-allow-headers')).not.toContain('authorization')
      expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    }
    const etag = (await ask('/changelog/rss')).headers.get('etag') ?? ''
    const again = await ask('/changelog/rss', { headers: { 'if-none-match': etag } })
    expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*'])
  })

  it('do not read what a member sees', async () => {
    for (const path of ['/changelog', `/changelog/${entry}`]) {
      const answer = await ask(path, { headers: { authorization: `Bearer ${project.key}` } })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null])
    }
    const cookie = `quire_session=${project.session}`
    const answer = await ask('/changelog', { headers: { cookie } })
    expect(await answer.text()).toContain('Secret')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('read nothing else of the API', async () => {
    const others = Object.values(contract).flatMap((verbs) =>
      Object.values(verbs as Readonly<Record<string, Endpoint>>).filter(
        ({ method, anyOrigin, stream }) => method === 'GET' && anyOrigin !== true && stream !== true,
      ),
    )
    for (const { path } of others) {
      const url = service.url + path.replace(':slug', project.slug).replace(/:[a-z]+\*?/, 'none')
      const answer = await fetch(url, { headers: { origin, authorization: `Bearer ${project.session}` } })
      expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, null])
      const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin } })
      expect([path, preflight.headers.get('access-control-allow-origin')]).toEqual([path, null])
    }
  })
})
