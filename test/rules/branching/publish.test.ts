import { beforeEach, describe, expect, it } from 'vitest'
import { mainRef } from '#content/refs/ref-names.ts'
import type { Branch, Conflict, Resolution } from '#contract/branches.ts'
import type { Failure } from '#contract/failure.ts'
import { failpoints } from '#deploying/ports.ts'
import { author, Rooms, projectId } from '#test/support/rooms.ts'

let rooms: Rooms

beforeEach(async () => {
  rooms = await Rooms.open()
  await rooms.deploy({ 'index.md': 'main', 'a.md': 'a', 'b.md': 'b' })
})

/** Both sides have changed `index.md`. */
const quarrel = async (): Promise<Branch> => {
  const branch = await rooms.branch('quarrel')
  await rooms.save(branch, 'index.md', 'branch')
  await rooms.deploy({ 'index.md': 'newer main', 'a.md': 'a', 'b.md': 'b' })
  return branch
}
const conflictsOf = async (work: Promise<unknown>): Promise<readonly Conflict[]> => {
  const refusal = await work.catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'merge_conflict' })
  return (refusal as Failure).extra['conflicts'] as Conflict[]
}
describe('publishing a branch', () => {
  it('joins both histories, goes live and deletes the branch in one step', async () => {
    const branch = await rooms.branch('work')
    const { commit: head } = await rooms.save(branch, 'a.md', 'A')
    const { commit: main } = await rooms.deploy({ 'index.md': 'main', 'a.md': 'a', 'b.md': 'B' })
    const deploy = await rooms.publish(branch)
    expect(deploy).toMatchObject({ kind: 'publish', branch: 'work', status: 'live', number: 3 })
    expect(deploy.mergeCommit).toBe(deploy.commit)
    const commit = await rooms.repository.readCommit(deploy.commit ?? '')
    expect(commit).toMatchObject({ parents: [main, head], author })
    expect(commit.message.trim()).toBe('Publish work')
    expect(Object.keys(await rooms.refs()).sort()).toEqual([
      'refs/deploys/1',
      'refs/deploys/2',
      'refs/deploys/3',
      'refs/heads/main',
    ])
    expect([rooms.site('/a.md'), rooms.site('/b.md')]).toEqual(['A', 'B'])
    expect(await rooms.list()).toEqual([])
    expect(rooms.recordOf(branch)).toBeUndefined()
    await expect(rooms.publish(branch)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('takes the pages of its preview over', async () => {
    const branch = await rooms.branch('work')
    await rooms.save(branch, 'a.md', 'A')
    await rooms.previewed(branch)
    await rooms.publish(branch)
    expect(rooms.builder.earlier.at(-1)?.['a.md']).toBeDefined()
  })

  it.each([
    [{ path: 'index.md', use: 'branch' } as const, 'branch'],
    [{ path: 'index.md', use: 'main' } as const, 'newer main'],
    [{ path: 'index.md', content: 'both' }, 'both'],
  ])('settles a conflict as decided: %o', async (resolution, text) => {
    await rooms.publish(await quarrel(), [resolution])
    expect(rooms.site('/index.md')).toBe(text)
    expect(await rooms.list()).toEqual([])
  })

  it('with conflicts is refused with the texts of both sides, and nothing has happened', async () => {
    const branch = await quarrel()
    const before = await rooms.refs()
    const quota = rooms.quota.length
    expect(await conflictsOf(rooms.publish(branch))).toMatchObject([
      { path: 'index.md', type: 'content', base: 'main', main: 'newer main', branch: 'branch' },
    ])
    expect(await rooms.refs()).toEqual(before)
    expect(await rooms.history()).toHaveLength(2)
    expect(rooms.quota.slice(quota)).toEqual([])
    expect(await rooms.read(branch)).toMatchObject({ name: 'quarrel' })
  })

  it('returns a conflict whose sides are not those that the decision was made on', async () => {
    const branch = await quarrel()
    const [conflict] = await conflictsOf(rooms.publish(branch))
    const resolution: Resolution = { path: 'index.md', content: 'both', seen: { main: conflict?.oids.main ?? null } }
    await rooms.deploy({ 'index.md': 'even newer', 'a.md': 'a', 'b.md': 'b' })
    const [again] = await conflictsOf(rooms.publish(branch, [resolution]))
    expect(again).toMatchObject({ main: 'even newer' })
    await rooms.publish(branch, [{ ...resolution, seen: { main: again?.oids.main ?? null } }])
    expect(rooms.site('/index.md')).toBe('both')
  })

  it('refuses a decision about a file without conflict', async () => {
    const resolutions: Resolution[] = [
      { path: 'index.md', use: 'main' },
      { path: 'a.md', use: 'main' },
    ]
    await expect(rooms.publish(await quarrel(), resolutions)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('that does not build moves nothing and keeps the branch', async () => {
    const branch = await rooms.branch('broken')
    await rooms.save(branch, 'broken.md', 'x')
    const before = await rooms.refs()
    expect(await rooms.publish(branch)).toMatchObject({ status: 'failed', errors: [{ path: 'broken.md' }] })
    expect(await rooms.refs()).toEqual(before)
    await rooms.save(branch, 'broken.md', null)
    expect(await rooms.publish(branch)).toMatchObject({ status: 'live' })
  })

  it('takes a save that came during its build along', async () => {
    const branch = await rooms.branch('late')
    await rooms.save(branch, 'a.md', 'early')
    rooms.beforeMainMoves(() => rooms.save(branch, 'b.md', 'late'))
    expect(await rooms.publish(branch)).toMatchObject({ status: 'live' })
    expect([rooms.site('/a.md'), rooms.site('/b.md')]).toEqual(['early', 'late'])
    const { parents } = await rooms.repository.readCommit((await rooms.main()) ?? '')
    expect(parents).toHaveLength(2)
  })

  it('that was overtaken once lets nobody save until its end', async () => {
    const branch = await rooms.branch('busy')
    const order: string[] = []
    rooms.beforeMainMoves(async () => {
      await rooms.save(branch, 'a.md', 'first')
      rooms.beforeMainMoves(async () => {
        // From now on the branch is locked: this save waits for the publish, and not the other way round.
        rooms.save(branch, 'b.md', 'second').then(
          () => order.push('saved'),
          (error: unknown) => order.push((error as Failure).code),
        )
        await new Promise((resolve) => setTimeout(resolve, 20))
        order.push('refs move')
      })
    })
    expect(await rooms.publish(branch)).toMatchObject({ status: 'live' })
    await expect.poll(() => order).toEqual(['refs move', 'not_found'])
    expect([rooms.site('/a.md'), rooms.site('/b.md')]).toEqual(['first', 'b'])
  })

  it('merges on top of a main that somebody else has moved meanwhile', async () => {
    const branch = await rooms.branch('work')
    await rooms.save(branch, 'a.md', 'A')
    rooms.beforeMainMoves(async () => {
      const parent = (await rooms.main()) ?? ''
      const changes = [{ path: 'b.md', content: Buffer.from('foreign') }]
      const { commit } = await rooms.repository.commitChanges({ parent, changes, author, message: 'x' })
      await rooms.repository.updateRefs([{ ref: mainRef, new: commit }])
    })
    await rooms.publish(branch)
    expect([rooms.site('/a.md'), rooms.site('/b.md')]).toEqual(['A', 'foreign'])
  })

  it('ends with the conflict that a save during its build made', async () => {
    const branch = await rooms.branch('work')
    await rooms.save(branch, 'a.md', 'A')
    const { commit: main } = await rooms.deploy({ 'index.md': 'newer main', 'a.md': 'a', 'b.md': 'b' })
    rooms.beforeMainMoves(() => rooms.save(branch, 'index.md', 'branch'))
    await conflictsOf(rooms.publish(branch))
    expect(await rooms.main()).toBe(main)
    expect((await rooms.history())[0]).toMatchObject({ kind: 'publish', status: 'failed' })
    // Nobody is kept waiting by what has ended.
    await rooms.save(branch, 'index.md', 'newer main')
    expect(await rooms.publish(branch)).toMatchObject({ status: 'live' })
  })

  it('ends when its branch is deleted during the build', async () => {
    const branch = await rooms.branch('short')
    await rooms.save(branch, 'a.md', 'A')
    rooms.beforeMainMoves(() => rooms.branches.remove(projectId, branch.id))
    await expect(rooms.publish(branch)).rejects.toMatchObject({ code: 'not_found' })
    expect(rooms.site('/a.md')).toBe('a')
    expect(rooms.quota.at(-1)).toBe('deploy given back')
  })

  it('one of two at once goes first, the other merges on top when asked again', async () => {
    const [one, two] = [await rooms.branch('one'), await rooms.branch('two')]
    await rooms.save(one, 'a.md', 'A')
    await rooms.save(two, 'b.md', 'B')
    const [first, second] = await Promise.allSettled([rooms.publish(one), rooms.publish(two)])
    expect(first).toMatchObject({ status: 'fulfilled' })
    expect(second).toMatchObject({ reason: { code: 'deploy_in_progress' } })
    await rooms.publish(two)
    expect([rooms.site('/a.md'), rooms.site('/b.md')]).toEqual(['A', 'B'])
    expect(await rooms.list()).toEqual([])
  })

  it('of the same branch twice at once publishes it once', async () => {
    const branch = await rooms.branch('twice')
    await rooms.save(branch, 'a.md', 'A')
    const outcomes = await Promise.allSettled([rooms.publish(branch), rooms.publish(branch)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await rooms.history()).toHaveLength(2)
  })

  it('repeated with its key answers with the publish that was, though the branch is gone', async () => {
    const branch = await rooms.branch('keyed')
    await rooms.save(branch, 'a.md', 'A')
    const idempotency = { key: 'k', body: 'b' }
    const first = await rooms.publish(branch, undefined, { idempotency })
    expect((await rooms.publish(branch, undefined, { idempotency })).id).toBe(first.id)
  })

  it('before the first deploy brings the site up with the branch as it is', async () => {
    rooms = await Rooms.open()
    const branch = await rooms.branch('begin')
    const { commit } = await rooms.save(branch, 'index.md', 'hello')
    const deploy = await rooms.publish(branch)
    expect(deploy).toMatchObject({ status: 'live', number: 1, commit })
    expect(deploy).not.toHaveProperty('mergeCommit')
    expect(rooms.site('/index.md')).toBe('hello')
  })

  it('that began before the first deploy still merges with what was deployed then', async () => {
    rooms = await Rooms.open()
    const branch = await rooms.branch('begin')
    await rooms.save(branch, 'mine.md', 'mine')
    await rooms.deploy({ 'index.md': 'theirs' })
    await rooms.publish(branch)
    expect([rooms.site('/index.md'), rooms.site('/mine.md')]).toEqual(['theirs', 'mine'])
  })
})

describe('kill -9 during a publish', () => {
  it.each(failpoints)('%s leaves the branch as it is or published, never half', async (failpoint) => {
    const branch = await rooms.branch('work')
    const saved = await rooms.save(branch, 'a.md', 'A')
    await rooms.previewed(branch)
    const idempotency = { key: 'k', body: 'b' }
    const killed = new Promise<void>((resolve) => {
      rooms.onStep = (step) => {
        if (step !== failpoint) return
        rooms.kill()
        resolve()
      }
    })
    rooms.publish(branch, undefined, { idempotency }).catch(() => undefined)
    await killed
    await rooms.restart()
    const happened = failpoint === 'after-refs' || failpoint === 'after-point'
    expect(rooms.site('/a.md')).toBe(happened ? 'A' : 'a')
    expect(await rooms.head('work')).toBe(happened ? null : saved.commit)
    expect((await rooms.list()).map(({ name }) => name)).toEqual(happened ? [] : ['work'])
    expect(await rooms.publish(branch, undefined, { idempotency })).toMatchObject({ status: 'live', kind: 'publish' })
    expect(rooms.site('/a.md')).toBe('A')
    expect(await rooms.list()).toEqual([])
  })
})

describe('publishing without a branch', () => {
  it('publishes main again', async () => {
    const main = await rooms.main()
    expect(await rooms.publish(null)).toMatchObject({ kind: 'publish', status: 'live', number: 2, commit: main })
    expect(await rooms.main()).toBe(main)
  })

  it('refuses resolutions without a branch that they are for', async () => {
    const resolutions = [{ path: 'index.md', use: 'main' } as const]
    await expect(rooms.publish(null, resolutions)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('has nothing to publish before the first deploy', async () => {
    rooms = await Rooms.open()
    await expect(rooms.publish(null)).rejects.toMatchObject({ code: 'not_found' })
  })
})
