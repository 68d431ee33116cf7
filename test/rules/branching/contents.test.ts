import { beforeEach, describe, expect, it } from 'vitest'
import type { Branch } from '#contract/branches.ts'
import type { SearchQuery } from '#contract/searches.ts'
import { searchTree } from '#branching/search.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { projectId, Rooms } from '#test/support/rooms.ts'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})

const never = new AbortController().signal
const search = (branch: Branch, query: SearchQuery, signal = never) =>
  rooms.branches.contents.search(projectId, branch.id, query, signal)

describe('a file as it was', () => {
  it('is read at any commit of its branch or of main', async () => {
    const { commit: first = '' } = await rooms.deploy({ 'a.md': 'one', 'b.md': 'b' })
    const branch = await rooms.branch('draft')
    const { commit: second } = await rooms.save(branch, 'a.md', 'two')
    await rooms.save(branch, 'a.md', 'three')
    const { commit: later = '' } = await rooms.deploy({ 'a.md': 'four' })
    const at = async (commit: string) => {
      const file = await rooms.branches.contents.file(projectId, branch.id, { path: 'a.md', commit })
      expect(file.commit).toBe(commit)
      return [file.content, file.status]
    }
    expect(await at(first)).toEqual(['one', 'unchanged'])
    expect(await at(second)).toEqual(['two', 'modified'])
    expect(await at(later)).toEqual(['four', 'unchanged'])
    expect(await rooms.branches.contents.mainFile(projectId, { path: 'a.md', commit: first })).toMatchObject({
      content: 'one',
    })
  })

  it('is not there at commits of others, at what is no commit, and before it was made', async () => {
    const { commit: main = '' } = await rooms.deploy({ 'a.md': 'one' })
    const [mine, other] = [await rooms.branch('mine'), await rooms.branch('other')]
    const { commit, files } = await rooms.save(other, 'a.md', 'secret')
    const refused = async (wanted: string, path = 'a.md') =>
      (await refusalOf(rooms.branches.contents.file(projectId, mine.id, { path, commit: wanted }))).code
    expect(await refused(commit)).toBe('not_found')
    expect(await refused(files[0]?.oid ?? '')).toBe('not_found')
    expect(await refused('ab'.repeat(20))).toBe('not_found')
    expect(await refused(main, 'later.md')).toBe('not_found')
    const ofMain = rooms.branches.contents.mainFile(projectId, { path: 'a.md', commit })
    expect(await refusalOf(ofMain)).toMatchObject({ code: 'not_found', message: `Main has no commit ${commit}.` })
  })
})

describe('the history of main', () => {
  it('is told by pages, of all or of one file, and what each commit changed', async () => {
    await rooms.deploy({ 'a.md': 'one\n', 'b.md': 'b' })
    const { commit: second = '' } = await rooms.deploy({ 'a.md': 'two\n', 'b.md': 'b' })
    await rooms.deploy({ 'a.md': 'two\n', 'b.md': 'c' })
    const { contents } = rooms.branches
    const first = await contents.mainHistory(projectId, { limit: 2 })
    const { nextCursor: cursor = '' } = first
    const rest = await contents.mainHistory(projectId, { limit: 2, cursor })
    expect([first.items.length, rest.items.length, rest.nextCursor]).toEqual([2, 1, undefined])
    expect((await contents.mainHistory(projectId, { path: 'a.md' })).items.map(({ oid }) => oid)).toEqual([
      second,
      rest.items[0]?.oid,
    ])
    const { base, head, files } = await contents.mainDiff(projectId, { commit: second })
    expect([base, head]).toEqual([rest.items[0]?.oid, second])
    expect(files.map(({ path, hunks }) => [path, hunks.flatMap(({ lines }) => lines.map(({ text }) => text))])).toEqual(
      [['a.md', ['one', 'two']]],
    )
    expect((await contents.mainDiff(projectId, { commit: second, path: 'b.md' })).files).toEqual([])
    expect((await contents.mainDiff(projectId, { commit: rest.items[0]?.oid ?? '' })).base).toBeUndefined()
  })

  it('is empty before the first deploy, and has no commit of a branch', async () => {
    const { contents } = rooms.branches
    expect(await contents.mainHistory(projectId, {})).toEqual({ items: [] })
    expect(await refusalOf(contents.mainHistory(projectId, { cursor: 'x' }))).toMatchObject({ code: 'invalid_request' })
    await rooms.deploy({ 'a.md': 'one' })
    const { commit } = await rooms.save(await rooms.branch('draft'), 'a.md', 'two')
    expect(await refusalOf(contents.mainDiff(projectId, { commit }))).toMatchObject({
      code: 'not_found',
      message: `Main has no commit ${commit}.`,
    })
  })
})

