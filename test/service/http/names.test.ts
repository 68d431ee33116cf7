import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

describe('names that people give', () => {
  let service: TestService
  let session: string
  beforeAll(async () => {
    service = await startTestService({}, { builder: new FakeBuilder() })
    session = (await createProject(service.url, 'leaves')).session
  })
  afterAll(() => service.close())

  it.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['two lines', 'one\ntwo'],
    ['an escape', 'a\u001b[31mred'],
    ['half a character', 'a\ud800'],
  ])('are not %s', async (_what, name) => {
    const client = createClient({ baseUrl: service.url, token: session })
    const params = { slug: 'leaves' }
    const refused = { code: 'invalid_request', errors: [expect.anything()] }
    await expect(client.call(contract.keys.create, { params, body: { name } })).rejects.toMatchObject(refused)
    await expect(client.call(contract.projects.update, { params, body: { title: name } })).rejects.toMatchObject(
      refused,
    )
    await expect(client.call(contract.projects.create, { body: { slug: 'other', title: name } })).rejects.toMatchObject(
      refused,
    )
  })

  it('may have any letters', async () => {
    const client = createClient({ baseUrl: service.url, token: session })
    const params = { slug: 'leaves' }
    const title = 'Листья 🍁 — <b>“1”</b>'
    expect(await client.call(contract.projects.update, { params, body: { title } })).toMatchObject({ title })
    expect(await client.call(contract.keys.create, { params, body: { name: title } })).toMatchObject({ name: title })
  })
})
