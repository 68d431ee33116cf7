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
})

describe('a branch', () => {
  it('tells added, modified and deleted files; main keeps all of them until the publish', async () => {
    await desk.deploy({ 'keep.md': 'keep', 'edit.md': 'old', 'drop.md': 'drop' })
    const branch = await desk.branch('changes')
    await desk.save(branch, 'edit.md', 'new')
    await desk.save(branch, 'added.md', 'added')
    await desk.client.call(contract.branches.removeFile, {
      params: { slug: desk.slug, id: branch.id, path: 'drop.md' },
      headers: { 'if-match': '*' },
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
