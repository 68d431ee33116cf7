import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Branch } from '../../src/contract/branches.ts'
import { createClient } from '../../src/client/client.ts'
import { contract } from '../../src/contract/index.ts'
import { FakeBuilder } from '../support/fake-builder.ts'
import { refusalOf } from '../support/refusal.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openDesk, type Desk } from '../branching/support.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

const remove = (branch: Pick<Branch, 'id'>): Promise<undefined> =>
  desk.client.call(contract.branches.remove, { params: { slug: desk.slug }, query: { id: branch.id } })
const statuses = async (branch: Branch): Promise<string[][]> => {
  const { items } = await desk.client.call(contract.branches.files, { params: { slug: desk.slug, id: branch.id } })
  return items.map(({ path, status }) => [path, status])
}

describe('creating a branch', () => {
  it('copies main; spaces in the name become hyphens', async () => {
    const { commit } = await desk.deploy({ 'index.md': 'one', 'guide/start.md': 'start' })
    const branch = await desk.branch('new intro page')
    expect(branch).toMatchObject({
      name: 'new-intro-page',
      head: commit,
      base: commit,
      upToDate: true,
      changes: { added: 0, modified: 0, deleted: 0 },
      previewUrl: `http://${desk.slug}--new-intro-page.localhost:${service.port}`,
    })
    expect(desk.git('rev-parse', 'refs/heads/new-intro-page')).toBe(commit)
    const { items } = await desk.client.call(contract.branches.files, { params: { slug: desk.slug, id: branch.id } })
    expect(items).toEqual([
      { path: 'guide/start.md', status: 'unchanged', oid: expect.any(String), size: 5 },
      { path: 'index.md', status: 'unchanged', oid: expect.any(String), size: 3 },
    ])
  })

  it('copies another branch or a commit when asked to', async () => {
    const { commit } = await desk.deploy({ 'index.md': 'one' })
    const first = await desk.branch('first')
    const { commit: saved } = await desk.save(first, 'index.md', 'two')
    expect((await desk.branch('by-name', 'first')).head).toBe(saved)
    expect((await desk.branch('by-id', first.id)).head).toBe(saved)
    expect((await desk.branch('by-commit', commit)).head).toBe(commit)
    expect((await refusalOf(desk.branch('nothing', 'absent'))).code).toBe('not_found')
    expect((await refusalOf(desk.branch('nothing', '../../HEAD'))).code).toBe('not_found')
    expect((await refusalOf(desk.branch('nothing', 'f'.repeat(40)))).code).toBe('not_found')
  })

  it.each(['main', 'Main', 'ünder', 'a//b', '/a', 'a/', '-a', 'a.b', 'x'.repeat(101), 'refs/a', 'c'.repeat(40), 'con'])(
    'refuses the name %s and says why',
    async (name) => {
      await desk.deploy({ 'index.md': 'one' })
      const refusal = await refusalOf(desk.branch(name))
      expect(refusal).toMatchObject({ code: 'invalid_branch_name', status: 422 })
      expect(refusal.hint).toBeTruthy()
    },
  )

  it('refuses a name that is used, and one that is a folder of others', async () => {
    await desk.deploy({ 'index.md': 'one' })
    await desk.branch('docs/intro')
    expect(await refusalOf(desk.branch('docs/intro'))).toMatchObject({ code: 'branch_exists', status: 409 })
    expect(await refusalOf(desk.branch('docs'))).toMatchObject({ code: 'branch_name_conflict', status: 409 })
    expect(await refusalOf(desk.branch('docs/intro/more'))).toMatchObject({ code: 'branch_name_conflict' })
    expect(await desk.list()).toHaveLength(1)
  })

  it('makes one branch of twenty equal wishes at once', async () => {
    await desk.deploy({ 'index.md': 'one' })
    const wishes = await Promise.allSettled(Array.from({ length: 20 }, () => desk.branch('wanted')))
    expect(wishes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const wish of wishes)
      if (wish.status === 'rejected') expect(wish.reason).toMatchObject({ code: 'branch_exists' })
    expect(await desk.list()).toHaveLength(1)
  })

  it('works before anything was deployed, and the first publish brings the site up', async () => {
    const branch = await desk.branch('begin')
    await desk.save(branch, 'index.md', 'hello')
    expect(await statuses(branch)).toEqual([['index.md', 'added']])
    expect(await desk.publish(branch)).toMatchObject({ status: 'live', number: 1 })
    expect((await desk.site('/index.md')).text).toBe('hello')
  })

  it('that began before the first deploy still merges with what was deployed then', async () => {
    const branch = await desk.branch('begin')
    await desk.save(branch, 'mine.md', 'mine')
    await desk.deploy({ 'index.md': 'theirs' })
    await desk.publish(branch)
    expect((await desk.site('/index.md')).text).toBe('theirs')
    expect((await desk.site('/mine.md')).text).toBe('mine')
  })
})

