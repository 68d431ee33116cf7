import { maxSummaries } from '#deploying/state.ts'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeployEvent } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import { failpoints } from '#deploying/ports.ts'
import { ended, Rooms, projectId } from '#test/support/rooms.ts'

let rooms: Rooms

beforeEach(async () => {
  rooms = await Rooms.open()
})

const eventTypes = (): string[] => rooms.events.map((event) => ('type' in event ? event.type : 'preview'))
/** A build that waits until the function that it returns is called. */
const holdBuild = (): (() => void) => {
  rooms.builder.holding = true
  return () => rooms.builder.release()
}

describe('a deploy', () => {
  it('goes live: main, its own ref, the pointer, the record, the event and the plan agree', async () => {
    const deploy = await rooms.deploy({ 'index.md': 'one', 'odd.md': 'odd' }, { message: 'First' })
    expect(deploy).toMatchObject({ number: 1, status: 'live', kind: 'deploy', counts: { errors: 0, warnings: 1 } })
    expect(Object.keys(deploy.stages).sort()).toEqual(['build', 'commit', 'point', 'receive', 'release'])
    expect(deploy.by).toEqual({ kind: 'account', name: 'Ada' })
    const read = await rooms.deploys.read(projectId, deploy.id)
    expect(Object.keys(read.stages).sort()).toEqual(Object.keys(deploy.stages).sort())
    expect(await rooms.refs()).toEqual({ 'refs/heads/main': deploy.commit, 'refs/deploys/1': deploy.commit })
    expect(await rooms.files(deploy.commit ?? '')).toEqual({ 'index.md': 'one', 'odd.md': 'odd' })
    expect((await rooms.repository.readCommit(deploy.commit ?? '')).message.trim()).toBe('First')
    expect(rooms.site('/index.md')).toBe('one')
    expect(await rooms.deploys.live(projectId)).toMatchObject({ id: deploy.id })
    expect(rooms.events).toMatchObject([
      { type: 'deploy.success', projectId, deploy: { id: deploy.id, status: 'live' } },
    ])
    expect(rooms.quota).toEqual([`deploy held ${deploy.id}`, 'deploy used'])
    expect(rooms.steps).toEqual(failpoints)
  })

  it('that changes nothing, a rollback and one that fails use none of the plan', async () => {
    const one = await rooms.deploy({ 'a.md': 'one' })
    await rooms.deploy({ 'a.md': 'two' })
    expect(rooms.quota.filter((entry) => entry === 'deploy used')).toHaveLength(2)
    await rooms.deploy({ 'broken.md': '' })
    rooms.quotaRefuses = new Failure('quota_exceeded', 'No more today.')
    await rooms.deploy({ 'a.md': 'two' })
    await rooms.rollback(one.id)
    rooms.quotaRefuses = undefined
    expect(rooms.quota.filter((entry) => entry === 'deploy used')).toHaveLength(2)
  })

  it('replaces all files, and takes those that the project has by their id', async () => {
    const first = await rooms.deploy({ 'a.md': 'a', 'b.md': 'b' })
    const a = (await rooms.repository.readTree(first.commit ?? '')).get('a.md')
    const files = [
      { path: 'moved.md', oid: a?.oid ?? '' },
      { path: 'new.md', content: 'new' },
    ]
    const second = await ended(rooms.deploys.deploy(rooms.trigger(), files))
    expect(await rooms.files(second.commit ?? '')).toEqual({ 'moved.md': 'a', 'new.md': 'new' })
    expect((await rooms.repository.readCommit(second.commit ?? '')).parents).toEqual([first.commit])
    const third = await rooms.deploy({ 'new.md': 'new' })
    expect(await rooms.files(third.commit ?? '')).toEqual({ 'new.md': 'new' })
    expect(rooms.site('/moved.md')).toBeUndefined()
  })

  it('uses content that was sent ahead', async () => {
    const [oid = ''] = await rooms.deploys.putObjects(projectId, [{ content: 'ahead' }])
    await ended(rooms.deploys.deploy(rooms.trigger(), [{ path: 'ahead.md', oid }]))
    expect(rooms.site('/ahead.md')).toBe('ahead')
  })

  it('of the same files makes no commit, no build and no release', async () => {
    const one = await rooms.deploy({ 'index.md': 'same' })
    const two = await rooms.deploy({ 'index.md': 'same' })
    expect(two).toMatchObject({ status: 'live', number: 2, commit: one.commit, tree: one.tree })
    expect(two.pages).toEqual({ total: 1, built: 0, reused: 1 })
    expect(rooms.builder.builds).toBe(1)
    expect([...rooms.releases.releases.keys()]).toEqual([one.id])
    expect(await rooms.deploys.live(projectId)).toMatchObject({ id: two.id })
    expect((await rooms.history()).map(({ status }) => status)).toEqual(['live', 'superseded'])
  })

  it('of the same files is built where something of it is elsewhere, with no commit and no deploy of the plan', async () => {
    const one = await rooms.deploy({ 'elsewhere.md': 'same' })
    const charged = rooms.quota.length
    const two = await rooms.deploy({ 'elsewhere.md': 'same' })
    expect(two).toMatchObject({ status: 'live', number: 2, commit: one.commit, tree: one.tree })
    expect(rooms.builder.builds).toBe(2)
    expect([...rooms.releases.releases.keys()]).toEqual([one.id, two.id])
    expect(rooms.quota.slice(charged)).not.toContain('deploy used')
  })

  it('that does not build moves nothing, is on record and told, and costs nothing', async () => {
    await rooms.deploy({ 'index.md': 'one' })
    const before = await rooms.refs()
    const failed = await rooms.deploy({ 'broken.md': 'x' })
    expect(failed).toMatchObject({ status: 'failed', errors: [{ path: 'broken.md', line: 3, frame: '> 3 | broken' }] })
    expect(await rooms.deploys.read(projectId, failed.id)).toMatchObject({ status: 'failed', errors: failed.errors })
    expect(await rooms.refs()).toEqual(before)
    expect(rooms.site('/index.md')).toBe('one')
    expect(eventTypes()).toEqual(['deploy.success', 'deploy.failed'])
    expect(rooms.quota.at(-1)).toBe('deploy given back')
  })

  it('is refused while another one runs, and the other one is not disturbed', async () => {
    const letBuild = holdBuild()
    const first = await rooms.deploys.deploy(rooms.trigger(), [{ path: 'a.md', content: 'first' }])
    await expect(rooms.deploy({ 'a.md': 'second' })).rejects.toMatchObject({
      code: 'deploy_in_progress',
      retryAfter: 1,
    })
    letBuild()
    expect(await first.finished).toMatchObject({ status: 'live', number: 1 })
    expect(await rooms.deploy({ 'a.md': 'second' })).toMatchObject({ status: 'live', number: 2 })
  })

  it('can be followed from its beginning, also by one who comes late', async () => {
    const letBuild = holdBuild()
    const { deploy, finished } = await rooms.deploys.deploy(rooms.trigger(), [{ path: 'a.md', content: 'a' }])
    const early: DeployEvent[] = []
    await rooms.deploys.follow(projectId, deploy.id, (event) => early.push(event))
    letBuild()
    await finished
    const stages = early.flatMap((event) => (event.type === 'stage' ? [event.stage] : []))
    expect(stages).toEqual(['receive', 'commit', 'build', 'release', 'point'])
    expect(early.at(-1)).toMatchObject({ type: 'done', deploy: { status: 'live' } })
    const late: DeployEvent[] = []
    await rooms.deploys.follow(projectId, deploy.id, (event) => late.push(event))
    expect(late).toMatchObject([{ type: 'done', deploy: { id: deploy.id, status: 'live' } }])
  })
})

