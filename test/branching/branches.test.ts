import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Branch } from '../../src/contract/branches.ts'
import { contract } from '../../src/contract/index.ts'
import { FakeBuilder } from '../support/fake-builder.ts'
import { refusalOf } from '../support/refusal.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openDesk, type Desk } from './support.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

describe('a branch', () => {
  it('is a copy of main, its name with hyphens for spaces', async () => {
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

  it('tells added, modified and deleted files; main keeps all of them until the publish', async () => {
    await desk.deploy({ 'keep.md': 'keep', 'edit.md': 'old', 'drop.md': 'drop' })
    const branch = await desk.branch('changes')
    await desk.save(branch, 'edit.md', 'new')
    await desk.save(branch, 'added.md', 'added')
    await desk.client.call(contract.branches.removeFile, {
      params: { slug: desk.slug, id: branch.id, path: 'drop.md' },
    })
    const { items } = await desk.client.call(contract.branches.files, { params: { slug: desk.slug, id: branch.id } })
    expect(items.map(({ path, status }) => [path, status])).toEqual([
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

  it('shows each save at its own address, which no search engine lists', async () => {
    await desk.deploy({ 'index.md': 'one' })
    const branch = await desk.branch('intro')
    expect((await desk.preview(branch, '/index.md')).text).toBe('one')
    await desk.save(branch, 'index.md', 'two')
    const shown: Branch = await desk.previewed(branch)
    expect(shown.preview).toMatchObject({ status: 'live', served: shown.head, commit: shown.head })
    const reply = await desk.preview(branch, '/index.md')
    expect(reply.text).toBe('two')
    expect(reply.headers['x-robots-tag']).toBe('noindex')
    expect((await desk.site('/index.md')).text).toBe('one')
    await desk.client.call(contract.branches.remove, { params: { slug: desk.slug }, query: { id: branch.id } })
    expect((await desk.preview(branch, '/index.md')).status).toBe(404)
    const refusal = await refusalOf(desk.read(branch))
    expect(refusal.code).toBe('not_found')
  })
})