describe('a search', () => {
  const files = {
    'z.md': 'A needle here\nand here a Needle',
    'guide/a.mdx': '# Guide\n\nno\nneedle',
    'data.json': '{"needle": 1}',
    'picture.png': 'needle',
    md: 'needle',
    'notes.md/needle': 'needle',
    'noise.txt': 'needle \0',
  }

  it('finds lines of text files by path, whatever the capitals, unless some are asked for', async () => {
    await rooms.deploy(files)
    const branch = await rooms.branch('draft')
    const found = await search(branch, { q: 'needle' })
    expect(found.items.map(({ path, line, column }) => [path, line, column])).toEqual([
      ['data.json', 1, 3],
      ['guide/a.mdx', 4, 1],
      ['z.md', 1, 3],
      ['z.md', 2, 12],
    ])
    expect(found).toMatchObject({ truncated: false, searched: 4 })
    const lines = async (query: SearchQuery) =>
      (await search(branch, query)).items.map(({ path, line }) => [path, line])
    expect(await lines({ q: 'Needle' })).toEqual([['z.md', 2]])
    expect(await lines({ q: 'NEEDLE', case: false, folder: 'guide' })).toEqual([['guide/a.mdx', 4]])
    expect(await lines({ q: 'needle', case: true })).not.toContainEqual(['z.md', 2])
  })

  it('finds what the branch has, and main what main has', async () => {
    await rooms.deploy({ 'a.md': 'old' })
    const branch = await rooms.branch('draft')
    await rooms.save(branch, 'a.md', 'new')
    const main = (q: string) => rooms.branches.contents.searchMain(projectId, { q }, never)
    expect((await search(branch, { q: 'new' })).items).toHaveLength(1)
    expect((await search(branch, { q: 'old' })).items).toHaveLength(0)
    expect((await main('new')).items).toHaveLength(0)
    expect((await main('old')).items).toEqual([{ path: 'a.md', line: 1, column: 1, text: 'old', start: 0, end: 3 }])
  })

  it('of a project without a commit finds nothing', async () => {
    const found = await rooms.branches.contents.searchMain(projectId, { q: 'a' }, never)
    expect(found).toEqual({ items: [], truncated: false, searched: 0 })
  })

  it('tells at most so many matches, and that there are more', async () => {
    await rooms.deploy({ 'a.md': 'x\n'.repeat(5), 'b.md': 'x' })
    const branch = await rooms.branch('draft')
    expect(await search(branch, { q: 'x', limit: 4 })).toMatchObject({ truncated: true, searched: 1 })
    expect(await search(branch, { q: 'x', limit: 5 })).toMatchObject({ truncated: true, searched: 2 })
    const all = await search(branch, { q: 'x', limit: 6 })
    expect(all.truncated).toBe(false)
    expect(all.items).toHaveLength(6)
  })

  it('asks for the sizes of no more files than it needs, and of none when nobody waits for it any more', async () => {
    const oid = 'ab'.repeat(20)
    const tree = new Map(Array.from({ length: 2000 }, (_, at) => [`${at}.md`, { oid, mode: '100644' as const }]))
    let asked = 0
    let onAsked = (): void => undefined
    const repository = {
      blobSizes: async (oids: readonly string[]) => {
        asked += oids.length
        onAsked()
        return new Map(oids.map((one) => [one, 1]))
      },
      readBlob: async () => Buffer.from('x'),
    }
    expect(await searchTree(repository, tree, { q: 'x', limit: 10 }, never)).toMatchObject({ truncated: true })
    expect(asked).toBeLessThan(500)
    const gone = new AbortController()
    onAsked = () => gone.abort(new Error('the client is gone'))
    asked = 0
    await expect(searchTree(repository, tree, { q: 'nowhere' }, gone.signal)).rejects.toThrow('the client is gone')
    expect(asked).toBeLessThan(500)
  })

  it('leaves out files that are too large for a page', async () => {
    await rooms.deploy({ 'large.txt': `needle${' '.repeat(1024 * 1024)}`, 'a.md': 'needle' })
    const found = await search(await rooms.branch('draft'), { q: 'needle' })
    expect(found).toMatchObject({ items: [{ path: 'a.md' }], searched: 1 })
  })

  it('waits for its owner’s turn, is refused when too many wait, and goes when nobody waits for it', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    const branch = await rooms.branch('draft')
    const endTurn = await rooms.searches.acquire('owner')
    const gone = new AbortController()
    const waiting = search(branch, { q: 'a' }, gone.signal)
    await expect.poll(() => rooms.searches.isFull('owner')).toBe(true)
    expect(await refusalOf(search(branch, { q: 'a' }))).toMatchObject({ code: 'rate_limited', retryAfter: 5 })
    const reason = new Error('the client is gone')
    gone.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    endTurn()
    expect((await search(branch, { q: 'a' })).items).toHaveLength(1)
  })
})

