import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
  await desk.deploy({ 'index.md': 'main', 'old.md': 'old' })
})

const send = (
  branch: string,
  files: Readonly<Record<string, string>>,
  more: { expectedHead?: string; message?: string } = {},
  client = desk.client,
): Promise<Branch> =>
  client.call(contract.previews.create, {
    body: { branch, files: Object.entries(files).map(([path, content]) => ({ path, content })), ...more },
  })
const close = (branch: string, expectedHead?: string): Promise<unknown> =>
  desk.client.call(contract.previews.remove, {
    query: { branch, ...(expectedHead === undefined ? {} : { expectedHead }) },
  })
const commits = (branch: string): number => Number(desk.git('rev-list', '--count', `main..${branch}`))

describe('a branch that is made of files', () => {
  it('holds exactly these, in one commit on main, and is seen as a preview', async () => {
    const branch = await send('PR 12'.toLowerCase(), { 'index.md': 'new', 'added.md': 'x' }, { message: 'Send it' })
    expect(branch).toMatchObject({ name: 'pr-12', changes: { added: 1, modified: 1, deleted: 1 } })
    expect(desk.git('log', '-1', '--format=%s', 'pr-12')).toBe('Send it')
    expect((await desk.previewed(branch)).preview).toMatchObject({ status: 'live', commit: branch.head })
    expect((await desk.preview(branch, '/added.md')).text).toBe('x')
    expect((await desk.preview(branch, '/old.md')).status).toBe(404)
    expect((await desk.site('/old.md')).text).toBe('old')
  })

  it('is updated by the next files, and not at all by the same ones', async () => {
    const first = await send('pr', { 'index.md': 'one' })
    const again = await send('pr', { 'index.md': 'one' })
    expect([again.id, again.head]).toEqual([first.id, first.head])
    const second = await send('pr', { 'index.md': 'two' })
    expect(second.id).toBe(first.id)
    expect(commits('pr')).toBe(2)
  })

  it('keeps what somebody saved on it, and says who, until the files have it or its commit is named', async () => {
    const branch = await send('pr', { 'index.md': 'one' })
    await desk.save(branch, 'index.md', 'a person’s')
    const { head } = await desk.read(branch)
    const refusal = await refusalOf(send('pr', { 'index.md': 'two' }))
    expect(refusal).toMatchObject({
      code: 'branch_edited',
      status: 409,
      extra: { head },
      errors: [{ path: 'index.md' }],
    })
    expect(refusal.message).toContain('saved “Update index.md”')
    expect((await refusalOf(close('pr'))).code).toBe('branch_edited')
    expect((await desk.read(branch)).head).toBe(head)

    // Taken over into the files, it goes through, and so does what follows.
    await send('pr', { 'index.md': 'a person’s' })
    const third = await send('pr', { 'index.md': 'three' })
    await desk.save(branch, 'index.md', 'once more')
    expect((await refusalOf(send('pr', { 'index.md': 'four' }, { expectedHead: third.head }))).code).toBe(
      'branch_edited',
    )
    const now = (await desk.read(branch)).head
    expect((await send('pr', { 'index.md': 'four' }, { expectedHead: now })).head).not.toBe(now)
  })

  it('takes a branch over that has nothing of its own, and no other', async () => {
    await desk.branch('untouched')
    expect(await send('untouched', { 'index.md': 'sent' })).toMatchObject({ changes: { modified: 1, deleted: 1 } })
    await desk.save(await desk.branch('work'), 'index.md', 'work')
    expect((await refusalOf(send('work', { 'index.md': 'sent' }))).code).toBe('branch_edited')
  })

  it('goes when it is closed; that it is gone already is told', async () => {
    await send('pr', { 'index.md': 'one' })
    await close('pr')
    expect(await desk.list()).toEqual([])
    expect((await refusalOf(close('pr'))).code).toBe('not_found')
  })

  it('takes content that the service has by its id, and makes no branch for files that cannot be one', async () => {
    const oid = desk.git('rev-parse', 'main:old.md')
    const file = (path: string, id: string) =>
      desk.client.call(contract.previews.create, { body: { branch: 'pr', files: [{ path, oid: id }] } })
    expect((await refusalOf(file('a.md', '0'.repeat(40)))).code).toBe('missing_objects')
    expect((await refusalOf(file('../a.md', oid))).code).toBe('invalid_path')
    expect(await desk.list()).toEqual([])
    expect((await desk.preview(await desk.previewed(await file('a.md', oid)), '/a.md')).text).toBe('old')
  })

  it('is there before main is', async () => {
    const empty = await openDesk(service)
    const branch = await send('first', { 'index.md': 'first' }, {}, empty.client)
    expect((await empty.preview(await empty.previewed(branch), '/index.md')).text).toBe('first')
  })
})

describe('the plan', () => {
  it('counts a branch that is made of files as any other, and its updates not at all', async () => {
    const free = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder(), now: noonClock() })
    try {
      const poor = await openDesk(free)
      await poor.deploy({ 'index.md': 'main' })
      for (const text of ['one', 'two', 'three']) await send('pr', { 'index.md': text }, {}, poor.client)
      const { generations, deploys } = await poor.client.call(contract.usage.read, { params: { slug: poor.slug } })
      expect([generations.used, deploys.used]).toEqual([1, 1])
      expect((await refusalOf(send('pr-2', { 'index.md': 'one' }, {}, poor.client))).code).toBe('quota_exceeded')
      expect(await poor.list()).toHaveLength(1)
    } finally {
      await free.close()
    }
  })
})
