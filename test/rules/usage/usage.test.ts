import { describe, expect, onTestFinished, test } from 'vitest'
import type { Plan } from '#contract/projects.ts'
import type { Store } from '#storage/store.ts'
import { openDocuments } from '#storage/documents/document-store.ts'
import { isQuantity, periodOf, type Meter } from '#usage/plans.ts'
import { Usage, type UnsettledReservation } from '#usage/usage.ts'
import { MemoryDocuments } from '#test/support/memory-documents.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The room over a real store, with a clock that stands still and an owner whose plan a test may change. */
async function openRoom(plan: Plan) {
  let documents = new MemoryDocuments()
  const owner: { id: string; plan: Plan } = { id: 'acc_Ada', plan }
  let time = Date.UTC(2026, 10, 21, 12)
  const errors: unknown[] = []
  const rooms: { store: Store; usage: Usage }[] = []
  const open = async () => {
    documents = documents.afterDeath()
    const store = await openDocuments(documents)
    const usage = new Usage({
      store,
      projectOf: async (id) => ({ id, owner: owner.id, plan: owner.plan }),
      now: () => new Date(time),
      onError: (error) => errors.push(error),
    })
    rooms.push({ store, usage })
    return { store, usage }
  }
  onTestFinished(async () => {
    for (const { usage, store } of rooms) {
      await usage.close()
      await store.close()
    }
  })
  const spend = async (usage: Usage, meter: Meter, slug = 'leaves'): Promise<void> =>
    (await usage.reserve(slug, meter)).settle(1)
  return { ...(await open()), reopen: open, owner, errors, spend, pass: (ms: number) => (time += ms) }
}