describe('a deploy that is refused', () => {
  /** Nothing is on record, taken or locked. */
  const expectNothing = async (): Promise<void> => {
    expect(await rooms.history()).toEqual([])
    expect(await rooms.refs()).toEqual({})
    expect(rooms.events).toEqual([])
    expect(rooms.quota.filter((entry) => !entry.startsWith('deploy held'))).toEqual(
      rooms.quota.length === 0 ? [] : ['deploy given back'],
    )
    rooms.outboxRefuses = rooms.quotaRefuses = rooms.storeRefuses = undefined
    expect(await rooms.deploy({ 'a.md': 'a' })).toMatchObject({ status: 'live', number: 1 })
  }

  it('for content that the service lacks names it', async () => {
    const oid = 'f'.repeat(40)
    const deploying = ended(rooms.deploys.deploy(rooms.trigger(), [{ path: 'a.md', oid }]))
    await expect(deploying).rejects.toMatchObject({ code: 'missing_objects', errors: [{ path: 'a.md' }] })
    await expectNothing()
  })

  it('for a path that no file system should hold', async () => {
    await expect(rooms.deploy({ '.git/config': 'x' })).rejects.toMatchObject({ code: 'invalid_path' })
    await expectNothing()
  })

  it('because its end could not be told, before anything of the plan is taken', async () => {
    rooms.outboxRefuses = new Failure('unavailable', 'The outbox is full.')
    await expect(rooms.deploy({ 'a.md': 'a' })).rejects.toMatchObject({ code: 'unavailable' })
    expect(rooms.quota).toEqual([])
    await expectNothing()
  })

  it('because the plan has none left, before anything is written or built', async () => {
    rooms.quotaRefuses = new Failure('quota_exceeded', 'No more today.')
    const write = vi.spyOn(rooms.repository, 'replaceTree')
    await expect(rooms.deploy({ 'a.md': 'a' })).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect([rooms.builder.builds, write.mock.calls.length]).toEqual([0, 0])
    await expectNothing()
  })

  it('because the disk does not take its record', async () => {
    rooms.storeRefuses = () => new Failure('unavailable', 'The disk is full.')
    await expect(rooms.deploy({ 'a.md': 'a' })).rejects.toMatchObject({ code: 'unavailable' })
    await expectNothing()
  })
})

