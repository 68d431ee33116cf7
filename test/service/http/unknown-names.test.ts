import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import type { Problem } from '#contract/common.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { namesProject } from './access-table/ask.ts'
import { anyParams, samples, type Sample } from '#test/support/http/access-table/samples.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { endpoints } from '#test/support/endpoints.ts'
import { createProject, unlimited, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let project: ProjectAccess

beforeAll(async () => {
  const environment = { ...unlimited, RATE_SIGN_IN: '100000', RATE_DEVICE: '100000', RATE_WEBHOOKS: '100000' }
  service = await startTestService(environment, { builder: new FakeBuilder(), texts: new FakeTexts() })
  project = await createProject(service.url, 'subject')
})
afterAll(() => service.close())

const strict = endpoints.filter(([, { oauth }]) => oauth !== true)

interface Sent {
  readonly query?: string
  readonly body?: unknown
}

async function send(endpoint: Endpoint, { query = '', body }: Sent): Promise<{ status: number; text: string }> {
  const { method, path } = endpoint
  const filled = path.replace(/:([A-Za-z]+)\*?/g, (_, name: string) =>
    name === 'slug' ? project.slug : (anyParams[name] ?? 'none'),
  )
  const own = namesProject(endpoint) ? `project=${project.slug}&` : ''
  const response = await fetch(`${service.url}${filled}?${own}${query}`, {
    method,
    headers: { authorization: `Bearer ${project.session}`, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  })
  return { status: response.status, text: await response.text() }
}

async function refused(endpoint: Endpoint, sent: Sent): Promise<Problem> {
  const { status, text } = await send(endpoint, sent)
  const problem = JSON.parse(text) as Problem
  expect(`${status} ${problem.code}`).toBe('400 invalid_request')
  return problem
}

async function bodyOf(operation: string): Promise<Readonly<Record<string, unknown>>> {
  const sample = samples[operation]
  // None of those that ask something of a world beforehand has a body that needs it.
  const made: Sample =
    typeof sample === 'function' ? await sample(undefined as never).catch(() => ({})) : (sample ?? {})
  return { ...(made.body as Readonly<Record<string, unknown>> | undefined) }
}

describe('a name that an endpoint does not know is refused', () => {
  it.each(strict)('in the query of %s', async (_operation, endpoint) => {
    const { errors } = await refused(endpoint, { query: 'frobnicate=1' })
    expect(errors).toContainEqual({ pointer: '/frobnicate', message: expect.stringContaining('is not known') })
  })

  const query = (endpoint: Endpoint): string => {
    const { required = [] }: Shape = endpoint.query ?? {}
    return required.map((name) => `${name}=none`).join('&')
  }

  it.each(strict.filter(([, { method }]) => method !== 'GET'))('in the body of %s', async (operation, endpoint) => {
    const body = { ...(await bodyOf(operation)), frobnicate: 1 }
    const { errors } = await refused(endpoint, { body, query: query(endpoint) })
    expect(errors).toEqual([{ pointer: '/frobnicate', message: expect.stringContaining('is not known') }])
  })
})

interface Shape {
  readonly type?: string
  readonly additionalProperties?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
}

function* objectsIn(shape: Shape): Generator<Shape> {
  if (shape.type === 'object') yield shape
  const parts = [shape.items ?? [], shape.anyOf ?? [], shape.allOf ?? [], Object.values(shape.properties ?? {})].flat()
  for (const part of parts) yield* objectsIn(part)
}

describe('the description of the API', () => {
  it('says of every object in every body, at all depths, that it takes nothing else', async () => {
    const document = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Shape }> } }>>
    }
    const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ requestBody }) =>
        Object.values(requestBody?.content ?? {}).map(({ schema }) => ({ path, schema })),
      ),
    )
    const objects = bodies
      // RFC 6749, 3.2: parameters that are not known are ignored.
      .filter(({ path }) => !['/api/auth/device', '/api/auth/device/token'].includes(path))
      .flatMap(({ path, schema }) => [...objectsIn(schema)].map((object) => ({ path, object })))
    expect(objects.length).toBeGreaterThan(25)
    expect(objects.filter(({ object }) => object.additionalProperties !== false).map(({ path }) => path)).toEqual([])
  })
})