describe('a check of changes that are not saved', () => {
  const check = (branch: Branch, changes: Parameters<typeof rooms.branches.checkSent>[2]) =>
    rooms.branches.checkSent(projectId, branch.id, changes, never)

  it('says what the preview would say, and keeps nothing of them', async () => {
    await rooms.deploy({ 'a.md': 'a', 'b.md': 'b' })
    const branch = await rooms.branch('draft')
    const before = { refs: await rooms.refs(), history: await rooms.history(), quota: [...rooms.quota] }
    expect(await check(branch, [{ path: 'odd.md', content: 'x' }])).toEqual({
      errors: [],
      warnings: [{ path: 'odd.md', line: 1, message: 'It is odd' }],
      counts: { errors: 0, warnings: 1 },
      pages: { total: 3, built: 3, reused: 0 },
    })
    const broken = Buffer.from('x').toString('base64')
    const changes = [
      { path: 'broken.md', content: broken, encoding: 'base64' as const },
      { path: 'a.md', content: null },
    ]
    expect(await check(branch, changes)).toMatchObject({ counts: { errors: 1 }, pages: { total: 2 } })
    expect(await check(branch, [])).toMatchObject({ counts: { errors: 0 }, pages: { total: 2 } })
    expect({ refs: await rooms.refs(), history: await rooms.history(), quota: rooms.quota }).toEqual(before)
  })

  it('is refused where they could not be saved', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    const branch = await rooms.branch('draft')
    const refused = async (changes: Parameters<typeof check>[1]) => (await refusalOf(check(branch, changes))).code
    expect(await refused([{ path: '../a.md', content: 'x' }])).toBe('invalid_path')
    expect(await refused([{ path: 'a.md', content: 'x', expectedOid: 'ab'.repeat(20) }])).toBe('stale_file')
    expect(await refused([{ path: 'none.md', content: null }])).toBe('not_found')
    expect(await refused([{ path: 'b.md', content: '\ud800' }])).toBe('invalid_request')
    expect(await refused([{ path: 'b.md', content: 'x'.repeat(5 * 1024 * 1024 + 1) }])).toBe('file_too_large')
  })
})
