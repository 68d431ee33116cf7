import { beforeEach, describe, expect, it, vi } from 'vitest'
import { blobOid } from '#contract/blob-oid.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { projectId, Rooms } from '#test/support/rooms.ts'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})

const never = new AbortController().signal
const check = (files: Readonly<Record<string, string>>, signal = never) =>
  rooms.checks.upload(
    projectId,
    Object.entries(files).map(([path, content]) => ({ path, content })),
    signal,
  )

describe('a check of files', () => {
  it('tells errors and warnings as a deploy would, and leaves neither object nor ref nor record', async () => {
    await rooms.deploy({ 'index.md': 'first' })
    const before = { refs: await rooms.refs(), history: await rooms.history(), quota: [...rooms.quota] }
    expect(await check({ 'index.md': 'new here', 'odd.md': 'x' })).toEqual({
      errors: [],
      warnings: [{ path: 'odd.md', line: 1, message: 'It is odd' }],
      counts: { errors: 0, warnings: 1 },
      pages: { total: 2, built: 2, reused: 0 },
    })
    expect(await check({ 'broken.md': 'x' })).toMatchObject({
      errors: [{ path: 'broken.md', line: 3 }],
      counts: { errors: 1 },
    })
    expect({ refs: await rooms.refs(), history: await rooms.history(), quota: rooms.quota }).toEqual(before)
    expect((await rooms.repository.blobSizes([blobOid(Buffer.from('new here'))])).size).toBe(0)
  })

  it('reads what is named by its id, and refuses with the path what nobody has', async () => {
    await rooms.deploy({ 'index.md': 'first' })
    const oid = blobOid(Buffer.from('first'))
    const moved = [{ path: 'moved.md', oid }]
    expect(await rooms.checks.upload(projectId, moved, never)).toMatchObject({ pages: { total: 1 } })
    const absent = { path: 'absent.md', oid: 'ab'.repeat(20) }
    expect(await refusalOf(rooms.checks.upload(projectId, [...moved, absent], never))).toMatchObject({
      code: 'missing_objects',
      errors: [{ path: 'absent.md' }],
      extra: { oids: [absent.oid] },
    })
  })

  it('refuses paths as a deploy does', async () => {
    expect(await refusalOf(check({ '../a.md': 'a' }))).toMatchObject({ code: 'invalid_path' })
    expect(await refusalOf(check({ 'Guide.md': 'a', 'guide.md': 'b' }))).toMatchObject({ code: 'invalid_path' })
  })

  it('waits for its owner’s turn, is refused when too many wait, and goes when nobody waits for it', async () => {
    const endTurn = await rooms.checkBuilds.acquire('owner')
    const gone = new AbortController()
    const waiting = check({ 'a.md': 'a' }, gone.signal)
    await expect.poll(() => rooms.checkBuilds.isFull('owner')).toBe(true)
    expect(await refusalOf(check({ 'b.md': 'b' }))).toMatchObject({ code: 'rate_limited', retryAfter: 10 })
    const reason = new Error('the client is gone')
    gone.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    endTurn()
    expect(await check({ 'b.md': 'b' })).toMatchObject({ errors: [] })
  })

  it('ends in the middle of its build when nobody waits for it', async () => {
    rooms.builder.holding = true
    const gone = new AbortController()
    const building = check({ 'index.md': 'held' }, gone.signal)
    await expect.poll(() => rooms.builder.held.length).toBe(1)
    const reason = new Error('the client is gone')
    gone.abort(reason)
    await expect(building).rejects.toBe(reason)
    rooms.builder.release()
    expect(await check({ 'a.md': 'a' })).toMatchObject({ errors: [] })
  })
})

describe('what a check made', () => {
  const link = { href: '/guide', kind: 'link', line: 1, column: 1 }
  /** What the second of two checks of a page with so many links takes over. */
  const earlierOf = async (links: number) => {
    const summary = { links: Array.from({ length: links }, () => link), anchors: [], warnings: [] }
    const record = { oid: 'a'.repeat(40), builder: '1', dependencies: [], artifact: '', markdown: '', markdownSize: 0 }
    const pages = { 'a.md': { ...record, summary } }
    const site = { shell: '', routes: {}, redirects: [], pages, assets: {}, blobs: new Map() }
    const counts = { total: 1, built: 1, reused: 0 }
    const build = vi.spyOn(rooms.builder, 'build')
    build.mockResolvedValue({ errors: [], warnings: [], pages: counts, site })
    await check({ 'a.md': 'a' })
    await check({ 'a.md': 'b' })
    return build.mock.lastCall?.[0].earlier
  }

  it('is kept for the next one, but for what takes very much memory', async () => {
    expect(await earlierOf(10)).toHaveProperty(['a.md'])
    expect(await earlierOf(500_000)).toBeNull()
  })
})

describe('a check of what is not saved on a branch', () => {
  const content = (text: string): Buffer => Buffer.from(text)

  it('is of the branch’s files with the changes made, and the branch stays', async () => {
    await rooms.deploy({ 'index.md': 'first', 'old.md': 'old', 'guide/a.md': 'a' })
    const branch = await rooms.branch('work')
    const unsaved = (changes: readonly { path: string; content: Buffer | null }[]) =>
      rooms.branches.check(projectId, branch.id, { commit: branch.head, changes }, never)
    expect(await unsaved([{ path: 'odd.md', content: content('x') }])).toMatchObject({
      errors: [],
      warnings: [{ path: 'odd.md' }],
      pages: { total: 4 },
    })
    expect(await unsaved([{ path: 'old.md', content: null }])).toMatchObject({ pages: { total: 2 } })
    expect(await unsaved([{ path: 'broken.md', content: content('x') }])).toMatchObject({ counts: { errors: 1 } })
    expect(await rooms.head('work')).toBe(branch.head)
  })

  it('refuses changes as a save does', async () => {
    await rooms.deploy({ 'index.md': 'first', 'guide/a.md': 'a' })
    const branch = await rooms.branch('work')
    const unsaved = (change: { path: string; content: Buffer | null; expected?: string | null }) =>
      refusalOf(rooms.branches.check(projectId, branch.id, { commit: branch.head, changes: [change] }, never))
    expect(await unsaved({ path: '.git/config', content: content('x') })).toMatchObject({ code: 'invalid_path' })
    expect(await unsaved({ path: 'INDEX.md', content: content('x') })).toMatchObject({ code: 'invalid_path' })
    expect(await unsaved({ path: 'guide', content: content('x') })).toMatchObject({ code: 'invalid_path' })
    expect(await unsaved({ path: 'none.md', content: null })).toMatchObject({ code: 'not_found' })
    expect(await unsaved({ path: 'index.md', content: content('x'), expected: null })).toMatchObject({
      code: 'stale_file',
    })
  })
})
