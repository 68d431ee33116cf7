import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { contract } from '../../src/contract/index.ts'
import { FakeBuilder } from '../support/fake-builder.ts'
import { createProject, type ProjectAccess } from '../support/service-process.ts'
import { startTestService, type TestService } from '../support/service.ts'

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

it('a key without the scope may not ask for it', async () => {
  const call = project.client.call(contract.projects.fsck, { params: { slug: 'docs' } })
  await expect(call).rejects.toMatchObject({ code: 'forbidden' })
})
