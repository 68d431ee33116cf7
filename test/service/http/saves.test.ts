import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'

let service: TestService
let desk: Desk
let branch: Branch

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
  await desk.deploy({ 'a.md': 'a', 'b.md': 'b', 'folder/c.md': 'c' })
  branch = await desk.branch('work')
})

const params = (path: string) => ({ slug: desk.slug, id: branch.id, path })
const read = (path: string) => desk.client.call(contract.branches.readFile, { params: params(path) })
const raw = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Response> =>
  fetch(`${service.url}/api/projects/${desk.slug}/branches/${branch.id}/files/${path}`, {
    method,
    headers: { authorization: `Bearer ${desk.key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

describe('saving a file', () => {
  it('makes a commit by its author, there when it is acknowledged', async () => {
    const { oid } = await read('a.md')
    const saved = await desk.client.call(contract.branches.saveFile, {
      params: params('a.md'),
      body: { content: 'new', message: 'Say it better' },
      headers: { 'if-match': `"${oid}"` },
    })
    expect(desk.git('rev-parse', 'work')).toBe(saved.commit)
    expect(desk.git('rev-parse', 'work:a.md')).toBe(saved.oid)
    expect(desk.git('log', '-1', '--format=%an|%s', 'work')).toBe('test|Say it better')
    expect(desk.git('rev-parse', 'main')).not.toBe(saved.commit)
    expect(await read('a.md')).toMatchObject({
      content: 'new',
      encoding: 'utf-8',
      oid: saved.oid,
      status: 'modified',
      size: 3,
    })
  })

  it('overwrites nothing silently: without a version only a new file, or the same content, is taken', async () => {
    expect((await raw('PUT', 'new.md', {}, { content: 'new' })).status).toBe(201)
    const refused = await raw('PUT', 'a.md', {}, { content: 'over' })
    expect(refused.status).toBe(428)
    expect(await refused.json()).toMatchObject({ code: 'precondition_required', oid: (await read('a.md')).oid })
    expect((await raw('PUT', 'a.md', {}, { content: 'a' })).status).toBe(200)
    expect((await raw('PUT', 'a.md', { 'if-match': '*' }, { content: 'over' })).status).toBe(200)
    expect((await raw('PUT', 'absent.md', { 'if-match': '*' }, { content: 'x' })).status).toBe(412)
    expect((await raw('PUT', 'a.md', { 'if-none-match': '*' }, { content: 'x' })).status).toBe(412)
    expect((await raw('PUT', 'only-new.md', { 'if-none-match': '*' }, { content: 'x' })).status).toBe(201)
    expect((await raw('PUT', 'a.md', { 'if-match': '"nonsense"' }, { content: 'x' })).status).toBe(400)
  })

  it('takes any path that a file may have, and refuses the others by name and rule', async () => {
    for (const path of ['100%.md', 'a b/ü?#.md', 'deep/er/file.mdx', "it's+[x].md"]) {
      await desk.save(branch, path, path)
      expect(await read(path)).toMatchObject({ path, content: path, status: 'added' })
    }
    expect((await raw('PUT', '.git/config', {}, { content: 'x' })).status).toBe(422)
    expect((await raw('PUT', 'A.md', {}, { content: 'x' })).status).toBe(422)
    expect((await raw('PUT', 'a.md/b.md', {}, { content: 'x' })).status).toBe(422)
    expect((await raw('PUT', 'x%00y.md', {}, { content: 'x' })).status).toBe(422)
    expect((await raw('PUT', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', {}, { content: 'x' })).status).toBeGreaterThanOrEqual(
      400,
    )
    expect((await refusalOf(read('../../x.md'))).code).toBe('invalid_path')
  })

  it('refuses a file of more than 5 MB', async () => {
    const refusal = await refusalOf(desk.save(branch, 'large.md', 'x'.repeat(5 * 1024 * 1024 + 1)))
    expect(refusal).toMatchObject({ code: 'file_too_large', status: 413 })
  })
})

describe('reading a file', () => {
  it('tells its version as ETag, and nothing more to who has it', async () => {
    const first = await raw('GET', 'a.md')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toBe(`"${(await read('a.md')).oid}"`)
    const second = await raw('GET', 'a.md', { 'if-none-match': etag })
    expect(second.status).toBe(304)
    expect(await second.text()).toBe('')
    expect((await raw('GET', 'absent.md')).status).toBe(404)
    expect((await raw('GET', 'folder')).status).toBe(404)
    expect((await raw('POST', 'a.md')).headers.get('allow')).toBe('DELETE, GET, HEAD, PUT')
  })
})

describe('deleting a file asks for its version as saving over it does', () => {
  it('without one nothing is deleted, and the answer names the one that is there', async () => {
    const { oid } = await read('a.md')
    const refused = await raw('DELETE', 'a.md')
    expect([refused.status, await refused.json()]).toMatchObject([428, { code: 'precondition_required', oid }])
    expect((await read('a.md')).oid).toBe(oid)
    expect((await raw('DELETE', 'a.md', { 'if-match': `"${oid}"` })).status).toBe(200)
  })

  it('what is gone is not what its reader saw', async () => {
    const { oid } = await read('a.md')
    await raw('DELETE', 'a.md', { 'if-match': '*' })
    for (const match of ['*', `"${oid}"`]) {
      for (const [method, body] of [['DELETE'], ['PUT', { content: 'x' }]] as const) {
        const refused = await raw(method, 'a.md', { 'if-match': match }, body)
        expect([refused.status, await refused.json()]).toMatchObject([412, { code: 'stale_file', oid: null }])
      }
    }
    expect((await raw('DELETE', 'b.md', { 'if-none-match': '*' })).status).toBe(400)
    expect((await raw('DELETE', 'b.md', { 'if-match': 'nonsense' })).status).toBe(400)
  })
})

describe('a file that was not there', () => {
  it('is answered 201 when it is made, also where it had been deleted, and 200 after that', async () => {
    expect((await raw('PUT', 'new.md', {}, { content: 'new' })).status).toBe(201)
    expect((await raw('PUT', 'new.md', { 'if-match': '*' }, { content: 'newer' })).status).toBe(200)
    expect((await raw('PUT', 'new.md', {}, { content: 'newer' })).status).toBe(200)
    await raw('DELETE', 'new.md', { 'if-match': '*' })
    expect((await raw('PUT', 'new.md', {}, { content: 'newest' })).status).toBe(201)
  })
})

describe('main’s files', () => {
  it('are listed with path, status, id and size, as those of a branch', async () => {
    const { head, items } = await desk.client.call(contract.files.list, { params: { slug: desk.slug } })
    expect(head).toBe(desk.git('rev-parse', 'main'))
    expect(items).toEqual(
      ['a.md', 'b.md', 'folder/c.md'].map((path) => ({
        path,
        status: 'unchanged',
        oid: desk.git('rev-parse', `main:${path}`),
        size: 1,
      })),
    )
    const ofBranch = await desk.client.call(contract.branches.files, { params: { slug: desk.slug, id: branch.id } })
    expect(ofBranch.items).toEqual(items)
  })

  it('are none before the first deploy', async () => {
    const empty = await openDesk(service)
    expect(await empty.client.call(contract.files.list, { params: { slug: empty.slug } })).toEqual({ items: [] })
  })
})

describe('several changes as one commit', () => {
  const commit = (changes: { path: string; content: string | null; expectedOid?: string | null }[]) =>
    desk.client.call(contract.branches.commit, { params: { slug: desk.slug, id: branch.id }, body: { changes } })

  it('are all there or none', async () => {
    const { oid } = await read('a.md')
    const done = await commit([
      { path: 'a.md', content: 'A', expectedOid: oid },
      { path: 'b.md', content: null },
      { path: 'new.md', content: 'new', expectedOid: null },
    ])
    expect(done.files.map(({ path, oid: now }) => [path, now === null])).toEqual([
      ['a.md', false],
      ['b.md', true],
      ['new.md', false],
    ])
    expect(desk.git('rev-list', '--count', 'main..work')).toBe('1')
    const refusal = await refusalOf(
      commit([
        { path: 'folder/c.md', content: 'C' },
        { path: 'a.md', content: 'AA', expectedOid: oid },
      ]),
    )
    expect(refusal).toMatchObject({ code: 'stale_file', extra: { path: 'a.md', oid: done.files[0]?.oid } })
    expect(desk.git('rev-parse', 'work')).toBe(done.commit)
  })
})

describe('comparing', () => {
  it('shows lines and words against where the branch left main, and renames', async () => {
    const long = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')
    await desk.deploy({ 'a.md': 'one two three\n', 'old.md': long, 'b.md': 'b' })
    await desk.client.call(contract.branches.update, { params: { slug: desk.slug, id: branch.id }, body: {} })
    await desk.save(branch, 'a.md', 'one 2 three\n')
    await desk.client.call(contract.branches.commit, {
      params: { slug: desk.slug, id: branch.id },
      body: {
        changes: [
          { path: 'old.md', content: null },
          { path: 'new.md', content: long },
        ],
      },
    })
    const { files, base } = await desk.client.call(contract.branches.diff, {
      params: { slug: desk.slug, id: branch.id },
      query: {},
    })
    expect(base).toBe(desk.git('rev-parse', 'main'))
    expect(files.map(({ path, status, oldPath }) => [path, status, oldPath])).toEqual([
      ['a.md', 'modified', undefined],
      ['new.md', 'renamed', 'old.md'],
    ])
    const words = files[0]?.hunks[0]?.lines.flatMap((line) => line.words ?? []).filter(({ changed }) => changed)
    expect(words?.map(({ text }) => text)).toEqual(['two', '2'])
  })

  it('shows what one of its commits changed, and of no commit that is not its own', async () => {
    await desk.deploy({ 'a.md': 'one\n' })
    const own = await desk.branch('one-commit')
    const other = await desk.branch('another')
    await desk.save(own, 'first.md', 'first\n')
    const { commit } = await desk.save(own, 'a.md', 'two\n')
    const elsewhere = await desk.save(other, 'a.md', 'three\n')
    const diffOf = (of: string) =>
      desk.client.call(contract.branches.diff, { params: { slug: desk.slug, id: own.id }, query: { commit: of } })
    const { files, base, head } = await diffOf(commit)
    expect([base, head]).toEqual([desk.git('rev-parse', `${commit}^`), commit])
    expect(files.map(({ path, status }) => [path, status])).toEqual([['a.md', 'modified']])
    for (const unknown of [elsewhere.commit, 'ab'.repeat(20), desk.git('rev-parse', `${commit}:a.md`)])
      expect(await refusalOf(diffOf(unknown))).toMatchObject({ code: 'not_found' })
  })
})