describe('a branch', () => {
  it('tells added, modified and deleted files; main keeps all of them until the publish', async () => {
    await desk.deploy({ 'keep.md': 'keep', 'edit.md': 'old', 'drop.md': 'drop' })
    const branch = await desk.branch('changes')
    await desk.save(branch, 'edit.md', 'new')
    await desk.save(branch, 'added.md', 'added')
    await desk.client.call(contract.branches.removeFile, {
      params: { slug: desk.slug, id: branch.id, path: 'drop.md' },
    })
    expect(await statuses(branch)).toEqual([
      ['added.md', 'added'],
      ['drop.md', 'deleted'],
      ['edit.md', 'modified'],
      ['keep.md', 'unchanged'],
    ])
    expect((await desk.read(branch)).changes).toEqual({ added: 1, modified: 1, deleted: 1 })
    expect((await desk.site('/drop.md')).text).toBe('drop')
    expect((await desk.site('/edit.md')).text).toBe('old')

    const deploy = await desk.publish(branch)
    expect(deploy).toMatchObject({ kind: 'publish', branch: 'changes', status: 'live' })
    expect(deploy.mergeCommit).toBe(deploy.commit)
    expect((await desk.site('/edit.md')).text).toBe('new')
    expect((await desk.site('/drop.md')).status).toBe(404)
    expect(desk.git('log', '-1', '--format=%P', 'main').split(' ')).toHaveLength(2)
    expect(await desk.list()).toEqual([])
    expect(desk.git('for-each-ref', 'refs/heads', '--format=%(refname)')).toBe('refs/heads/main')
  })

  it('counts only its own changes when main moves on, and has main’s after an update', async () => {
    await desk.deploy({ 'a.md': 'a', 'b.md': 'b' })
    const branch = await desk.branch('behind')
    await desk.save(branch, 'a.md', 'a on the branch')
    await desk.deploy({ 'a.md': 'a', 'b.md': 'b on main', 'c.md': 'c' })
    expect(await desk.read(branch)).toMatchObject({ upToDate: false, changes: { added: 0, modified: 1, deleted: 0 } })
    const updated = await desk.client.call(contract.branches.update, {
      params: { slug: desk.slug, id: branch.id },
      body: {},
    })
    expect(updated).toMatchObject({ upToDate: true, changes: { added: 0, modified: 1, deleted: 0 } })
    expect(desk.git('show', 'behind:b.md')).toBe('b on main')
    expect(desk.git('show', 'behind:a.md')).toBe('a on the branch')
    expect(desk.git('log', '-1', '--format=%P', 'behind').split(' ')).toHaveLength(2)
    const again = await desk.client.call(contract.branches.update, {
      params: { slug: desk.slug, id: branch.id },
      body: {},
    })
    expect(again.head).toBe(updated.head)
  })

  it('that changed nothing is moved to main by an update', async () => {
    await desk.deploy({ 'a.md': 'a' })
    const branch = await desk.branch('idle')
    const { commit } = await desk.deploy({ 'a.md': 'b' })
    const updated = await desk.client.call(contract.branches.update, {
      params: { slug: desk.slug, id: branch.id },
      body: {},
    })
    expect(updated).toMatchObject({ head: commit, upToDate: true })
  })

  it('gone by its deletion does not come back, and its name makes a new one', async () => {
    await desk.deploy({ 'a.md': 'a' })
    const first = await desk.branch('again')
    await remove(first)
    expect(await refusalOf(desk.read(first))).toMatchObject({ code: 'not_found', status: 404 })
    expect((await refusalOf(remove(first))).code).toBe('not_found')
    const second = await desk.branch('again')
    expect(second.id).not.toBe(first.id)
    expect((await refusalOf(desk.save(first, 'a.md', 'x', { 'if-match': '*' }))).code).toBe('not_found')
  })

  it('of another project cannot be told from one that is not there', async () => {
    await desk.deploy({ 'a.md': 'a' })
    const branch = await desk.branch('private')
    const other = await openDesk(service)
    await other.deploy({ 'a.md': 'a' })
    expect((await refusalOf(other.read(branch))).code).toBe('not_found')
    expect((await refusalOf(other.publish(branch))).code).toBe('not_found')
  })

  it('made or deleted by git behind the service’s back is found and forgotten', async () => {
    await desk.deploy({ 'a.md': 'a' })
    desk.git('update-ref', 'refs/heads/from-git', 'refs/heads/main')
    const [found] = await desk.list()
    expect(found).toMatchObject({ name: 'from-git' })
    expect((await desk.list()).map(({ id }) => id)).toEqual([found?.id])
    desk.git('update-ref', '-d', 'refs/heads/from-git')
    expect(await desk.list()).toEqual([])
    expect((await refusalOf(desk.read({ id: found?.id ?? '' }))).code).toBe('not_found')
  })

  it('keeps its id, its age and its preview over a restart', async () => {
    await desk.deploy({ 'a.md': 'a' })
    const branch = await desk.branch('lasting')
    await desk.save(branch, 'a.md', 'b')
    const before = await desk.previewed(branch)
    await service.restart()
    expect(await desk.read(branch)).toEqual(before)
    expect((await desk.preview(branch, '/a.md')).text).toBe('b')
  })
})

