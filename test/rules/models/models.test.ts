import { describe, expect, test } from 'vitest'
import type { MeteredKind, ModelRequest } from '#models/model.ts'
import type { MeteredModels } from '#models/models.ts'
import { answer, reported } from '#test/support/memory-router.ts'
import { fail, hang, heldIn, openRoom, textOf } from './support.ts'

const request: ModelRequest = { messages: [{ role: 'user', content: 'x'.repeat(24) }], maxTokens: 100 }
const stays = new AbortController().signal
const project = 'leaves'

/** One work of one request; how it ended. */
async function work(models: MeteredModels, kind: MeteredKind = 'generations', generation?: string): Promise<string> {
  const begun = await models.begin(project, kind, { generation })
  try {
    return await textOf(begun.ask(request, stays))
  } finally {
    await begun.settle()
  }
}

describe('a work', () => {
  test('that produced something counts, with the tokens and the cost that were reported', async () => {
    const { models, usage, store } = await openRoom()
    expect(await work(models)).toBe('Hello')
    expect(await usage.read(project)).toMatchObject({
      generations: { used: 1 },
      agentMessages: { used: 0 },
      models: reported,
    })
    expect(await heldIn(store)).toBe(0)
  })

  test.each(['agentMessages', 'answers'] as const)('of %s is counted among generations, and apart', async (kind) => {
    const { models, usage } = await openRoom()
    await work(models, kind)
    const read = await usage.read(project)
    expect([read.generations.used, read[kind].used]).toEqual([1, 1])
  })

  test('of several requests counts once, with all their tokens', async () => {
    const { models, usage } = await openRoom()
    const begun = await models.begin(project, 'agentMessages')
    for (let index = 0; index < 3; index++) await textOf(begun.ask(request, stays))
    await begun.settle()
    await begun.settle()
    expect(await usage.read(project)).toMatchObject({
      agentMessages: { used: 1 },
      models: { inputTokens: 30, outputTokens: 15, costUsd: 0.006 },
    })
  })

  test('that produced nothing leaves no trace', async () => {
    const { models, usage, store } = await openRoom({ script: () => fail() })
    await expect(work(models)).rejects.toMatchObject({ code: 'generation_failed' })
    expect(await usage.read(project)).toMatchObject({
      generations: { used: 0 },
      models: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    })
    expect(await heldIn(store)).toBe(0)
  })

  test('that failed after it began counts what was said by its length', async () => {
    const { models, usage } = await openRoom({ script: () => fail('12345678') })
    await expect(work(models)).rejects.toMatchObject({ code: 'generation_failed' })
    expect(await usage.read(project)).toMatchObject({
      generations: { used: 1 },
      models: { inputTokens: 10, outputTokens: 2 },
    })
  })

  test('counts its estimate while it is under way', async () => {
    const { models, usage } = await openRoom({ script: (_request, _index, signal) => hang(signal, '1234') })
    const gone = new AbortController()
    const begun = await models.begin(project, 'generations')
    const events = begun.ask(request, gone.signal)[Symbol.asyncIterator]()
    await events.next()
    expect(await usage.read(project)).toMatchObject({
      generations: { used: 1 },
      models: { inputTokens: 10, outputTokens: 100 },
    })
    gone.abort(new Error('gone'))
    await expect(events.next()).rejects.toThrow('gone')
    await begun.settle()
    expect((await usage.read(project)).models).toMatchObject({ inputTokens: 10, outputTokens: 1 })
  })

  test('asks for no more than the service allows', async () => {
    const { models, router } = await openRoom()
    const begun = await models.begin(project, 'generations')
    await textOf(begun.ask({ ...request, maxTokens: 5000 }, stays))
    await begun.settle()
    expect(router.asked[0]?.maxTokens).toBe(1000)
  })

  test('is refused where there is no router, before anything is taken', async () => {
    const { models, usage } = await openRoom({}, { router: null })
    expect(models.isConfigured).toBe(false)
    await expect(models.begin(project, 'generations')).rejects.toMatchObject({ code: 'generation_not_configured' })
    expect((await usage.read(project)).generations.used).toBe(0)
  })

  test('is cut off and settled when the service ends', async () => {
    const { models, usage } = await openRoom({ script: (_request, _index, signal) => hang(signal, 'Hello') })
    const begun = await models.begin(project, 'generations')
    const events = begun.ask(request, stays)[Symbol.asyncIterator]()
    await events.next()
    const closed = models.close()
    await expect(events.next()).rejects.toMatchObject({ code: 'unavailable' })
    await begun.settle()
    await closed
    expect((await usage.read(project)).generations.used).toBe(1)
  })
})

