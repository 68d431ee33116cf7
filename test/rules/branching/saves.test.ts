import { beforeEach, describe, expect, it } from 'vitest'
import { branchRef } from '#content/refs/ref-names.ts'
import type { Branch } from '#contract/branches.ts'
import { author, Rooms, projectId } from '#test/support/rooms.ts'

let rooms: Rooms
let branch: Branch

beforeEach(async () => {
  rooms = await Rooms.open()
  await rooms.deploy({ 'a.md': 'a', 'b.md': 'b' })
  branch = await rooms.branch('work')
})

const oidOf = async (path: string): Promise<string> =>
  (await rooms.branches.contents.file(projectId, branch.id, { path })).oid
const files = async (): Promise<Record<string, string>> => rooms.files((await rooms.head('work')) ?? '')
const save = { projectId, author, id: '' }

describe('saving a file', () => {
  it('makes a commit by its author, there when it is acknowledged', async () => {
    const oid = await oidOf('a.md')
    const saved = await rooms.saveFile(branch, 'a.md', 'new', { kind: 'oid', oid })
    expect(await rooms.head('work')).toBe(saved.commit)
    expect(await rooms.repository.readCommit(saved.commit)).toMatchObject({ author, parents: [await rooms.main()] })
    expect(await files()).toEqual({ 'a.md': 'new', 'b.md': 'b' })
  })

  it('over somebody else’s is refused with what is there now', async () => {
    const oid = await oidOf('a.md')
    const first = await rooms.saveFile(branch, 'a.md', 'first', { kind: 'oid', oid })
    await expect(rooms.saveFile(branch, 'a.md', 'second', { kind: 'oid', oid })).rejects.toMatchObject({
      code: 'stale_file',
      extra: { path: 'a.md', oid: first.files[0]?.oid },
    })
    expect(await files()).toMatchObject({ 'a.md': 'first' })
  })

  it('does not mind saves of other files', async () => {
    const oid = await oidOf('a.md')
    await rooms.save(branch, 'b.md', 'other')
    await rooms.saveFile(branch, 'a.md', 'mine', { kind: 'oid', oid })
    expect(await files()).toEqual({ 'a.md': 'mine', 'b.md': 'other' })
  })

  it.each([
    [{ kind: 'harmless' }, 'new.md', 'x', null],
    [{ kind: 'harmless' }, 'a.md', 'a', null],
    [{ kind: 'harmless' }, 'a.md', 'over', 'precondition_required'],
    [{ kind: 'present' }, 'a.md', 'over', null],
    [{ kind: 'present' }, 'new.md', 'x', 'stale_file'],
    [{ kind: 'absent' }, 'new.md', 'x', null],
    [{ kind: 'absent' }, 'a.md', 'x', 'stale_file'],
  ] as const)('on the condition %o of %s with the text %s ends with %s', async (precondition, path, text, code) => {
    const outcome = await rooms.saveFile(branch, path, text, precondition).then(
      () => null,
      (error: { code: string }) => error.code,
    )
    expect(outcome).toBe(code)
    if (code === null) expect(await files()).toMatchObject({ [path]: text })
  })

  it('of what is there already makes no commit', async () => {
    const { head } = await rooms.read(branch)
    expect((await rooms.save(branch, 'a.md', 'a')).commit).toBe(head)
  })

  it('is made again on the new head when somebody else was faster, up to ten times', async () => {
    const updateRefs = rooms.repository.updateRefs.bind(rooms.repository)
    const overtake = (times: number): void => {
      let left = times
      rooms.repository.updateRefs = async (updates) => {
        if (left-- <= 0) return updateRefs(updates)
        const parent = (await rooms.head('work')) ?? ''
        const changes = [{ path: `foreign/${left}.md`, content: Buffer.from('x') }]
        const { commit } = await rooms.repository.commitChanges({ parent, changes, author, message: 'x' })
        await updateRefs([{ ref: branchRef('work'), new: commit }])
        return updateRefs(updates)
      }
    }
    overtake(3)
    await rooms.save(branch, 'a.md', 'mine')
    expect(Object.keys(await files())).toHaveLength(5)
    overtake(100)
    await expect(rooms.save(branch, 'a.md', 'again')).rejects.toMatchObject({ code: 'stale_ref' })
    expect(await files()).toMatchObject({ 'a.md': 'mine' })
  })

  it('is refused when the branch goes meanwhile, also before its record has followed', async () => {
    const updateRefs = rooms.repository.updateRefs.bind(rooms.repository)
    rooms.repository.updateRefs = async (updates) => {
      rooms.repository.updateRefs = updateRefs
      await updateRefs([{ ref: branchRef('work'), new: null }])
      return updateRefs(updates)
    }
    await expect(rooms.save(branch, 'a.md', 'mine')).rejects.toMatchObject({ code: 'not_found' })
    expect(await rooms.list()).toEqual([])
    await rooms.branch('work')
  })

  it('at once with thirty others keeps all of them, and of one file only the first', async () => {
    const oid = await oidOf('a.md')
    const others = Array.from({ length: 20 }, (_, index) => rooms.save(branch, `many/${index}.md`, `${index}`))
    const fights = Array.from({ length: 10 }, (_, index) =>
      rooms.saveFile(branch, 'a.md', `fight ${index}`, { kind: 'oid', oid }),
    )
    const [outcomes] = await Promise.all([Promise.allSettled(fights), Promise.all(others)])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(Object.keys(await files())).toHaveLength(22)
  })

  it('takes bytes as Base64, and refuses what does not decode', async () => {
    const bytes = Buffer.from([0, 1, 2, 255, 254])
    const { id } = branch
    const change = { path: 'picture.png', encoding: 'base64' } as const
    await rooms.branches.saves.commit({ ...save, id }, [{ ...change, content: bytes.toString('base64') }])
    expect(await rooms.branches.contents.file(projectId, id, { path: 'picture.png' })).toMatchObject({
      encoding: 'base64',
      content: bytes.toString('base64'),
    })
    const damaged = rooms.branches.saves.commit({ ...save, id }, [{ ...change, content: '###' }])
    await expect(damaged).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/changes/0/content' }],
    })
  })

  it('refuses a file of more than 5 MB', async () => {
    const large = rooms.save(branch, 'large.md', 'x'.repeat(5 * 1024 * 1024 + 1))
    await expect(large).rejects.toMatchObject({ code: 'file_too_large' })
  })
})

