import { beforeEach, describe, expect, it } from 'vitest'
import { mainRef } from '#content/refs/ref-names.ts'
import { RefsHalfMoved, type RefUpdate } from '#content/repository.ts'
import type { Branch } from '#contract/branches.ts'
import { Rooms, projectId } from '#test/support/rooms.ts'

type Moves = readonly RefUpdate[]

const isMain = ({ ref }: RefUpdate): boolean => ref === mainRef
/** What Git may have renamed when it is killed amidst a transaction of a publish. */
const parts: Record<string, (moves: Moves) => Moves> = {
  "the deploy's own ref": (moves) => moves.slice(0, 1),
  'main only': (moves) => moves.filter(isMain),
  'all but the branch': (moves) => moves.filter((move) => move.new !== null),
}

let rooms: Rooms
let branch: Branch
let head: string

beforeEach(async () => {
  rooms = await Rooms.open()
  await rooms.deploy({ 'a.md': 'main' })
  branch = await rooms.branch('work')
  head = (await rooms.save(branch, 'a.md', 'branch')).commit
  await rooms.previewed(branch)
})

/** Some of a deploy's refs move, and then the process is killed. */
function killedAfter(part: (moves: Moves) => Moves, begin: () => Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    rooms.beforeMainMoves(async (moves) => {
      await rooms.repository.updateRefs(part(moves))
      rooms.kill()
      resolve()
      throw new Error('killed')
    })
    begin().catch(() => undefined)
  })
}

/** Published, once, and everything is of one mind. */
async function expectPublished(): Promise<void> {
  const live = await rooms.deploys.live(projectId)
  expect(live).toMatchObject({ kind: 'publish', branch: 'work', number: 2, status: 'live' })
  expect(await rooms.refs()).toMatchObject({ [mainRef]: live?.commit, 'refs/deploys/2': live?.commit })
  expect((await rooms.repository.readCommit(live?.commit ?? '')).parents).toContain(head)
  expect(rooms.site('/a.md')).toBe('branch')
  expect(await rooms.head('work')).toBeNull()
  expect(await rooms.list()).toEqual([])
  expect((await rooms.history()).map(({ status }) => status)).toEqual(['live', 'superseded'])
  await expect(rooms.publish(branch)).rejects.toMatchObject({ code: 'not_found' })
}

describe('kill -9 while git moves the refs of a publish', () => {
  it.each(Object.entries(parts))('after %s carries it to its end, once', async (_, part) => {
    await killedAfter(part, () => rooms.publish(branch))
    await rooms.restart()
    await expectPublished()
  })

  it.each(Object.entries(parts))('after %s, and again while the start mends that', async (_, part) => {
    await killedAfter(part, () => rooms.publish(branch))
    const killed = new Promise<void>((resolve) => {
      const updateRefs = rooms.repository.updateRefs.bind(rooms.repository)
      rooms.repository.updateRefs = async (moves) => {
        rooms.repository.updateRefs = updateRefs
        await updateRefs(moves.slice(0, 1))
        rooms.kill()
        resolve()
        throw new Error('killed')
      }
    })
    await Promise.all([rooms.restart(), killed])
    await rooms.restart()
    await expectPublished()
  })

  it('before the first of them changes nothing', async () => {
    await killedAfter(
      () => [],
      () => rooms.publish(branch),
    )
    await rooms.restart()
    expect(rooms.site('/a.md')).toBe('main')
    expect(await rooms.head('work')).toBe(head)
    expect(await rooms.publish(branch)).toMatchObject({ status: 'live', number: 3 })
  })

  it('takes nobody for it who deleted the branch before', async () => {
    await killedAfter(
      (moves) => moves.filter((move) => move.new === null),
      () => rooms.publish(branch),
    )
    await rooms.restart()
    expect(rooms.site('/a.md')).toBe('main')
    expect((await rooms.history()).map(({ status }) => status)).toEqual(['failed', 'live'])
  })
})

it('kill -9 while git moves the refs of main published again carries that to its end', async () => {
  const main = await rooms.main()
  await killedAfter(
    (moves) => moves.slice(0, 1),
    () => rooms.publish(null),
  )
  await rooms.restart()
  expect(await rooms.deploys.live(projectId)).toMatchObject({ number: 2, commit: main })
})

describe('a git that cannot be brought to move the other refs', () => {
  it('leaves a deploy that is not called failed, and that the next one carries to its end', async () => {
    rooms.beforeMainMoves(async (moves) => {
      await rooms.repository.updateRefs(moves.filter(isMain))
      throw new RefsHalfMoved(
        moves.filter((move) => !isMain(move)),
        new Error('killed'),
      )
    })
    await expect(rooms.publish(branch)).rejects.toThrow('not moved yet: refs/deploys/2')
    expect((await rooms.history()).map(({ status }) => status)).toEqual(['building', 'live'])
    // Somebody saves in between: that is kept.
    const later = await rooms.save(branch, 'b.md', 'later')
    await rooms.deploy({ 'c.md': 'next' })
    expect((await rooms.history()).map(({ status, kind }) => `${kind} ${status}`)).toEqual([
      'deploy live',
      'publish superseded',
      'deploy superseded',
    ])
    expect(await rooms.head('work')).toBe(later.commit)
    const publish = (await rooms.history()).find(({ kind }) => kind === 'publish')
    expect(await rooms.refs()).toMatchObject({ 'refs/deploys/2': publish?.commit })
  })
})

it('says nothing of the refs that a deploy moves in its record or its report', async () => {
  const deploy = await rooms.publish(branch)
  expect(deploy).not.toHaveProperty('moves')
  expect(await rooms.deploys.read(projectId, deploy.id)).not.toHaveProperty('moves')
})