describe('on the Free plan', () => {
  test('the second generation of a month is refused with the day of the next', async () => {
    const { models } = await openRoom({ plan: 'free' })
    await work(models)
    await expect(work(models)).rejects.toMatchObject({
      code: 'quota_exceeded',
      extra: { limit: 1, resetsAt: '2026-12-01T00:00:00.000Z' },
    })
  })

  test('one that came to nothing can be used', async () => {
    const { models } = await openRoom({
      plan: 'free',
      script: (_request, index) => (index === 0 ? fail() : answer('A')),
    })
    await expect(work(models)).rejects.toMatchObject({ code: 'generation_failed' })
    expect(await work(models)).toBe('A')
  })

  test('of 32 at once with ids of their own exactly one is let through', async () => {
    const { models, usage } = await openRoom({ plan: 'free' })
    const ended = await Promise.allSettled(
      Array.from({ length: 32 }, (_, index) => work(models, 'generations', `generation-${index}`)),
    )
    const refused = ended.filter(({ status }) => status === 'rejected')
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'quota_exceeded' })
    expect(refused).toHaveLength(31)
    expect((await usage.read(project)).generations.used).toBe(1)
  })

  test('of 32 at once with one id those that find room are one', async () => {
    const { models, usage } = await openRoom({ plan: 'free' })
    const ended = await Promise.allSettled(Array.from({ length: 32 }, () => work(models, 'generations', 'together')))
    const refused = ended.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'rate_limited' })
    expect(ended.length - refused.length).toBeGreaterThanOrEqual(12)
    expect((await usage.read(project)).generations.used).toBe(1)
  })
})

describe('a generation of several works', () => {
  test('counts once, also after a restart, and for a week', async () => {
    const { models, restart, world } = await openRoom({ plan: 'free' })
    await work(models, 'generations', 'my-pages')
    await work(models, 'generations', 'my-pages')
    const { models: next, usage } = await restart()
    await work(next, 'generations', 'my-pages')
    expect((await usage.read(project)).generations.used).toBe(1)
    world.time += 7 * 24 * 60 * 60 * 1000
    await expect(work(next, 'generations', 'my-pages')).rejects.toMatchObject({ code: 'quota_exceeded' })
  })

  test('is given back when none of them came to anything', async () => {
    const { models, usage } = await openRoom({ plan: 'free', script: () => fail() })
    await Promise.allSettled([1, 2, 3].map(() => work(models, 'generations', 'my-pages')))
    expect((await usage.read(project)).generations.used).toBe(0)
  })

  test.each([
    ['requests', { requests: 3, tokens: 1_000_000 }, '3 requests'],
    ['tokens', { requests: 200, tokens: 45 }, '45 tokens'],
  ])('has so many %s', async (_what, bounds, words) => {
    const { models, restart, usage } = await openRoom({}, { bounds })
    for (let index = 0; index < 3; index++) await work(models, 'generations', 'my-pages')
    for (const room of [models, (await restart()).models]) {
      await expect(work(room, 'generations', 'my-pages')).rejects.toMatchObject({
        code: 'quota_exceeded',
        message: `The generation my-pages has used the ${words} that one may.`,
      })
    }
    expect((await usage.read(project)).generations.used).toBe(1)
    await work(models, 'generations', 'more-pages')
    expect((await usage.read(project)).generations.used).toBe(2)
  })
})

describe('works under way', () => {
  test('are four of an account, and eight wait', async () => {
    const { models, usage, router } = await openRoom({ script: (_request, _index, signal) => hang(signal, 'A') })
    const gone = new AbortController()
    const ask = async (): Promise<unknown> => {
      const begun = await models.begin(project, 'generations', { signal: gone.signal })
      try {
        return await textOf(begun.ask(request, gone.signal))
      } finally {
        await begun.settle()
      }
    }
    const under = Array.from({ length: 12 }, ask)
    const ended = Promise.allSettled(under)
    await expect.poll(() => router.asked.length).toBe(4)
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 })
    // Readers have places of their own.
    const reader = await models.begin(project, 'answers')
    await reader.settle()
    gone.abort(new Error('gone'))
    await ended
    expect(router.asked).toHaveLength(4)
    expect((await usage.read(project)).generations.used).toBe(4)
  })
})
