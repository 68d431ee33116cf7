import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let project: ProjectAccess
beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
  project = await createProject(service.url, 'docs')
  await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Home' }] } })
})
afterAll(() => service.close())

it('the owner can have the repository checked, and is told what is damaged', async () => {
  const owner = createClient({ baseUrl: service.url, token: project.session })
  const check = () => owner.call(contract.projects.fsck, { params: { slug: 'docs' } })
  expect(await check()).toEqual({ problems: [] })

  const objects = join(service.directory, 'docs.git', 'objects')
  for (const name of await readdir(objects)) {
    if (/^[0-9a-f]{2}$/.test(name)) await rm(join(objects, name), { recursive: true })
  }
  expect((await check()).problems.length).toBeGreaterThan(0)
})
