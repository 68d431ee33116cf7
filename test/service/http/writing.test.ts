import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

const check = (branch: Branch, changes: Readonly<Record<string, string | null>>) =>
  desk.client.call(contract.branches.check, {
    params: { slug: desk.slug, id: branch.id },
    body: { changes: Object.entries(changes).map(([path, content]) => ({ path, content })) },
  })

describe('a check while somebody writes', () => {
  it('tells what is wrong at its line, with what other pages say of it, and renders the changed page alone', async () => {
    const pages = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}.mdx`, `# Page ${at}\n\n[Home](/)`]))
    await desk.deploy({ ...pages, 'index.mdx': '# Home\n\n[One](/p1#part)', 'p1.mdx': '# Page 1\n\n## Part' })
    const branch = await desk.branch('draft')
    await desk.previewed(branch)
    expect(await check(branch, {})).toMatchObject({ errors: [], warnings: [], pages: { total: 61, built: 0 } })
    expect(await check(branch, { 'p1.mdx': '# Page 1\n\n## Other' })).toMatchObject({
      errors: [],
      warnings: [{ path: 'index.mdx', line: 3 }],
      pages: { total: 61, built: 1, reused: 60 },
    })
    expect(await check(branch, { 'p2.mdx': '# Page 2\n\n<Note>\nopen' })).toMatchObject({
      errors: [{ path: 'p2.mdx', line: 3 }],
      pages: { built: 1 },
    })
    // What does not compile takes nothing from the next one.
    expect(await check(branch, { 'p2.mdx': '# Page 2\n\n<Note>shut</Note>' })).toMatchObject({
      errors: [],
      pages: { built: 1, reused: 60 },
    })
    expect(await check(branch, { 'p2.mdx': null })).toMatchObject({ errors: [], pages: { total: 60, built: 0 } })
  })

  it('changes neither branch nor preview, and takes nothing of the plan', async () => {
    await desk.deploy({ 'index.mdx': '# Home' })
    const before = await desk.previewed(await desk.branch('draft'))
    const usage = () => desk.client.call(contract.usage.read, { params: { slug: desk.slug } })
    const used = await usage()
    await check(before, { 'index.mdx': 'Other' })
    expect(await desk.read(before)).toEqual(before)
    expect((await desk.preview(before, '/')).text).toContain('Home')
    expect(await usage()).toEqual(used)
  })
})

describe('a search', () => {
  it('is asked of a branch and of main', async () => {
    await desk.deploy({ 'index.mdx': '# Home\n\nOld words', 'guide.md': 'no' })
    const branch = await desk.branch('draft')
    await desk.save(branch, 'index.mdx', '# Home\n\nNew words')
    const params = { slug: desk.slug, id: branch.id }
    const found = await desk.client.call(contract.branches.search, { params, query: { q: 'words', limit: 5 } })
    expect(found).toEqual({
      items: [{ path: 'index.mdx', line: 3, column: 5, text: 'New words', start: 4, end: 9 }],
      truncated: false,
      searched: 2,
    })
    const main = await desk.client.call(contract.files.search, {
      params: { slug: desk.slug },
      query: { q: 'WORDS', case: true },
    })
    expect(main.items).toEqual([])
  })
})

describe('a commit that is named', () => {
  it('is one of the branch or of main; all else is not there, whatever keeps it', async () => {
    const main = await desk.deploy({ 'a.md': 'main' })
    const [mine, other] = [await desk.branch('mine'), await desk.branch('other')]
    const saved = await desk.save(mine, 'a.md', 'mine')
    const ofOther = await desk.save(other, 'a.md', 'secret')
    const params = { slug: desk.slug }
    await desk.client.call(contract.branches.remove, { params, query: { id: other.id } })
    const neighbour = await openDesk(service)
    const ofNeighbour = await neighbour.deploy({ 'a.md': 'theirs' })
    const me = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    const orphan = desk.git(...me, 'commit-tree', `${ofOther.commit}^{tree}`, '-m', 'nobody’s')
    desk.git('update-ref', 'refs/deploys/99', orphan)
    desk.git(...me, 'tag', '-a', 'v1', '-m', 'x', saved.commit)
    const hidden = {
      'a branch that is gone': ofOther.commit,
      'another project': ofNeighbour.commit ?? '',
      'a ref of a deploy': orphan,
      'a tag': desk.git('rev-parse', 'refs/tags/v1'),
      'a tree': desk.git('rev-parse', `${saved.commit}^{tree}`),
      'a file': saved.oid ?? '',
      nothing: '0'.repeat(40),
    }
    const client = desk.client
    const asks = (commit: string) => ({
      'main’s file': client.call(contract.files.read, { params: { ...params, path: 'a.md' }, query: { commit } }),
      'main’s diff': client.call(contract.files.diff, { params, query: { commit } }),
      'a branch’s file': client.call(contract.branches.readFile, {
        params: { ...params, id: mine.id, path: 'a.md' },
        query: { commit },
      }),
      'a branch’s diff': client.call(contract.branches.diff, { params: { ...params, id: mine.id }, query: { commit } }),
    })
    const codesOf = (commit: string) =>
      Promise.all(
        Object.entries(asks(commit)).map(async ([ask, answer]) => {
          const code = await answer.then(
            () => 'answered',
            (error: { code: string }) => error.code,
          )
          return `${ask}: ${code}`
        }),
      )
    for (const [what, commit] of Object.entries(hidden))
      expect([what, ...(await codesOf(commit))]).toEqual([
        what,
        'main’s file: not_found',
        'main’s diff: not_found',
        'a branch’s file: not_found',
        'a branch’s diff: not_found',
      ])
    expect(await codesOf(main.commit ?? '')).toEqual(expect.arrayContaining(['main’s file: answered']))
    // Rewritten by hand: what main had is not told any more.
    const rewritten = desk.git(...me, 'commit-tree', `${main.commit}^{tree}`, '-m', 'again')
    desk.git('update-ref', 'refs/heads/main', rewritten)
    expect((await codesOf(main.commit ?? '')).slice(0, 2)).toEqual(['main’s file: not_found', 'main’s diff: not_found'])
  })
})

describe('the components', () => {
  it('are told to everybody, and not again to who has them', async () => {
    const { items } = await createClient({ baseUrl: service.url }).call(contract.components.list)
    expect(items.find(({ name }) => name === 'Callout')?.properties).toContainEqual({
      name: 'type',
      type: 'choice',
      choices: ['note', 'info', 'tip', 'check', 'warning', 'danger'],
      about: 'Default: note',
    })
    const first = await fetch(`${service.url}/api/components`)
    expect(first.headers.get('cache-control')).toBe('public, max-age=3600')
    const tag = first.headers.get('etag') ?? randomUUID()
    const again = await fetch(`${service.url}/api/components`, { headers: { 'if-none-match': tag } })
    expect(again.status).toBe(304)
  })
})
