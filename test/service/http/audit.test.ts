import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import type { AuditEntry } from '#contract/audit.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let owner: Client
let robot: Client
const slug = 'mine'
const params = { slug }

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
  const { session, client } = await createProject(service.url, slug)
  owner = createClient({ baseUrl: service.url, token: session })
  robot = client
})
afterAll(() => service.close())

const entries = async (): Promise<AuditEntry[]> => (await owner.call(contract.audit.list, { params })).items
const actions = async (): Promise<string[]> => (await entries()).map(({ action }) => action)

it('begins with the project and tells who made which key, from where', async () => {
  const [key, project] = await entries()
  expect(project).toMatchObject({ action: 'projects.create', target: slug, actor: { kind: 'account' } })
  expect(key).toMatchObject({
    action: 'keys.create',
    actor: { kind: 'account', name: 'mine@example.com' },
    address: '127.0.0.1',
    target: expect.stringMatching(/^key_/) as string,
    detail: 'test: read, write, deploy, generate',
  })
})

it('records what keys do by the key, with what it was done to', async () => {
  const deploy = await robot.call(contract.deploys.create, { body: { files: [{ path: 'a.md', content: 'a' }] } })
  const [entry] = await entries()
  expect(entry).toMatchObject({
    action: 'deploys.create',
    actor: { kind: 'key', name: 'test' },
    target: deploy.id,
  })
})

it('names branches, which it outlives', async () => {
  const branch = await owner.call(contract.branches.create, { params, body: { name: 'next' } })
  const file = { ...params, id: branch.id, path: 'b.md' }
  await owner.call(contract.branches.saveFile, { params: file, body: { content: 'b' } })
  const restored = { params: { ...params, id: branch.id }, body: { path: 'b.md' } }
  await owner.call(contract.branches.restore, restored)
  await owner.call(contract.branches.remove, { params, query: { id: branch.id } })
  const [removed, takenBack, saved] = await entries()
  expect(takenBack).toMatchObject({ action: 'branches.restore', target: `${branch.id} b.md`, detail: 'next' })
  expect(saved).toMatchObject({ action: 'branches.saveFile', target: `${branch.id} b.md`, detail: 'next' })
  expect(removed).toMatchObject({ action: 'branches.remove', target: branch.id, detail: 'next' })
})

it('records neither reads nor what was refused', async () => {
  const before = await actions()
  await owner.call(contract.projects.read, { params })
  await refusalOf(robot.call(contract.keys.create, { params, body: { name: 'no' } }))
  await refusalOf(owner.call(contract.keys.revoke, { params, query: { id: 'key_none' } }))
  await refusalOf(robot.call(contract.deploys.create, { body: { files: [{ path: 'broken.md', content: '' }] } }))
  expect(await actions()).toEqual(before)
})

it('pages and filters, and refuses a cursor that it did not give', async () => {
  for (const title of ['One', 'Two', 'Three']) await owner.call(contract.projects.update, { params, body: { title } })
  const query = { limit: 2, action: 'projects.update' }
  const first = await owner.call(contract.audit.list, { params, query })
  expect(first.items).toHaveLength(2)
  const second = await owner.call(contract.audit.list, { params, query: { ...query, cursor: first.nextCursor ?? '' } })
  expect(second.items).toHaveLength(1)
  const wrong = await refusalOf(owner.call(contract.audit.list, { params, query: { cursor: 'nonsense' } }))
  expect(wrong.code).toBe('invalid_request')
})

it('goes with its project: one of the same name has a log of its own', async () => {
  await owner.call(contract.projects.remove, { params })
  await expect(access(join(service.directory, slug))).rejects.toThrow('ENOENT')
  await owner.call(contract.projects.create, { body: { slug } })
  expect(await actions()).toEqual(['projects.create'])
})
