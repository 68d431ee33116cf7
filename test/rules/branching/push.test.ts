import { beforeEach, describe, expect, it } from 'vitest'
import type { AtomicPush } from '#content/push/delivery.ts'
import { branchRef, mainRef } from '#content/refs/ref-names.ts'
import { Failure } from '#contract/failure.ts'
import { author, Rooms, projectId } from '#test/support/rooms.ts'

let rooms: Rooms

beforeEach(async () => {
  rooms = await Rooms.open()
  await rooms.deploy({ 'index.md': 'main', 'a.md': 'a', 'b.md': 'b' })
})

describe('a push to main', () => {
  const pushOf = async (text: string, old: string | null) => {
    const files = [{ path: 'a.md', content: Buffer.from(text) }]
    const { commit } = await rooms.repository.replaceTree({ files, parent: old, author, message: `${text}\n\nWhy.` })
    return { old, new: commit, author }
  }

  it('is a deploy of the pushed commit, and the terminal is told how it goes', async () => {
    const lines: string[] = []
    const push = await pushOf('pushed', await rooms.main())
    await rooms.branches.pushes.deployMain(projectId, push, (line) => lines.push(line))
    expect(await rooms.main()).toBe(push.new)
    expect((await rooms.history())[0]).toMatchObject({ kind: 'push', message: 'pushed', commit: push.new })
    expect(lines.at(-1)).toMatch(/^Live at https:\/\/docs\.test: 1 page, 1 of them built in /)
  })

  it('is refused when main has moved, also during the build', async () => {
    const old = await rooms.main()
    const early = await pushOf('early', old)
    await rooms.deploy({ 'a.md': 'deployed' })
    const deploying = rooms.branches.pushes.deployMain(projectId, early, () => undefined)
    await expect(deploying).rejects.toMatchObject({ code: 'stale_ref', hint: 'Fetch, merge and push again.' })
    const late = await pushOf('late', await rooms.main())
    rooms.beforeMainMoves(async () => {
      const foreign = await pushOf('foreign', await rooms.main())
      await rooms.repository.updateRefs([{ ref: mainRef, new: foreign.new }])
    })
    const builds = rooms.builder.builds
    const overtaken = rooms.branches.pushes.deployMain(projectId, late, () => undefined)
    await expect(overtaken).rejects.toMatchObject({ code: 'stale_ref', hint: 'Fetch, merge and push again.' })
    expect(rooms.builder.builds).toBe(builds + 1)
    expect(rooms.site('/a.md')).toBe('deployed')
  })

  it('that does not build is refused with what is wrong', async () => {
    const files = [{ path: 'broken.md', content: Buffer.from('x') }]
    const old = await rooms.main()
    const { commit } = await rooms.repository.replaceTree({ files, parent: old, author, message: 'x' })
    const deploying = rooms.branches.pushes.deployMain(projectId, { old, new: commit, author }, () => undefined)
    await expect(deploying).rejects.toMatchObject({ code: 'build_failed', errors: [{ path: 'broken.md' }] })
    expect(await rooms.main()).toBe(old)
  })
})

describe('a push to a branch', () => {
  const push = (name: string, old: string | null, head: string | null, lines: string[] = []) =>
    rooms.branches.pushes.saveBranch(projectId, { name, old, new: head, author }, (line) => lines.push(line))

  it('makes, moves and deletes it, and tells where the preview is', async () => {
    const main = (await rooms.main()) ?? ''
    const lines: string[] = []
    await push('pushed', null, main, lines)
    expect(lines[0]).toBe('Preview: https://docs--pushed')
    expect(lines.at(-1)).toMatch(/^It shows your push: 3 pages, 0 of them built/)
    const changes = [{ path: 'a.md', content: Buffer.from('A') }]
    const { commit } = await rooms.repository.commitChanges({ parent: main, changes, author, message: 'x' })
    await push('pushed', main, commit)
    expect(await rooms.head('pushed')).toBe(commit)
    await expect(push('pushed', main, null)).rejects.toMatchObject({ code: 'stale_ref' })
    await push('pushed', commit, null)
    expect(await rooms.repository.resolveRef(branchRef('pushed'))).toBeNull()
    expect(await rooms.list()).toEqual([])
  })

  it('does not wait for the previews of other branches that are in front of it', async () => {
    const main = (await rooms.main()) ?? ''
    const changes = [{ path: 'a.md', content: Buffer.from('A') }]
    const { commit } = await rooms.repository.commitChanges({ parent: main, changes, author, message: 'x' })
    rooms.builder.holding = true
    const others = ['one', 'two', 'three'].map((name) => push(name, null, commit))
    await expect.poll(() => rooms.builder.held.length).toBeGreaterThan(0)
    const lines: string[] = []
    await push('last', null, commit, lines)
    expect(lines.at(-1)).toBe('It waits for the previews of other branches; reload the page in a while.')
    expect(rooms.builder.holding).toBe(true)
    rooms.builder.release()
    await Promise.all(others)
  })

  it('is refused for a name that a branch cannot have', async () => {
    await expect(push('Main', null, await rooms.main())).rejects.toMatchObject({ code: 'invalid_branch_name' })
  })
})

