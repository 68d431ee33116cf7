import { beforeEach, describe, expect, it } from 'vitest'
import { branchRef } from '#content/refs/ref-names.ts'
import type { Branch } from '#contract/branches.ts'
import { Failure } from '#contract/failure.ts'
import { author, Rooms, projectId } from '#test/support/rooms.ts'

let rooms: Rooms

beforeEach(async () => {
  rooms = await Rooms.open()
})

const statuses = async ({ id }: Branch): Promise<string[][]> =>
  (await rooms.branches.contents.files(projectId, id)).items.map(({ path, status }) => [path, status])
const update = ({ id }: Branch) => rooms.branches.update({ projectId, id, author })

describe('creating a branch', () => {
  it('copies main; spaces in the name become hyphens', async () => {
    const { commit } = await rooms.deploy({ 'index.md': 'one', 'guide/start.md': 'start' })
    const branch = await rooms.branch('new intro page')
    expect(branch).toMatchObject({
      name: 'new-intro-page',
      head: commit,
      base: commit,
      upToDate: true,
      changes: { added: 0, modified: 0, deleted: 0 },
      previewUrl: 'https://docs--new-intro-page',
    })
    expect(await statuses(branch)).toEqual([
      ['guide/start.md', 'unchanged'],
      ['index.md', 'unchanged'],
    ])
    expect(rooms.quota.slice(-2)).toEqual(['branch held new-intro-page', 'branch used'])
  })

  it('copies another branch or a commit when asked to', async () => {
    const { commit } = await rooms.deploy({ 'index.md': 'one' })
    const first = await rooms.branch('first')
    const { commit: saved } = await rooms.save(first, 'index.md', 'two')
    expect((await rooms.branch('by-name', 'first')).head).toBe(saved)
    expect((await rooms.branch('by-id', first.id)).head).toBe(saved)
    expect((await rooms.branch('by-commit', commit)).head).toBe(commit)
    for (const from of ['absent', '../../HEAD', 'f'.repeat(40)])
      await expect(rooms.branch('nothing', from)).rejects.toMatchObject({ code: 'not_found' })
    expect(await rooms.head('nothing')).toBeNull()
  })

  it.each([
    '',
    ' ',
    'main',
    'Main',
    'ünder',
    'a//b',
    '/a',
    'a/',
    '-a',
    'a.b',
    'x'.repeat(101),
    'refs/a',
    'c'.repeat(40),
    'con',
  ])('refuses the name %s and says why', async (name) => {
    const refusal = await rooms.branch(name).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'invalid_branch_name', hint: expect.stringMatching(/./) })
  })

  it('refuses a name that is used, and one that is a folder of others, and gives back what it took', async () => {
    await rooms.branch('docs/intro')
    await expect(rooms.branch('docs/intro')).rejects.toMatchObject({ code: 'branch_exists' })
    await expect(rooms.branch('docs')).rejects.toMatchObject({ code: 'branch_name_conflict' })
    await expect(rooms.branch('docs/intro/more')).rejects.toMatchObject({ code: 'branch_name_conflict' })
    expect(await rooms.list()).toHaveLength(1)
    expect(rooms.quota.filter((entry) => entry.startsWith('branch') && !entry.includes('held'))).toEqual([
      'branch used',
      'branch given back',
      'branch given back',
    ])
  })

  it('makes no ref when the plan has none left', async () => {
    rooms.quotaRefuses = new Failure('quota_exceeded', 'No more this month.')
    await expect(rooms.branch('only')).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect(await rooms.head('only')).toBeNull()
  })

  it('makes one branch of twenty equal wishes at once', async () => {
    const wishes = await Promise.allSettled(Array.from({ length: 20 }, () => rooms.branch('wanted')))
    expect(wishes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const wish of wishes)
      if (wish.status === 'rejected') expect(wish.reason).toMatchObject({ code: 'branch_exists' })
    expect(rooms.quota).toEqual(['branch held wanted', 'branch used'])
  })
})