describe('a deploy that breaks off', () => {
  it('before its refs move has failed, and its key may try again', async () => {
    const files = { 'a.md': 'a' }
    const idempotency = { key: 'k', body: 'b' }
    const publish = rooms.releases.publish.bind(rooms.releases)
    rooms.releases.publish = () => Promise.reject(new Error('EIO'))
    await expect(rooms.deploy(files, { idempotency })).rejects.toThrow('EIO')
    expect(await rooms.history()).toMatchObject([
      { status: 'failed', errors: [{ message: 'The service made a mistake; nothing was changed.' }] },
    ])
    expect(eventTypes()).toEqual(['deploy.failed'])
    expect(rooms.logged).toEqual(['a deploy broke off'])
    rooms.releases.publish = publish
    expect(await rooms.deploy(files, { idempotency })).toMatchObject({ status: 'live', number: 2 })
  })

  it('and cannot even be recorded as failed is mended by whoever comes next', async () => {
    rooms.onStep = (step) => {
      if (step === 'after-record') rooms.storeRefuses = () => new Failure('unavailable', 'The disk is full.')
    }
    await expect(rooms.deploy({ 'broken.md': 'x' })).rejects.toMatchObject({ code: 'unavailable' })
    expect((await rooms.history()).map(({ status }) => status)).toEqual(['building'])
    expect(rooms.quota.at(-1)).toBe('deploy given back')
    rooms.onStep = () => undefined
    rooms.storeRefuses = undefined
    await rooms.deploy({ 'a.md': 'a' })
    expect((await rooms.history()).map(({ status }) => status)).toEqual(['live', 'failed'])
    expect(eventTypes()).toEqual(['deploy.failed', 'deploy.success'])
  })

  it('after its refs have moved is carried to its end by whoever comes next', async () => {
    await rooms.deploy({ 'a.md': 'before' })
    rooms.onStep = (step) => {
      if (step === 'after-refs') rooms.storeRefuses = () => new Failure('unavailable', 'The disk is full.')
    }
    await expect(rooms.deploy({ 'a.md': 'after' })).rejects.toMatchObject({ code: 'unavailable' })
    expect(rooms.site('/a.md')).toBe('before')
    rooms.onStep = () => undefined
    rooms.storeRefuses = undefined
    const [cut] = await rooms.history()
    expect(await rooms.rollback(cut?.id ?? '').catch((error: unknown) => error)).toMatchObject({ status: 'live' })
    expect((await rooms.history()).map(({ status, kind }) => `${kind} ${status}`)).toEqual([
      'rollback live',
      'deploy superseded',
      'deploy superseded',
    ])
    expect(rooms.site('/a.md')).toBe('after')
    expect(eventTypes()).toEqual(['deploy.success', 'deploy.success', 'deploy.success'])
  })
})

