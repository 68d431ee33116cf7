import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire } from '#test/support/command-line.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startTestService } from '#test/support/service.ts'

it('quire rename gives a project another slug, and needs a key that may', async () => {
  const service = await startTestService({}, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  const body = { email: 'ada@example.com', password: 'correct horse battery' }
  const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, { body })
  const owner = createClient({ baseUrl: service.url, token })
  await owner.call(contract.projects.create, { body: { slug: 'docs' } })
  const keyWith = async (scope: 'deploy' | 'admin'): Promise<string> => {
    const params = { slug: 'docs' }
    return (await owner.call(contract.keys.create, { params, body: { name: scope, scopes: ['read', scope] } })).key
  }
  const environment = { QUIRE_URL: service.url }

  const refused = await quire(['rename', 'guides'], { ...environment, SERVICE_API_KEY: await keyWith('deploy') })
  expect(refused).toMatchObject({ code: 4, stdout: '' })
  const key = await keyWith('admin')
  const renamed = await quire(['rename', 'guides', '--json'], { ...environment, SERVICE_API_KEY: key })
  expect({ code: renamed.code, project: JSON.parse(renamed.stdout) as unknown }).toMatchObject({
    code: 0,
    project: { slug: 'guides' },
  })
  expect(renamed.stderr).toContain('docs is guides now')
  const invalid = await quire(['rename', 'No Slug'], { ...environment, SERVICE_API_KEY: key })
  expect(invalid.code).toBe(2)
  expect((await owner.call(contract.projects.list, { query: {} })).items.map(({ slug }) => slug)).toEqual(['guides'])
})