describe('on a disk that is full', () => {
  const full = (): Failure => new Failure('unavailable', 'The disk is full.', { hint: 'Nothing was changed.' })

  it('a branch whose ref is gone is deleted, whatever becomes of its record', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    const branch = await rooms.branch('work')
    await rooms.previewed(branch)
    rooms.storeRefuses = full
    await rooms.branches.remove(projectId, branch.id)
    expect(await rooms.head('work')).toBeNull()
    await expect(rooms.branches.remove(projectId, branch.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(rooms.logged).toContain('the record of a branch that is gone could not go')
    rooms.storeRefuses = undefined
    await rooms.restart()
    expect(await rooms.list()).toEqual([])
    expect((await rooms.branch('work')).id).not.toBe(branch.id)
  })

  it('a branch that is not made leaves no ref, and costs nothing', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    rooms.storeRefuses = full
    await expect(rooms.branch('work')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await rooms.head('work')).toBeNull()
    expect(rooms.quota.at(-1)).toBe('branch given back')
    rooms.storeRefuses = undefined
    expect(await rooms.list()).toEqual([])
  })
})

describe('a branch', () => {
  it('tells added, modified and deleted files; main keeps all of them until the publish', async () => {
    await rooms.deploy({ 'keep.md': 'keep', 'edit.md': 'old', 'drop.md': 'drop' })
    const branch = await rooms.branch('changes')
    await rooms.save(branch, 'edit.md', 'new')
    await rooms.save(branch, 'added.md', 'added')
    await rooms.save(branch, 'drop.md', null)
    expect(await statuses(branch)).toEqual([
      ['added.md', 'added'],
      ['drop.md', 'deleted'],
      ['edit.md', 'modified'],
      ['keep.md', 'unchanged'],
    ])
    expect((await rooms.read(branch)).changes).toEqual({ added: 1, modified: 1, deleted: 1 })
    expect([rooms.site('/drop.md'), rooms.site('/edit.md')]).toEqual(['drop', 'old'])
    await rooms.publish(branch)
    expect([rooms.site('/drop.md'), rooms.site('/edit.md')]).toEqual([undefined, 'new'])
  })

  it('counts only its own changes when main moves on, and has main’s after an update', async () => {
    await rooms.deploy({ 'a.md': 'a', 'b.md': 'b' })
    const branch = await rooms.branch('behind')
    await rooms.save(branch, 'a.md', 'a on the branch')
    const { commit: main } = await rooms.deploy({ 'a.md': 'a', 'b.md': 'b on main', 'c.md': 'c' })
    expect(await rooms.read(branch)).toMatchObject({ upToDate: false, changes: { added: 0, modified: 1, deleted: 0 } })
    const { head: before } = await rooms.read(branch)
    const updated = await update(branch)
    expect(updated).toMatchObject({ upToDate: true, changes: { added: 0, modified: 1, deleted: 0 } })
    expect(await rooms.files(updated.head)).toEqual({ 'a.md': 'a on the branch', 'b.md': 'b on main', 'c.md': 'c' })
    expect((await rooms.repository.readCommit(updated.head)).parents).toEqual([before, main])
    expect((await update(branch)).head).toBe(updated.head)
  })

  it('that changed nothing is moved to main by an update', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    const branch = await rooms.branch('idle')
    const { commit } = await rooms.deploy({ 'a.md': 'b' })
    expect(await update(branch)).toMatchObject({ head: commit, upToDate: true })
  })

  it('refuses conflicts when it is updated as a publish does, and takes the same decisions', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    const branch = await rooms.branch('quarrel')
    await rooms.save(branch, 'a.md', 'branch')
    await rooms.deploy({ 'a.md': 'newer main' })
    const resolutions = [{ path: 'a.md', use: 'main' } as const]
    await expect(update(branch)).rejects.toMatchObject({
      code: 'merge_conflict',
      extra: { conflicts: [{ main: 'newer main', branch: 'branch' }] },
    })
    expect(await rooms.branches.update({ projectId, id: branch.id, author, resolutions })).toMatchObject({
      upToDate: true,
    })
    expect(await rooms.publish(branch)).toMatchObject({ status: 'live' })
  })

  it('gone by its deletion does not come back, and its name makes a new one', async () => {
    const first = await rooms.branch('again')
    await rooms.branches.remove(projectId, first.id)
    await expect(rooms.read(first)).rejects.toMatchObject({ code: 'not_found' })
    await expect(rooms.branches.remove(projectId, first.id)).rejects.toMatchObject({ code: 'not_found' })
    const second = await rooms.branch('again')
    expect(second.id).not.toBe(first.id)
    await expect(rooms.save(first, 'a.md', 'x')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('made or deleted behind the service’s back is found and forgotten', async () => {
    const { commit = '' } = await rooms.deploy({ 'a.md': 'a' })
    await rooms.repository.updateRefs([{ ref: branchRef('from-git'), new: commit }])
    const [found] = await rooms.list()
    expect(found).toMatchObject({ name: 'from-git' })
    expect((await rooms.list()).map(({ id }) => id)).toEqual([found?.id])
    await rooms.repository.updateRefs([{ ref: branchRef('from-git'), new: null }])
    expect(await rooms.list()).toEqual([])
    await expect(rooms.read({ id: found?.id ?? '' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('keeps its id, its age and its preview over a restart', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    const branch = await rooms.branch('lasting')
    await rooms.save(branch, 'a.md', 'b')
    const before = await rooms.previewed(branch)
    await expect.poll(() => rooms.events.filter((event) => 'build' in event).length).toBeGreaterThan(0)
    await rooms.restart()
    expect(await rooms.read(branch)).toEqual(before)
    expect(rooms.preview(branch, '/a.md')).toBe('b')
  })

  it('has its content read with its version and what became of it', async () => {
    await rooms.deploy({ 'a.md': 'a' })
    const branch = await rooms.branch('reader')
    const { files } = await rooms.save(branch, 'a.md', 'b')
    expect(await rooms.branches.contents.file(projectId, branch.id, { path: 'a.md' })).toMatchObject({
      content: 'b',
      encoding: 'utf-8',
      status: 'modified',
      size: 1,
      oid: files[0]?.oid,
    })
    expect(await rooms.branches.contents.mainFile(projectId, { path: 'a.md' })).toMatchObject({ content: 'a' })
    await expect(rooms.branches.contents.file(projectId, branch.id, { path: 'absent.md' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('listing branches', () => {
  it('shows the newest first, by pages, or the one of a name', async () => {
    for (const name of ['one', 'two', 'three']) await rooms.branch(name)
    const first = await rooms.branches.list(projectId, { limit: 2 })
    const { nextCursor: cursor = '' } = first
    const second = await rooms.branches.list(projectId, { limit: 2, cursor })
    expect([...first.items, ...second.items].map(({ name }) => name).sort()).toEqual(['one', 'three', 'two'])
    const named = await rooms.branches.list(projectId, { name: 'two' })
    expect(named.items.map(({ name }) => name)).toEqual(['two'])
  })
})

describe('the history of a branch', () => {
  it('of a file is told newest first, by pages', async () => {
    await rooms.deploy({ 'a.md': 'a', 'b.md': 'b' })
    const branch = await rooms.branch('work')
    for (const text of ['1', '2', '3']) await rooms.save(branch, 'a.md', text)
    await rooms.save(branch, 'b.md', 'x')
    const query = { path: 'a.md', limit: 2 }
    const first = await rooms.branches.history(projectId, branch.id, query)
    const { nextCursor: cursor = '' } = first
    const second = await rooms.branches.history(projectId, branch.id, { ...query, cursor })
    expect(second.nextCursor).toBeUndefined()
    const subjects = [...first.items, ...second.items].map(({ message }) => message.trim())
    expect(subjects).toEqual(['Update a.md', 'Update a.md', 'Update a.md', 'Deploy documentation'])
  })
})
