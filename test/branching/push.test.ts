import { beforeEach, describe, expect, it } from 'vitest'
import { branchRef, mainRef } from '../../src/content/refs/ref-names.ts'
import { author, Rooms, projectId } from '../support/rooms.ts'

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
