import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const params = { slug: 'docs' }
let service: TestService
let project: ProjectAccess

beforeAll(async () => {
  service = await startTestService()
  project = await createProject(service.url, 'docs')
  const files = [{ path: 'index.mdx', content: '# Hello' }]
  await project.client.call(contract.deploys.create, { body: { files } })
})
afterAll(() => service.close())

async function home(etag?: string): Promise<{ status: number; linked: boolean; etag: string }> {
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${service.port}/`, {
    headers: { host: `docs.localhost:${service.port}`, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
  })
  const linked = (await body.text()).includes('href="/changelog"')
  return { status: statusCode, linked, etag: String(headers['etag']) }
}

describe('the link from the site to its changelog', () => {
  it('comes and goes with what is published, without a build', async () => {
    const before = await home()
    expect(before.linked).toBe(false)
    const draft = { title: 'First', content: 'Text' }
    const { id } = await project.client.call(contract.changelog.create, { params, body: draft })
    expect(await home(before.etag)).toMatchObject({ status: 304 })
    await project.client.call(contract.changelog.update, { params, body: { id, is_draft: false } })
    expect(await home(before.etag)).toMatchObject({ status: 200, linked: true })
    await service.restart()
    expect(await home()).toMatchObject({ linked: true })
    await project.client.call(contract.changelog.remove, { params, query: { id } })
    expect(await home(before.etag)).toMatchObject({ status: 304 })
    const deploys = await project.client.call(contract.deploys.list, { params, query: {} })
    expect(deploys.items).toHaveLength(1)
  })
})
