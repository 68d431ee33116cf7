import { afterAll, beforeAll, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let project: ProjectAccess

beforeAll(async () => {
  service = await startTestService()
  project = await createProject(service.url, 'pets')
})
afterAll(() => service.close())

it.each([
  ['https://169.254.169.254/latest', 'The address 169.254.169.254 is not public: it is link-local.'],
  ['https://intranet.corp/openapi.json', 'The host intranet.corp is a local name, not a public one.'],
  ['https://192.0.0.1:22/openapi.json', 'The URL’s port is 22; allowed are 443 and 8443.'],
  ['https://key:secret@api.pets.example/openapi.json', 'The URL has a user name or password in it.'],
])('a description is not asked for where no webhook may go, and the site goes live: %s', async (openapi, why) => {
  const files = [
    { path: 'docs.json', content: JSON.stringify({ navigation: { groups: [{ group: 'API', openapi }] } }) },
    { path: 'index.mdx', content: '[Pets](/pets)' },
    { path: 'pets.mdx', content: `---\nopenapi: "${openapi}x GET /pets"\n---\n` },
  ]
  const check = await project.client.call(contract.checks.create, { body: { files } })
  expect(check.errors).toEqual([])
  const told = check.warnings.filter(({ rule }) => rule === 'api-remote').map(({ message }) => message)
  expect(told).toEqual([
    `"${openapi}" cannot be read: ${why} What it describes is missing.`,
    `"${openapi}x" cannot be read: ${why} What it describes is missing.`,
  ])
})