describe('deleting and restoring', () => {
  const restore = (path: string) => rooms.branches.saves.restore({ ...save, id: branch.id }, path, undefined)
  const remove = (path: string, oid?: string) =>
    rooms.branches.saves.remove(
      { ...save, id: branch.id },
      path,
      oid === undefined ? { kind: 'present' } : { kind: 'oid', oid },
    )

  it('deletes on the branch only; what is not there cannot be deleted', async () => {
    const oid = await oidOf('a.md')
    await rooms.save(branch, 'a.md', 'newer')
    await expect(remove('a.md', oid)).rejects.toMatchObject({ code: 'stale_file' })
    expect((await remove('a.md')).files).toEqual([{ path: 'a.md', oid: null }])
    await expect(
      rooms.branches.saves.remove({ ...save, id: branch.id }, 'a.md', { kind: 'harmless' }),
    ).rejects.toMatchObject({ code: 'not_found' })
    expect(await rooms.files((await rooms.main()) ?? '')).toMatchObject({ 'a.md': 'a' })
  })

  it('takes main’s version back: of a changed, a deleted and an added file', async () => {
    await rooms.save(branch, 'a.md', 'changed')
    await restore('a.md')
    await remove('b.md')
    await restore('b.md')
    await rooms.save(branch, 'added.md', 'added')
    expect((await restore('added.md')).files).toEqual([{ path: 'added.md', oid: null }])
    expect((await rooms.read(branch)).changes).toEqual({ added: 0, modified: 0, deleted: 0 })
    await rooms.deploy({ 'a.md': 'a on main', 'b.md': 'b' })
    await restore('a.md')
    expect(await files()).toEqual({ 'a.md': 'a on main', 'b.md': 'b' })
    const { head } = await rooms.read(branch)
    expect((await restore('a.md')).commit).toBe(head)
  })

  it('refuses to restore over what is not the version that its author saw', async () => {
    const oid = await oidOf('a.md')
    await rooms.save(branch, 'a.md', 'changed')
    const restoring = rooms.branches.saves.restore({ ...save, id: branch.id }, 'a.md', oid)
    await expect(restoring).rejects.toMatchObject({ code: 'stale_file' })
  })
})

describe('several changes as one commit', () => {
  it('are all there or none', async () => {
    const oid = await oidOf('a.md')
    const commit = (changes: { path: string; content: string | null; expectedOid?: string | null }[]) =>
      rooms.branches.saves.commit({ ...save, id: branch.id }, changes)
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
    const stale = commit([
      { path: 'new.md', content: 'C' },
      { path: 'a.md', content: 'AA', expectedOid: oid },
    ])
    await expect(stale).rejects.toMatchObject({ code: 'stale_file', extra: { path: 'a.md' } })
    expect(await rooms.head('work')).toBe(done.commit)
    const twice = commit([
      { path: 'x.md', content: '1' },
      { path: 'x.md', content: '2' },
    ])
    await expect(twice).rejects.toMatchObject({ code: 'invalid_path' })
  })
})