describe('what was meant is told', () => {
  const { publish, commit, create } = contract.branches
  it.each([
    ['publish', publish, { branch_id: 'x' }, '/branch_id', 'branchId'],
    ['a key', contract.keys.create, { name: 'k', scope: ['read'] }, '/scope', 'scopes'],
    [
      'a save',
      commit,
      { changes: [{ path: 'a.md', content: 'a', expected_oid: null }] },
      '/changes/0/expected_oid',
      'expectedOid',
    ],
    ['an entry', contract.changelog.create, { title: 't', content: 'c', isDraft: false }, '/isDraft', 'is_draft'],
    [
      'a webhook',
      contract.webhooks.create,
      { url: 'https://example.com/', event: ['deploy.failed'] },
      '/event',
      'events',
    ],
    ['a branch', create, { nmae: 'x' }, '/nmae', 'name'],
    [
      'a resolution',
      publish,
      { branchId: 'x', resolutions: [{ path: 'a.md', use: 'main', seen: { mian: null } }] },
      '/resolutions/0/seen/mian',
      'main',
    ],
  ] as const)('for %s', async (_what, endpoint, body, pointer, meant) => {
    const { detail, errors } = await refused(endpoint, { body })
    expect(errors?.[0]).toEqual({ pointer, message: `is not known (did you mean ${meant}?)` })
    expect(detail).toContain(`${pointer} is not known (did you mean ${meant}?)`)
  })

  it('in the query, too', async () => {
    const { errors } = await refused(contract.branches.list, { query: 'limt=5' })
    expect(errors).toEqual([{ pointer: '/limt', message: 'is not known (did you mean limit?)' }])
  })

  it('or what is known, where nothing is near', async () => {
    const { errors } = await refused(contract.deploys.rollback, { body: { slug: 'x', deployId: 'y' } })
    expect(errors).toEqual([{ pointer: '/slug', message: 'is not known (known: deployId)' }])
    const none = await refused(contract.projects.read, { query: 'expand=live' })
    expect(none.errors).toEqual([{ pointer: '/expand', message: 'is not known: nothing is taken here' }])
  })

  it('together with what is missing', async () => {
    const { errors } = await refused(contract.keys.create, { body: { title: 'x' } })
    expect(errors?.map(({ pointer }) => pointer)).toEqual(['/title', '/name'])
  })

  it('of alternatives that were mixed', async () => {
    const resolutions = [{ path: 'a.md', use: 'main', content: 'mine' }]
    const { errors } = await refused(contract.branches.publish, { body: { branchId: 'x', resolutions } })
    expect(errors?.map(({ pointer }) => pointer)).toEqual(['/resolutions/0/content', '/resolutions/0/use'])
  })

  it('of at most fifty, with a long name cut', async () => {
    const names = Array.from({ length: 500 }, (_, index) => [`n${index}`, 1] as const)
    const body = { name: 'k', ['x'.repeat(5000)]: 1, ...Object.fromEntries(names) }
    const { errors } = await refused(contract.keys.create, { body })
    expect(errors).toHaveLength(50)
    expect(errors?.[0]?.pointer?.length).toBeLessThan(110)
  })
})

describe('a refusal changes nothing', () => {
  it('publishes nothing, makes no key, overwrites no file', async () => {
    const owner = createClient({ baseUrl: service.url, token: project.session })
    const params = { slug: project.slug }
    await owner.call(contract.deploys.create, {
      query: { project: project.slug },
      body: { files: [{ path: 'a.md', content: 'first' }] },
    })
    const branch = await owner.call(contract.branches.create, { params, body: { name: 'work' } })
    const state = async () => ({
      deploys: (await owner.call(contract.deploys.list, { params })).items.length,
      keys: (await owner.call(contract.keys.list, { params })).items.length,
      head: (await owner.call(contract.branches.read, { params: { ...params, id: branch.id } })).head,
    })
    const before = await state()
    await refused(contract.branches.publish, { body: { branch_id: branch.id } })
    await refused(contract.keys.create, { body: { name: 'k', scope: ['read'] } })
    const changes = [{ path: 'a.md', content: 'second', expected_oid: '0'.repeat(40) }]
    const commit = { ...contract.branches.commit, path: contract.branches.commit.path.replace(':id', branch.id) }
    await refused(commit as Endpoint, { body: { changes } })
    expect(await state()).toEqual(before)
  })
})

describe('what OAuth says to ignore', () => {
  it('is ignored: parameters that the endpoint does not know', async () => {
    const response = await fetch(`${service.url}/api/auth/device?x=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'client_id=quire-cli&resource=https%3A%2F%2Fexample.com',
    })
    expect(response.status).toBe(200)
  })
})
