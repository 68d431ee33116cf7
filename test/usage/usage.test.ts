import { describe, expect, test } from 'vitest'
import type { Plan } from '../../src/contract/projects.ts'
import { periodOf } from '../../src/usage/period.ts'
import { Usage } from '../../src/usage/usage.ts'
import { openAccess } from '../support/access.ts'

async function openUsage(plan: Plan) {
  const { store, projects, now, pass } = await openAccess()
  await projects.create('acc_ada', { slug: 'leaves' })
  const usage = new Usage({ store, documentOf: (slug) => `project/${slug}`, planOf: async () => plan, now })
  return { usage, pass, store }
}

describe('deploys of a plan', () => {
  test('Free has three a day, and says when there are more', async () => {
    const { usage, pass } = await openUsage('free')
    for (let index = 0; index < 3; index++) await usage.settle(await usage.reserveDeploy('leaves'), 1)
    await expect(usage.reserveDeploy('leaves')).rejects.toMatchObject({
      code: 'quota_exceeded',
      retryAfter: 12 * 60 * 60,
      hint: expect.stringContaining('2026-11-22T00:00:00.000Z') as string,
      message: expect.stringContaining('The Free plan allows 3 deploys a day') as string,
    })
    pass(12 * 60 * 60 * 1000)
    await usage.settle(await usage.reserveDeploy('leaves'), 1)
  })

  test('Pro has as many as it likes', async () => {
    const { usage } = await openUsage('pro')
    const all = await Promise.all(Array.from({ length: 20 }, () => usage.reserveDeploy('leaves')))
    expect(new Set(all.map(({ id }) => id)).size).toBe(20)
  })

  test('a deploy that produced nothing is given back', async () => {
    const { usage } = await openUsage('free')
    for (let index = 0; index < 10; index++) await usage.settle(await usage.reserveDeploy('leaves'), 0)
    expect(await usage.reserveDeploy('leaves')).toMatchObject({ meter: 'deploys', period: '2026-11-21', amount: 1 })
  })

  test('64 at once on Free never exceed the quota', async () => {
    const { usage, store } = await openUsage('free')
    const tries = await Promise.allSettled(
      Array.from({ length: 64 }, async () => usage.settle(await usage.reserveDeploy('leaves'), 1)),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await store.used('project/leaves', 'deploys', '2026-11-21')).toBe(3)
  })
})

describe('periods', () => {
  test.each([
    ['day', '2026-11-21T23:59:59.999Z', '2026-11-21', '2026-11-22T00:00:00.000Z'],
    ['day', '2026-12-31T00:00:00.000Z', '2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-28', '2028-02-29T00:00:00.000Z'],
    ['month', '2026-11-21T12:00:00.000Z', '2026-11', '2026-12-01T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
  ] as const)('the %s of %s is %s and ends at %s', (per, at, key, end) => {
    expect(periodOf(per, new Date(at))).toEqual({ key, end: new Date(end) })
  })
})
