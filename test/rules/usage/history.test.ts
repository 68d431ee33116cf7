import { expect, onTestFinished, test } from 'vitest'
import type { UsageMonth } from '#contract/usage.ts'
import { openDocuments } from '#storage/documents/document-store.ts'
import type { Meter } from '#usage/plans.ts'
import { Usage } from '#usage/usage.ts'
import { MemoryDocuments } from '#test/support/memory-documents.ts'

/** The room over a real store, whose clock stands still until a test moves it. */
async function openRoom() {
  let documents = new MemoryDocuments()
  const owner = { id: 'acc_Ada' }
  let time = Date.UTC(2026, 10, 21, 12)
  const errors: unknown[] = []
  const open = async () => {
    documents = documents.afterDeath()
    const store = await openDocuments(documents)
    const usage = new Usage({
      store,
      projectOf: async (id) => ({ id, owner: owner.id, plan: 'pro' }),
      now: () => new Date(time),
      onError: (error) => errors.push(error),
    })
    onTestFinished(async () => {
      await usage.close()
      await store.close()
      expect(errors).toEqual([])
    })
    return { usage, store }
  }
  const spend = async (usage: Usage, meter: Meter, slug = 'leaves'): Promise<void> =>
    (await usage.reserve(slug, meter)).settle(1)
  const goTo = (year: number, month: number): void => void (time = Date.UTC(year, month - 1, 15))
  return { ...(await open()), open, owner, errors, spend, goTo }
}

const monthOf = ({ period }: UsageMonth): string => period.start.slice(0, 7)

test('the running month is there from the beginning, with what is under way', async () => {
  const { usage, spend } = await openRoom()
  await spend(usage, 'deploys')
  await usage.reserve('roots', 'agentMessages')
  expect(await usage.history('leaves', 12)).toEqual([
    {
      period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
      generations: { used: 1, ofProject: 0 },
      deploys: { used: 1, ofProject: 1 },
      agentMessages: { used: 1, ofProject: 0 },
      answers: { used: 0, ofProject: 0 },
      models: {
        inputTokens: 0,
        outputTokens: 0,
        costUsd: 0,
        ofProject: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
      },
    },
  ])
})

test('former months stay when their counters go, those without any use among them, and after a restart', async () => {
  const { usage, spend, goTo, open } = await openRoom()
  for (const slug of ['leaves', 'leaves', 'roots']) await spend(usage, 'deploys', slug)
  await spend(usage, 'answers', 'roots')
  const models = await usage.reserveQuantities('leaves', { inputTokens: 1, outputTokens: 1, costNanoUsd: 0 })
  await models.settle({ inputTokens: 90, outputTokens: 1200, costNanoUsd: 2_500_000_000 })
  goTo(2027, 1)
  await spend(usage, 'branches')
  await usage.close()
  const expected = [
    { generations: { used: 1, ofProject: 1 }, deploys: { used: 0, ofProject: 0 } },
    { generations: { used: 0, ofProject: 0 }, deploys: { used: 0, ofProject: 0 } },
    {
      generations: { used: 1, ofProject: 0 },
      deploys: { used: 3, ofProject: 2 },
      answers: { used: 1, ofProject: 0 },
      models: { inputTokens: 90, outputTokens: 1200, costUsd: 2.5, ofProject: { inputTokens: 90, costUsd: 2.5 } },
    },
  ]
  expect((await usage.history('leaves', 12)).map(monthOf)).toEqual(['2027-01', '2026-12', '2026-11'])
  expect(await usage.history('leaves', 12)).toMatchObject(expected)
  expect(await (await open()).usage.history('leaves', 12)).toMatchObject(expected)
  expect((await usage.history('leaves', 2)).map(monthOf)).toEqual(['2027-01'])
})

test('a month counts the same before, while and after its counters are put together', async () => {
  const { usage, store, spend, goTo } = await openRoom()
  await spend(usage, 'deploys', 'leaves')
  // What a process that died holds stays until it is known what came of it.
  await spend(usage, 'deploys', 'roots')
  await (await usage.reserve('roots', 'deploys')).hold('unknown')
  goTo(2026, 12)
  const before = await usage.history('leaves', 12)
  expect(before[1]).toMatchObject({ deploys: { used: 3, ofProject: 1 } })
  await spend(usage, 'branches')
  await usage.close()
  expect((await store.list('usage/2026-11/')).length).toBe(1)
  expect((await usage.history('leaves', 12))[1]).toEqual(before[1])
})

test('a crash between the two steps counts nothing twice', async () => {
  const { usage, store, spend, goTo, open, errors } = await openRoom()
  await spend(usage, 'deploys')
  goTo(2026, 12)
  const mutate: typeof store.mutate = store.mutate.bind(store)
  // The history is written, and the counters do not go any more.
  store.mutate = (name, ...rest) =>
    name.startsWith('usage/2026-11') ? Promise.reject(new Error('killed')) : mutate(name, ...rest)
  await spend(usage, 'branches')
  await usage.close()
  expect(errors.splice(0)).toHaveLength(1)
  expect(await store.list('usage/2026-11/')).toHaveLength(1)
  const next = await open()
  expect((await next.usage.history('leaves', 12))[1]).toMatchObject({ deploys: { used: 1, ofProject: 1 } })
  await next.usage.recover(async () => 0)
  await next.usage.close()
  expect([...(await next.store.list('usage'))].sort()).toEqual([
    'usage/2026-12/acc-ada/leaves',
    'usage/history/acc-ada/2026-11',
  ])
  expect((await next.usage.history('leaves', 12))[1]).toMatchObject({ deploys: { used: 1, ofProject: 1 } })
})

test('is an account’s, keeps two years, and many projects of a month are one', async () => {
  const { usage, store, owner, spend, goTo } = await openRoom()
  for (let project = 0; project < 205; project++) await spend(usage, 'deploys', `p${project}`)
  goTo(2026, 12)
  await spend(usage, 'branches')
  await usage.close()
  const many = (await usage.history('leaves', 12))[1]
  expect(many?.deploys).toEqual({ used: 205, ofProject: 0 })
  const stored = await store.read<{ projects: object; others?: object }>('usage/history/acc-ada/2026-11')
  expect(Object.keys(stored?.projects ?? {})).toHaveLength(200)
  expect(stored?.others).toEqual({ deploys: 5 })
  goTo(2028, 10)
  await spend(usage, 'branches')
  await usage.close()
  expect((await usage.history('leaves', 24)).map(monthOf).at(-1)).toBe('2026-11')
  goTo(2028, 11)
  await spend(usage, 'branches')
  await usage.close()
  expect(await store.list('usage/history/acc-ada/2026-11')).toEqual([])
  owner.id = 'acc_Bob'
  expect(await usage.history('leaves', 24)).toHaveLength(1)
})