describe('kill -9 during a deploy', () => {
  it.each(failpoints)('%s leaves it as if it had never been, or live', async (failpoint) => {
    const before = await rooms.deploy({ 'a.md': 'before' })
    const killed = new Promise<void>((resolve) => {
      rooms.onStep = (step) => {
        if (step !== failpoint) return
        rooms.kill()
        resolve()
      }
    })
    rooms.deploy({ 'a.md': 'after' }).catch(() => undefined)
    await killed
    await rooms.restart()
    const happened = failpoint === 'after-refs' || failpoint === 'after-point'
    expect(rooms.site('/a.md')).toBe(happened ? 'after' : 'before')
    const live = await rooms.deploys.live(projectId)
    expect(await rooms.main()).toBe(live?.commit)
    if (!happened) expect(live?.id).toBe(before.id)
    const statuses = (await rooms.history()).map(({ status }) => status)
    const onRecord = !['after-lease', 'after-commit'].includes(failpoint)
    expect(statuses).toEqual(happened ? ['live', 'superseded'] : onRecord ? ['failed', 'live'] : ['live'])
    expect(eventTypes()).toEqual(
      happened
        ? ['deploy.success', 'deploy.success']
        : onRecord
          ? ['deploy.success', 'deploy.failed']
          : ['deploy.success'],
    )
    expect(await rooms.deploy({ 'a.md': 'next' })).toMatchObject({ status: 'live' })
  })
})

describe('an idempotency key', () => {
  const idempotency = { key: 'k', body: 'b' }

  it('answers a repeated request with the first deploy: while it runs, after it, after a restart', async () => {
    const letBuild = holdBuild()
    const first = rooms.deploy({ 'a.md': 'a' }, { idempotency })
    const meanwhile = rooms.deploy({ 'a.md': 'a' }, { idempotency })
    await expect.poll(() => rooms.builder.held.length).toBe(1)
    letBuild()
    const { id } = await first
    expect((await meanwhile).id).toBe(id)
    expect((await rooms.deploy({ 'a.md': 'a' }, { idempotency })).id).toBe(id)
    await rooms.restart()
    expect((await rooms.deploy({ 'a.md': 'a' }, { idempotency })).id).toBe(id)
    expect(await rooms.history()).toHaveLength(1)
  })

  it('is refused with another body', async () => {
    await rooms.deploy({ 'a.md': 'a' }, { idempotency })
    const other = rooms.deploy({ 'a.md': 'a' }, { idempotency: { ...idempotency, body: 'other' } })
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })

  it('repeats a failed build’s answer', async () => {
    const first = await rooms.deploy({ 'broken.md': 'x' }, { idempotency })
    expect(await rooms.deploy({ 'broken.md': 'x' }, { idempotency })).toMatchObject({ id: first.id, status: 'failed' })
    expect(rooms.builder.builds).toBe(1)
  })

  it('of what was refused before it was on record may be used again', async () => {
    await expect(rooms.deploy({ '.git/config': 'x' }, { idempotency })).rejects.toMatchObject({ code: 'invalid_path' })
    expect(await rooms.deploy({ 'a.md': 'a' }, { idempotency })).toMatchObject({ status: 'live' })
  })
})

