import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import type { NewComment } from '#contract/comments.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { join } from '#test/support/members.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const slug = 'talk'
const password = 'correct horse battery'
let service: TestService
let owner: Client
let robot: Client

beforeAll(async () => {
  service = await startTestService({ RATE_BRANCHES: '1000' }, { builder: new FakeBuilder() })
  const { session, client } = await createProject(service.url, slug)
  owner = createClient({ baseUrl: service.url, token: session })
  robot = client
})
afterAll(() => service.close())

async function writer(name: string): Promise<Client> {
  const email = `${name}@example.com`
  const anybody = createClient({ baseUrl: service.url })
  const { token } = await anybody.call(contract.accounts.signup, { body: { email, password } })
  const client = createClient({ baseUrl: service.url, token })
  await join(owner, slug, { client, email })
  return client
}

const branch = async (name: string) =>
  (await owner.call(contract.branches.create, { params: { slug }, body: { name } })).id
const say = (client: Client, id: string, body: NewComment) =>
  client.call(contract.comments.create, { params: { slug, id }, body })
const list = (id: string, client = owner) => client.call(contract.comments.list, { params: { slug, id } })
const line = { side: 'branch', number: 3, text: 'Hello' } as const

it('two people talk about a line, and the thread has its place', async () => {
  const [id, bob] = [await branch('line'), await writer('bob')]
  const first = await say(owner, id, { text: 'Why?\nReally?', path: 'index.md', line })
  const second = await say(bob, id, { text: 'Because.', thread: first.thread })
  expect(second).toMatchObject({ path: 'index.md', line, author: { kind: 'account', name: 'bob' }, resolved: false })
  const { items, openThreads } = await list(id)
  expect(items.map(({ text }) => text)).toEqual(['Because.', 'Why?\nReally?'])
  expect(openThreads).toBe(1)
})

it('anybody who writes resolves and reopens; the audit log tells what, and none of the words', async () => {
  const [id, carol] = [await branch('resolve'), await writer('carol')]
  const { id: comment } = await say(owner, id, { text: 'secret words' })
  const params = { slug, id, comment }
  expect(await carol.call(contract.comments.update, { params, body: { resolved: true } })).toMatchObject({
    resolved: true,
  })
  expect((await list(id)).openThreads).toBe(0)
  await carol.call(contract.comments.update, { params, body: { resolved: false } })
  await owner.call(contract.comments.update, { params, body: { text: 'other words' } })
  const { items } = await owner.call(contract.audit.list, { params: { slug }, query: { action: 'comments', limit: 4 } })
  expect(items.map(({ action, target, detail }) => [action, target, detail])).toEqual([
    ['comments.update', `${id} ${comment} edited`, 'resolve'],
    ['comments.update', `${id} ${comment} reopened`, 'resolve'],
    ['comments.update', `${id} ${comment} resolved`, 'resolve'],
    ['comments.create', `${id} ${comment}`, 'resolve'],
  ])
  expect(JSON.stringify(items)).not.toContain('words')
})

it('a writer changes and deletes what is theirs, an owner deletes whatever it is', async () => {
  const [id, dan] = [await branch('rights'), await writer('dan')]
  const [own, others] = [await say(dan, id, { text: 'mine' }), await say(owner, id, { text: 'yours' })]
  const at = (comment: string) => ({ params: { slug, id, comment } })
  expect(await refusalOf(dan.call(contract.comments.remove, at(others.id)))).toMatchObject({ code: 'forbidden' })
  const edit = { ...at(own.id), body: { text: 'no' } }
  expect(await refusalOf(owner.call(contract.comments.update, edit))).toMatchObject({ code: 'forbidden' })
  const { editedAt } = await dan.call(contract.comments.update, { ...at(own.id), body: { text: 'still mine' } })
  expect(editedAt).toBeDefined()
  await owner.call(contract.comments.remove, at(own.id))
  expect((await list(id)).items.map(({ text }) => text)).toEqual(['yours'])
  expect(await refusalOf(dan.call(contract.comments.remove, at(own.id)))).toMatchObject({ code: 'not_found' })
})

it('a key comments under its name, and cannot edit what people wrote', async () => {
  const id = await branch('key')
  const made = await say(robot, id, { text: 'The link checker found nothing.', path: 'index.md' })
  expect(made.author).toMatchObject({ kind: 'key', name: 'test' })
  const { id: comment } = await say(owner, id, { text: 'Good.' })
  const edit = { params: { slug, id, comment }, body: { text: 'no' } }
  expect(await refusalOf(robot.call(contract.comments.update, edit))).toMatchObject({ code: 'forbidden' })
})

it('the answers stay when the first comment of a thread is deleted, and the last takes the thread with it', async () => {
  const id = await branch('first')
  const first = await say(owner, id, { text: 'first', path: 'index.md' })
  const answer = await say(owner, id, { text: 'answer', thread: first.thread })
  await owner.call(contract.comments.remove, { params: { slug, id, comment: first.id } })
  expect((await list(id)).items).toMatchObject([{ text: 'answer', path: 'index.md', thread: first.thread }])
  await owner.call(contract.comments.remove, { params: { slug, id, comment: answer.id } })
  expect(await list(id)).toEqual({ items: [], openThreads: 0 })
  expect(await refusalOf(say(owner, id, { text: 'late', thread: first.thread }))).toMatchObject({ code: 'not_found' })
})

it('comments survive a restart and a rename of the project, and what its author leaves stays without a name', async () => {
  const [id, erin] = [await branch('lasting'), await writer('erin')]
  await say(erin, id, { text: 'I was here' })
  await service.restart()
  await owner.call(contract.projects.update, { params: { slug }, body: { slug: 'renamed' } })
  await erin.call(contract.accounts.remove, { body: { password } })
  const { items } = await owner.call(contract.comments.list, { params: { slug: 'renamed', id } })
  expect(items).toMatchObject([{ text: 'I was here', author: { kind: 'account' } }])
  expect(items[0]?.author).not.toHaveProperty('name')
  await owner.call(contract.projects.update, { params: { slug: 'renamed' }, body: { slug } })
})

it('comments are those of their branch, and go with it', async () => {
  const [id, other] = [await branch('gone'), await branch('stays')]
  const { id: comment, thread } = await say(owner, id, { text: 'here' })
  await say(owner, other, { text: 'there' })
  const elsewhere = { slug, id: other, comment }
  expect(await refusalOf(owner.call(contract.comments.remove, { params: elsewhere }))).toMatchObject({
    code: 'not_found',
  })
  expect(await refusalOf(say(owner, other, { text: 'x', thread }))).toMatchObject({ code: 'not_found' })
  await owner.call(contract.branches.remove, { params: { slug }, query: { id } })
  expect(await refusalOf(list(id))).toMatchObject({ code: 'not_found' })
  expect((await list(other)).items).toHaveLength(1)
})

it.each<[string, NewComment, string]>([
  ['nothing but spaces', { text: ' \n ' }, '/text'],
  ['more than 10,000 characters', { text: 'x'.repeat(10_001) }, '/text'],
  ['a line of no file', { text: 'x', line }, '/path'],
  ['a place in an answer', { text: 'x', thread: 't', path: 'index.md' }, '/thread'],
  ['half a character', { text: '\uD800' }, '/text'],
])('refuses %s with where it is', async (_what, body, pointer) => {
  const id = await branch(`odd-${pointer.slice(1)}-${body.text.length}-${'line' in body}`)
  const refusal = await refusalOf(say(owner, id, body))
  expect(refusal.code).toBe('invalid_request')
  expect(refusal.errors.map((error) => error.pointer)).toEqual([pointer])
})
