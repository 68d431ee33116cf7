import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import type { Branch } from '../../src/contract/branches.ts'
import { contract } from '../../src/contract/index.ts'
import { openDesk, type Desk } from '../branching/support.ts'
import { startTestService, type TestService } from '../support/service.ts'

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

describe('a file as it was', () => {
  it('is read at a commit of its history, under the name that it had then', async () => {
    await desk.deploy({ 'old.md': 'first text of the page' })
    const branch = await desk.branch('draft')
    const params = { slug: desk.slug, id: branch.id }
    const changes = [
      { path: 'old.md', content: null },
      { path: 'new.md', content: 'first text of the page' },
    ]
    await desk.client.call(contract.branches.commit, { params, body: { changes } })
    await desk.save(branch, 'new.md', 'second')
    const query = { path: 'new.md' }
    const { items } = await desk.client.call(contract.branches.history, { params, query })
    const texts = await Promise.all(
      items.map(async ({ oid: commit, path = '' }) => {
        const asked = { params: { ...params, path }, query: { commit } }
        return (await desk.client.call(contract.branches.readFile, asked)).content
      }),
    )
    expect(texts).toEqual(['second', 'first text of the page', 'first text of the page'])
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