describe('listing branches', () => {
  it('shows the newest first, by pages, or the one of a name', async () => {
    await desk.deploy({ 'a.md': 'a' })
    for (const name of ['one', 'two', 'three']) await desk.branch(name)
    const params = { slug: desk.slug }
    const first = await desk.client.call(contract.branches.list, { params, query: { limit: 2 } })
    const { nextCursor: cursor = '' } = first
    const second = await desk.client.call(contract.branches.list, { params, query: { limit: 2, cursor } })
    expect([...first.items, ...second.items].map(({ name }) => name).sort()).toEqual(['one', 'three', 'two'])
    const named = await desk.client.call(contract.branches.list, { params, query: { name: 'two' } })
    expect(named.items.map(({ name }) => name)).toEqual(['two'])
  })
})

describe('keys', () => {
  it('read with read, save with write, publish with deploy', async () => {
    await desk.deploy({ 'a.md': 'a' })
    const branch = await desk.branch('scoped')
    const owner = createClient({ baseUrl: service.url, token: desk.session })
    const withScopes = async (...scopes: ('read' | 'write' | 'deploy')[]) => {
      const { key } = await owner.call(contract.keys.create, {
        params: { slug: desk.slug },
        body: { name: 'k', scopes },
      })
      return createClient({ baseUrl: service.url, token: key })
    }
    const params = { slug: desk.slug, id: branch.id }
    const reader = await withScopes('read')
    await reader.call(contract.branches.read, { params })
    const write = { params: { ...params, path: 'b.md' }, body: { content: 'b' } }
    expect((await refusalOf(reader.call(contract.branches.saveFile, write))).code).toBe('forbidden')
    const writer = await withScopes('write')
    await writer.call(contract.branches.saveFile, write)
    const publish = { params: { slug: desk.slug }, body: { branchId: branch.id } }
    expect((await refusalOf(writer.call(contract.branches.publish, publish))).code).toBe('forbidden')
    expect((await refusalOf(writer.call(contract.branches.read, { params }))).code).toBe('forbidden')
    const deployer = await withScopes('deploy')
    expect(await deployer.call(contract.branches.publish, publish)).toMatchObject({ status: 'live' })
  })
})