describe('deploys of a plan', () => {
  test('Free has three a day, and says when there are more', async () => {
    const { usage, pass, spend } = await openRoom('free')
    for (let index = 0; index < 3; index++) await spend(usage, 'deploys')
    await expect(usage.reserve('leaves', 'deploys')).rejects.toMatchObject({
      code: 'quota_exceeded',
      retryAfter: 12 * 60 * 60,
      hint: 'The count starts anew on 22 November at 00:00 UTC. The plan is that of the project’s owner: who operates this service can change it to Pro, which has no such limit.',
      message: 'The Free plan allows 3 deploys a day, and they are used up.',
      extra: { plan: 'Free', limit: 3, resetsAt: '2026-11-22T00:00:00.000Z' },
    })
    pass(12 * 60 * 60 * 1000)
    await spend(usage, 'deploys')
    expect((await usage.read('leaves')).deploys).toEqual({
      used: 1,
      ofProject: 1,
      limit: 3,
      remaining: 2,
      resetsAt: '2026-11-23T00:00:00.000Z',
      inPeriod: 4,
    })
  })

  test('Pro has as many as it likes', async () => {
    const { usage, spend } = await openRoom('pro')
    await Promise.all(Array.from({ length: 20 }, () => spend(usage, 'deploys')))
    expect((await usage.read('leaves')).deploys).toMatchObject({ used: 20, limit: null, remaining: null })
  })

  test('a deploy that produced nothing is given back', async () => {
    const { usage } = await openRoom('free')
    for (let index = 0; index < 10; index++) await (await usage.reserve('leaves', 'deploys')).settle(0)
    expect((await usage.read('leaves')).deploys).toMatchObject({ used: 0, remaining: 3 })
  })

  test('are those of all projects of the owner, and each tells how many are its own', async () => {
    const { usage, spend } = await openRoom('free')
    for (const project of ['leaves', 'roots', 'roots']) await spend(usage, 'deploys', project)
    for (const project of ['leaves', 'roots', 'twigs'])
      await expect(usage.reserve(project, 'deploys')).rejects.toMatchObject({ code: 'quota_exceeded' })
    const used = async (project: string) => (await usage.read(project)).deploys
    expect(await used('leaves')).toMatchObject({ used: 3, ofProject: 1, remaining: 0, inPeriod: 3 })
    expect(await used('roots')).toMatchObject({ used: 3, ofProject: 2, remaining: 0, inPeriod: 3 })
    expect(await used('twigs')).toMatchObject({ used: 3, ofProject: 0, remaining: 0, inPeriod: 3 })
  })

  test('64 at once, of many projects, are three', async () => {
    const { usage } = await openRoom('free')
    const tries = await Promise.allSettled(
      Array.from({ length: 64 }, (_, index) => usage.reserve(`project-${index % 8}`, 'deploys')),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  test('64 at once never exceed the quota, whatever becomes of each', async () => {
    const { usage } = await openRoom('free')
    let live = 0
    const tries = await Promise.allSettled(
      Array.from({ length: 64 }, async (_, index) => {
        const reserved = await usage.reserve('leaves', 'deploys')
        await reserved.hold(`d${index}`)
        expect((await usage.read('leaves')).deploys.used).toBeLessThanOrEqual(3)
        await reserved.settle(index % 2 === 0 ? 1 : 0)
        live += index % 2 === 0 ? 1 : 0
      }),
    )
    for (const outcome of tries)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'quota_exceeded' })
    expect((await usage.read('leaves')).deploys.used).toBe(live)
  })
})

describe('the month’s generations', () => {
  test('are shared by generations, branches, messages and answers; the last two are also counted apart', async () => {
    const { usage, owner, spend } = await openRoom('pro')
    for (const meter of ['generations', 'branches', 'agentMessages', 'agentMessages', 'answers'] as const)
      await spend(usage, meter)
    expect(await usage.read('leaves')).toEqual({
      plan: 'pro',
      period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
      generations: { used: 5, ofProject: 5, limit: null, remaining: null, resetsAt: '2026-12-01T00:00:00.000Z' },
      deploys: {
        used: 0,
        ofProject: 0,
        limit: null,
        remaining: null,
        resetsAt: '2026-11-22T00:00:00.000Z',
        inPeriod: 0,
      },
      agentMessages: {
        used: 2,
        ofProject: 2,
        limit: null,
        remaining: null,
        resetsAt: '2026-12-01T00:00:00.000Z',
        shares: 'generations',
      },
      answers: {
        used: 1,
        ofProject: 1,
        limit: null,
        remaining: null,
        resetsAt: '2026-12-01T00:00:00.000Z',
        shares: 'generations',
      },
      models: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    })
    owner.plan = 'free'
    expect(await usage.read('leaves')).toMatchObject({
      generations: { used: 5, limit: 1, remaining: 0 },
      agentMessages: { used: 2, limit: 1, remaining: 0 },
    })
  })

  test.each(['generations', 'branches', 'agentMessages'] as const)(
    'are used up by one of %s on Free',
    async (first) => {
      const { usage, spend } = await openRoom('free')
      await spend(usage, first)
      for (const meter of ['generations', 'branches', 'agentMessages'] as const)
        await expect(usage.reserve('leaves', meter)).rejects.toMatchObject({ code: 'quota_exceeded' })
      await expect(usage.reserve('leaves', 'branches')).rejects.toThrow(
        'The Free plan allows 1 generation a month (creating a branch counts as one), and it is used up.',
      )
    },
  )

  test('what is under way counts, and 64 at once are one', async () => {
    const { usage } = await openRoom('free')
    const tries = await Promise.allSettled(Array.from({ length: 64 }, () => usage.reserve('leaves', 'agentMessages')))
    const [taken, ...more] = tries.flatMap((tried) => (tried.status === 'fulfilled' ? [tried.value] : []))
    expect(more).toEqual([])
    expect(await usage.read('leaves')).toMatchObject({ generations: { used: 1 }, agentMessages: { used: 1 } })
    await taken?.settle(0)
    expect(await usage.read('leaves')).toMatchObject({ generations: { used: 0 }, agentMessages: { used: 0 } })
  })
})

describe('a plan that an operator changes', () => {
  test('counts from the next reservation on, in both directions', async () => {
    const { usage, owner, spend } = await openRoom('free')
    for (let index = 0; index < 3; index++) await spend(usage, 'deploys')
    owner.plan = 'pro'
    for (let index = 0; index < 3; index++) await spend(usage, 'deploys')
    owner.plan = 'free'
    await expect(usage.reserve('leaves', 'deploys')).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect((await usage.read('leaves')).deploys).toMatchObject({ used: 6, limit: 3, remaining: 0 })
  })
})

describe('a crash', () => {
  test('gives back what was only reserved, and asks once what came of what was held', async () => {
    const { usage, reopen, spend } = await openRoom('pro')
    await spend(usage, 'deploys')
    await usage.reserve('leaves', 'deploys')
    await (await usage.reserve('leaves', 'deploys')).hold('live')
    await (await usage.reserve('leaves', 'deploys')).hold('lost')
    await (await usage.reserve('leaves', 'branches')).hold('my/branch')
    const next = await reopen()
    expect((await next.usage.read('leaves')).deploys.used).toBe(3)
    const asked: UnsettledReservation[] = []
    const answer = async (left: UnsettledReservation): Promise<number> => {
      asked.push(left)
      return left.subject === 'lost' ? 0 : 1
    }
    await next.usage.recover(answer)
    expect(asked).toEqual([
      { project: 'leaves', counted: 'deploys', subject: 'live' },
      { project: 'leaves', counted: 'deploys', subject: 'lost' },
      { project: 'leaves', counted: 'branches', subject: 'my/branch' },
    ])
    expect(await next.usage.read('leaves')).toMatchObject({ deploys: { used: 2 }, generations: { used: 1 } })
    const last = await reopen()
    await last.usage.recover(answer)
    expect(asked).toHaveLength(3)
    expect((await last.usage.read('leaves')).deploys.used).toBe(2)
  })

  test('leaves taken what nobody can tell yet', async () => {
    const { usage, reopen, errors } = await openRoom('free')
    await (await usage.reserve('leaves', 'branches')).hold('odd')
    const next = await reopen()
    await next.usage.recover(() => Promise.reject(new Error('damaged')))
    expect(errors).toHaveLength(1)
    await expect(next.usage.reserve('leaves', 'branches')).rejects.toMatchObject({ code: 'quota_exceeded' })
    const last = await reopen()
    await last.usage.recover(async () => 0)
    expect((await last.usage.read('leaves')).generations.used).toBe(0)
  })
})

describe('what models use', () => {
  const estimate = { inputTokens: 100, outputTokens: 1000, costNanoUsd: 0 }
  const used = { inputTokens: 90, outputTokens: 1200, costNanoUsd: 2_500_000_000 }

  test('is counted as estimated while it is under way, then as it was', async () => {
    const { usage } = await openRoom('free')
    const reserved = await usage.reserveQuantities('leaves', estimate)
    expect((await usage.read('leaves')).models).toEqual({ inputTokens: 100, outputTokens: 1000, costUsd: 0 })
    await reserved.settle(used)
    await reserved.settle(used)
    expect((await usage.read('leaves')).models).toEqual({ inputTokens: 90, outputTokens: 1200, costUsd: 2.5 })
    expect((await usage.read('leaves')).generations.used).toBe(0)
  })

  test('is counted after a crash by what came of it', async () => {
    const { usage, reopen } = await openRoom('pro')
    await (await usage.reserveQuantities('leaves', estimate)).hold('work')
    await usage.reserveQuantities('leaves', estimate)
    const next = await reopen()
    await next.usage.recover(async ({ counted }) => (isQuantity(counted) ? used[counted] : 1))
    expect((await next.usage.read('leaves')).models).toEqual({ inputTokens: 90, outputTokens: 1200, costUsd: 2.5 })
  })
})

describe('counters', () => {
  test('are an account’s: another account begins with all of it', async () => {
    const { usage, owner, spend } = await openRoom('free')
    await spend(usage, 'branches')
    expect((await usage.read('roots')).generations).toMatchObject({ used: 1, ofProject: 0 })
    owner.id = 'acc_Bob'
    expect((await usage.read('leaves')).generations.used).toBe(0)
    owner.id = 'acc_Ada'
    expect((await usage.read('leaves')).generations.used).toBe(1)
  })

  test('of past months become one document for each account, also while the service runs', async () => {
    const { usage, store, spend, pass } = await openRoom('pro')
    for (const slug of ['leaves', 'roots', 'bark']) await spend(usage, 'deploys', slug)
    pass(10 * dayMs)
    await spend(usage, 'deploys', 'leaves')
    await usage.close()
    expect([...(await store.list('usage'))].sort()).toEqual([
      'usage/2026-12/acc-ada/leaves',
      'usage/history/acc-ada/2026-11',
    ])
  })

  test('that an earlier version kept with the project are taken over once', async () => {
    const { usage, store, owner, spend } = await openRoom('free')
    const old = 'project/leaves'
    await store.mutate(old, () => ({ document: { slug: 'leaves' }, result: undefined }))
    for (const [meter, period] of [
      ['deploys', '2026-11-21'],
      ['deploys', '2026-11-21'],
      ['deploys', '2026-11-20'],
      ['generations', '2026-11'],
    ] as const) {
      const taken = await store.reserve(old, { meter, period, amount: 1, limit: null })
      if (taken !== null) await store.settle(taken, 1)
    }
    await usage.adopt(['leaves'], (slug) => `project/${slug}`)
    await usage.adopt(['leaves'], (slug) => `project/${slug}`)
    await store.mutate(old, () => ({ document: undefined, result: undefined }))
    expect(await usage.read('leaves')).toMatchObject({ deploys: { used: 2, remaining: 1 }, generations: { used: 1 } })
    await spend(usage, 'deploys')
    await expect(usage.reserve('leaves', 'deploys')).rejects.toMatchObject({ code: 'quota_exceeded' })
    await expect(usage.reserve('leaves', 'branches')).rejects.toMatchObject({ code: 'quota_exceeded' })
    owner.plan = 'pro'
    await spend(usage, 'branches')
    expect((await usage.read('leaves')).generations.used).toBe(2)
  })
})

describe('periods', () => {
  test.each([
    ['day', '2026-11-21T23:59:59.999Z', '2026-11-21', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    ['day', '2026-12-31T00:00:00.000Z', '2026-12-31', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-28', '2028-02-28T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['month', '2026-11-21T12:00:00.000Z', '2026-11', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ] as const)('the %s of %s is %s', (per, at, key, start, end) => {
    expect(periodOf(per, new Date(at))).toEqual({ key, start: new Date(start), end: new Date(end) })
  })
})