describe('a rollback', () => {
  it('serves an earlier release again without a build, with a commit on main', async () => {
    const one = await rooms.deploy({ 'a.md': 'one' })
    const two = await rooms.deploy({ 'a.md': 'two' })
    const { builds } = rooms.builder
    const back = await rooms.rollback(one.id)
    expect(back).toMatchObject({ status: 'live', kind: 'rollback', rollbackOf: one.id, tree: one.tree, number: 3 })
    expect(rooms.builder.builds).toBe(builds)
    expect(rooms.site('/a.md')).toBe('one')
    expect((await rooms.repository.readCommit(back.commit ?? '')).parents).toEqual([two.commit])
    expect((await rooms.history()).map(({ status }) => status)).toEqual(['live', 'superseded', 'superseded'])
  })

  it('is refused for a deploy that failed, is not there or whose release is gone', async () => {
    const one = await rooms.deploy({ 'a.md': 'one' })
    const failed = await rooms.deploy({ 'broken.md': '' })
    await rooms.deploy({ 'a.md': 'two' })
    await expect(rooms.rollback(failed.id)).rejects.toMatchObject({ code: 'release_gone' })
    await expect(rooms.rollback('nosuchdeploy')).rejects.toMatchObject({ code: 'not_found' })
    rooms.releases.releases.delete(one.id)
    await expect(rooms.rollback(one.id)).rejects.toMatchObject({ code: 'release_gone' })
    expect(await rooms.history()).toHaveLength(3)
  })
})

describe('lists of deploys', () => {
  it('go back page by page, past what the project’s document holds', async () => {
    for (let number = 1; number <= 105; number++) await rooms.deploy({ 'a.md': `${number % 2}` })
    const numbers: number[] = []
    let cursor: string | undefined
    do {
      const page = await rooms.deploys.list(projectId, { limit: 40, ...(cursor === undefined ? {} : { cursor }) })
      numbers.push(...page.items.map((item) => item.number))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(numbers).toEqual(Array.from({ length: 105 }, (_, index) => 105 - index))
  })

  it('refuse a cursor that no page of theirs gave', async () => {
    const deploy = await rooms.deploy({ 'a.md': 'one' })
    for (const cursor of ['x', 'zzzz!', '', deploy.id]) {
      await expect(rooms.deploys.list(projectId, { cursor })).rejects.toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer: '/cursor' }],
      })
    }
  })
})

describe('a deploy of long ago', () => {
  it('still says how it went, when the project’s document has forgotten it', async () => {
    const old = await rooms.deploy({ 'index.md': 'old', 'odd.md': 'odd' })
    const { stages, durationMs, finishedAt } = await rooms.deploys.read(projectId, old.id)
    for (let number = 0; number < maxSummaries; number++) await rooms.deploy({ 'broken.md': 'x' })
    await rooms.deploy({ 'index.md': 'new' })
    const { url: _url, ...shown } = await rooms.deploys.read(projectId, old.id)
    expect(shown).toMatchObject({ status: 'superseded', by: { kind: 'account', name: 'Ada' }, warnings: old.warnings })
    expect(Object.keys(stages).sort()).toEqual(['build', 'commit', 'point', 'receive', 'release'])
    expect(shown).toMatchObject({ stages, durationMs, finishedAt })
  })
})
