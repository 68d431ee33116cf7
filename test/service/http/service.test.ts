import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Endpoint } from '#contract/endpoint.ts'
import { failureCodes } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject } from '#test/support/service-process.ts'
import { endpoints } from '#test/support/endpoints.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())

/** Another one with settings of its own. */
async function start(settings: Record<string, string>): Promise<TestService> {
  const other = await startTestService(settings, { builder: new FakeBuilder() })
  onTestFinished(() => other.close())
  return other
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { name: string; in: string; description?: string }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: unknown }> }>>
  readonly security: readonly unknown[]
  readonly 'x-access': string
}
interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Record<string, unknown>; readonly securitySchemes: Record<string, unknown> }
}

describe('the description of the API', () => {
  it('is OpenAPI 3.1 and has every endpoint of the contract with its parameters, bodies and refusals', async () => {
    const document = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as Document
    expect(document.openapi).toMatch(/^3\.1\.\d$/)
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer', 'session'])
    for (const [noun, verbs] of Object.entries(contract)) {
      for (const [verb, endpoint] of Object.entries<Endpoint>(verbs)) {
        const path = endpoint.path.replace(/:(\w+)\*?/g, '{$1}')
        const operation = document.paths[path]?.[endpoint.method.toLowerCase()]
        expect(operation?.operationId).toBe(`${noun}.${verb}`)
        const inPath = operation?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
        expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
        expect(operation?.responses[String(endpoint.status)]).toBeDefined()
        const isPublic = endpoint.access === 'public'
        expect(operation?.security.length).toBe(isPublic ? (endpoint.members === true ? 3 : 0) : 2)
        for (const code of endpoint.failures ?? []) {
          expect(JSON.stringify(operation?.responses[String(failureCodes[code].status)])).toContain(`"${code}"`)
        }
      }
    }
  })

  it('tells of every endpoint of a project who is refused, and of deploys that they may go on after the answer', async () => {
    const { paths } = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as Document
    const asynchronous: string[] = []
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      const { operationId, responses, parameters } = operation
      if (!['public', 'account'].includes(operation['x-access']))
        expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['401', '403', '404']))
      // What always goes on after its answer has no other.
      const mayGoOn = responses['202'] !== undefined && (responses['200'] ?? responses['201']) !== undefined
      if (mayGoOn) asynchronous.push(operationId)
      expect(parameters.some(({ name }) => name === 'Prefer')).toBe(mayGoOn)
    }
    expect(asynchronous).toEqual(['deploys.create', 'branches.publish'])
    expect(paths['/api/auth/login']?.['post']?.responses).toHaveProperty('401')
  })

  it('says which answers come as JSON or as events', async () => {
    const { paths } = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as Document
    const { content = {} } = (paths['/api/proxy/generate']?.['post']?.responses['200'] ?? {}) as { content?: object }
    expect(Object.keys(content)).toEqual(['application/json', 'text/event-stream'])
  })

  it('says what every parameter is, and that anybody may be asked to wait', async () => {
    const { paths } = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as Document
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      const silent = operation.parameters.filter(({ description }) => description === undefined)
      expect(silent.map(({ name }) => `${operation.operationId} ${name}`)).toEqual([])
      expect(operation.responses['429']).toMatchObject({ headers: { 'Retry-After': { schema: { type: 'integer' } } } })
    }
  })

  it('resolves all its references', async () => {
    const text = await (await fetch(`${service.url}/api/openapi.json`)).text()
    const document = JSON.parse(text) as Document
    for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name)
    }
  })

  it('is also a page for people, that loads nothing', async () => {
    const response = await fetch(`${service.url}/api/docs`)
    const html = await response.text()
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const code of Object.keys(failureCodes)) expect(html).toContain(`id="${code}"`)
    expect(html).not.toMatch(/<script|<link|src=/)
    expect(html.split('<code>text/event-stream</code>')).toHaveLength(
      1 + endpoints.filter(([, { stream }]) => stream === true).length,
    )
  })
})

describe('the service', () => {
  it('says that it is well, and tells strangers nothing of what protects it', async () => {
    const health: unknown = await (await fetch(`${service.url}/healthz`)).json()
    expect(health).toEqual({ status: 'ok', version: expect.any(String) })
  })

  it('counts in the format of Prometheus', async () => {
    const project = await createProject(service.url, 'counted')
    await project.client.call(contract.deploys.create, { body: { files: [{ path: 'a.md', content: 'a' }] } })
    const text = await (await fetch(`${service.url}/metrics`)).text()
    expect(text).toContain('quire_deploys_total{kind="deploy",status="live"} 1')
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toContain('quire_collections_total{status="done"} 0')
    expect(text).toContain('quire_collections_total{status="failed"} 0')
    expect(text).toMatch(/^quire_http_requests_total\{kind="api",method="POST",status="201"\} \d+$/m)
  })

  it('counts documents that are set aside', async () => {
    const measured = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text()
    await createProject(service.url, 'damaged')
    expect(await measured()).toContain('\nquire_documents_set_aside 0\n')
    await service.restart(() => writeFile(join(service.directory, 'damaged.json'), '{'))
    expect(await measured()).toContain('\nquire_documents_set_aside 1\n')
    expect(await measured()).toContain('\nquire_read_only 0\n')
  })

  it('tells strangers no numbers where others reach it, but whoever has the token', async () => {
    const settings = { PUBLIC_URL: 'https://app.example.com', PREVIEW_DOMAIN: 'sites.example.net' }
    const token = 'a-token-of-the-operator'
    const without = await start(settings)
    const reached = await start({ ...settings, METRICS_TOKEN: token })
    const status = async ({ url }: TestService, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(`${url}/metrics`, { headers })).status
    expect(await status(without)).toBe(404)
    expect(await status(reached)).toBe(401)
    expect(await status(reached, { authorization: 'Bearer another-token-of-somebody' })).toBe(401)
    expect(await status(reached, { authorization: `Bearer ${token}` })).toBe(200)
  })

  it('answers with headers that keep other sites out', async () => {
    const { headers } = await fetch(`${service.url}/api/auth/me`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('permissions-policy')).toContain('microphone=()')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })
})

it('says for how long a slug that was left is kept', async () => {
  const days = async (url: string): Promise<unknown> => (await fetch(`${url}/api/service`)).json()
  expect(await days(service.url)).toMatchObject({ slugReservedDays: 90 })
  const short = await start({ SLUG_RESERVED_DAYS: '7' })
  expect(await days(short.url)).toMatchObject({ slugReservedDays: 7 })
})

describe('how to get another plan', () => {
  const facts = async (url: string): Promise<unknown> => (await fetch(`${url}/api/service`)).json()

  it('is said in the operator’s words, and not at all where there are none', async () => {
    expect(await facts(service.url)).not.toHaveProperty('planChange')
    const told = await start({ PLAN_CHANGE_TEXT: 'Ask Ada.', PLAN_CHANGE_URL: 'mailto:ada@example.com' })
    expect(await facts(told.url)).toMatchObject({ planChange: { text: 'Ask Ada.', url: 'mailto:ada@example.com' } })
    const linked = await start({ PLAN_CHANGE_URL: 'https://example.com/plans' })
    expect(await facts(linked.url)).toMatchObject({ planChange: { url: 'https://example.com/plans' } })
  })
})