describe('an atomic push', () => {
  let main: string
  let next: string

  beforeEach(async () => {
    main = (await rooms.main()) ?? ''
    const changes = [{ path: 'a.md', content: Buffer.from('A') }]
    ;({ commit: next } = await rooms.repository.commitChanges({ parent: main, changes, author, message: 'next' }))
    await rooms.branch('old')
    await rooms.branch('moving')
    rooms.quota.length = 0
  })

  const push = (moves: AtomicPush['moves'], lines: string[] = []) =>
    rooms.branches.pushes.moveTogether(projectId, { moves, author }, (line) => lines.push(line))
  const others = () => [
    { ref: 'refs/heads/new', old: null, new: next },
    { ref: 'refs/heads/moving', old: main, new: next },
    { ref: 'refs/heads/old', old: main, new: null },
    { ref: 'refs/tags/v1', old: null, new: main },
  ]
  const names = async () => (await rooms.list()).map(({ name }) => name).sort()

  it.each([true, false])('moves branches and tags together, with main: %s', async (withMain) => {
    const lines: string[] = []
    await push([...(withMain ? [{ ref: mainRef, old: main, new: next }] : []), ...others()], lines)
    expect(await rooms.refs()).toMatchObject({
      [mainRef]: withMain ? next : main,
      'refs/heads/new': next,
      'refs/heads/moving': next,
      'refs/tags/v1': main,
    })
    expect(await rooms.head('old')).toBeNull()
    expect(await names()).toEqual(['moving', 'new'])
    expect(lines).toEqual(expect.arrayContaining(['Preview: https://docs--new', 'Preview: https://docs--moving']))
    expect(lines.some((line) => line.startsWith('Live at'))).toBe(withMain)
    expect(rooms.site('/a.md')).toBe(withMain ? 'A' : 'a')
    for (const branch of await rooms.list()) expect((await rooms.previewed(branch)).preview.served).toBe(next)
    expect(rooms.quota.filter((line) => line.startsWith('branch'))).toEqual(['branch held new', 'branch used'])
  })

  it.each([true, false])('of which one ref is stale moves none, with main: %s', async (withMain) => {
    const moves = [...(withMain ? [{ ref: mainRef, old: main, new: next }] : []), ...others()]
    await rooms.save(await rooms.read((await rooms.list()).find(({ name }) => name === 'old')!), 'b.md', 'B')
    const before = await rooms.refs()
    await expect(push(moves)).rejects.toMatchObject({ code: 'stale_ref', extra: { ref: 'refs/heads/old' } })
    expect(await rooms.refs()).toEqual(before)
    expect(await names()).toEqual(['moving', 'old'])
    expect(rooms.quota.filter((line) => line.startsWith('branch'))).toEqual(['branch held new', 'branch given back'])
  })

  it('during whose build another ref moves ends without a second build', async () => {
    rooms.beforeMainMoves(() => rooms.repository.updateRefs([{ ref: 'refs/tags/v1', old: null, new: next }]))
    const builds = rooms.builder.builds
    await expect(push([{ ref: mainRef, old: main, new: next }, ...others()])).rejects.toMatchObject({
      code: 'stale_ref',
      extra: { ref: 'refs/tags/v1' },
    })
    expect(rooms.builder.builds).toBe(builds + 1)
    expect(await rooms.main()).toBe(main)
    expect(await names()).toEqual(['moving', 'old'])
  })

  it('of which the site does not build moves none', async () => {
    const changes = [{ path: 'broken.md', content: Buffer.from('x') }]
    const { commit } = await rooms.repository.commitChanges({ parent: main, changes, author, message: 'x' })
    const before = await rooms.refs()
    await expect(push([...others(), { ref: mainRef, old: main, new: commit }])).rejects.toMatchObject({
      code: 'build_failed',
    })
    expect(await rooms.refs()).toEqual(before)
    expect(rooms.site('/a.md')).toBe('a')
  })

  it('of more branches than the plan has moves none, and says for which there is no room', async () => {
    const before = await rooms.refs()
    rooms.quotaRefuses = new Failure('quota_exceeded', 'No more.', { retryAfter: 60 })
    await expect(push(others())).rejects.toMatchObject({
      code: 'quota_exceeded',
      retryAfter: 60,
      extra: { ref: 'refs/heads/new' },
    })
    expect(await rooms.refs()).toEqual(before)
  })

  it('whose records the disk does not take is not called refused: its refs have moved', async () => {
    rooms.storeRefuses = () => new Error('ENOSPC')
    await push(others())
    rooms.storeRefuses = undefined
    expect(await rooms.refs()).toMatchObject({ 'refs/heads/new': next, 'refs/tags/v1': main })
    expect(rooms.logged).toContain('the record of a pushed branch could not follow it')
    expect(await names()).toEqual(['moving', 'new'])
  })

  it('with main that is killed after some refs have moved is carried to its end by the start', async () => {
    const killed = new Promise<void>((resolve) => {
      rooms.beforeMainMoves(async (moves) => {
        await rooms.repository.updateRefs(moves.slice(0, 3))
        rooms.kill()
        resolve()
        throw new Error('killed')
      })
    })
    push([{ ref: mainRef, old: main, new: next }, ...others()]).catch(() => undefined)
    await killed
    await rooms.restart()
    expect(await rooms.refs()).toMatchObject({
      [mainRef]: next,
      'refs/heads/new': next,
      'refs/heads/moving': next,
      'refs/tags/v1': main,
    })
    expect(await rooms.head('old')).toBeNull()
    expect(await names()).toEqual(['moving', 'new'])
    expect(rooms.site('/a.md')).toBe('A')
  })
})
