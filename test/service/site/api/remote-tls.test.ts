import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import { createFetcher } from '#webhooks/fetcher.ts'
import { Guard } from '#webhooks/guard.ts'
import { certificate, privateKey } from '#test/support/certificate.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { recordingPool } from '#test/support/site/support/recording-pool.ts'
import { pets, siteWith } from '#test/support/site/api/pets.ts'

let pool: RenderPool
beforeAll(async () => {
  pool = await sharedRenderPool()
})

/** What is said next, and what was asked with which tag and answered how. */
let remote: {
  text: string
  isBroken: boolean
  answers: (readonly [path: string, tag: string | undefined, status: number])[]
}
const server = createServer({ cert: certificate, key: privateKey }, ({ url = '', headers }, response) => {
  const etag = `"${remote.text.includes('**all**') ? 'one' : 'two'}"`
  const tag = headers['if-none-match']
  const status = remote.isBroken ? 503 : tag === etag ? 304 : 200
  remote.answers.push([url, tag, status])
  response.writeHead(status, { etag }).end(status === 200 ? remote.text : undefined)
})
let address = ''

beforeEach(async () => {
  remote = { text: JSON.stringify(pets), isBroken: false, answers: [] }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  address = `https://hook.localhost:${(server.address() as AddressInfo).port}/openapi.json`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** A project whose service trusts these certificates, and may ask the server of this test. */
function projectThat(trusts: { readonly ca?: string }) {
  const guard = new Guard({
    allowHosts: [new URL(address).host],
    ownHost: 'quire.example',
    previewDomain: 'sites.example',
    lookup: () => Promise.reject(new Error('only the host of this test is asked')),
    systemLookup: () => Promise.resolve(['127.0.0.1']),
  })
  const project = new TestProject(recordingPool(pool))
  project.fetch = createFetcher({ guard, userAgent: 'test', ...trusts })
  return project
}

const build = (project: TestProject) =>
  project.build(siteWith({ groups: [{ group: 'API', openapi: address }] }), { refetch: true })
const list = (project: TestProject) => project.text('/api-reference/pets/list-pets') ?? 'nothing'

test('a description is read over TLS, asked for by its tag, and kept as it was while its server fails', async () => {
  const project = projectThat({ ca: certificate })
  const first = await build(project)
  expect([first.errors, first.warnings]).toEqual([[], []])
  expect(list(project)).toContain('Lists <strong>all</strong> pets.')

  project.newBuilder()
  const same = await build(project)
  expect([same.warnings, project.pool.rendered]).toEqual([[], []])

  remote.isBroken = true
  const failed = await build(project)
  expect(failed.errors).toEqual([])
  expect(failed.warnings).toMatchObject([
    { rule: 'api-remote', message: expect.stringMatching(/answers with status 503\. What it said on .* is shown\.$/) },
  ])
  expect(list(project)).toContain('Lists <strong>all</strong> pets.')

  remote.isBroken = false
  remote.text = remote.text.replace('**all**', '*some*')
  const changed = await build(project)
  expect(changed.warnings).toEqual([])
  expect(list(project)).toContain('Lists <em>some</em> pets.')
  expect(remote.answers).toEqual([
    ['/openapi.json', undefined, 200],
    ['/openapi.json', '"one"', 304],
    ['/openapi.json', '"one"', 503],
    ['/openapi.json', '"one"', 200],
  ])
})

test('a server whose certificate nobody trusts is not read, and one that stops leaves its copy', async () => {
  const strict = projectThat({})
  const refused = await build(strict)
  expect(refused.errors).toEqual([])
  expect(refused.warnings).toMatchObject([
    {
      rule: 'api-remote',
      message: expect.stringMatching(/cannot be reached \(\w*SELF_SIGNED\w*\)\. What it describes is missing\.$/),
    },
  ])
  expect(remote.answers).toEqual([])

  const project = projectThat({ ca: certificate })
  await build(project)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  const gone = await build(project)
  expect(gone.warnings).toMatchObject([{ rule: 'api-remote', message: expect.stringContaining('is shown.') }])
  expect(list(project)).toContain('Lists <strong>all</strong> pets.')
})
