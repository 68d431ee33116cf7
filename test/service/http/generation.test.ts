import { readdir } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import type { ProjectUsage } from '#contract/usage.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createGenerator, generate, type Generator } from '#test/support/generate.ts'
import { startModelServer, type ModelScript, type ModelServer } from '#test/support/model-server.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'

let router: ModelServer
let service: TestService
let script: ModelScript
let someone: Generator
let projects = 0

beforeAll(async () => {
  router = await startModelServer((call, index) => script(call, index))
  service = await startTestService(
    { ...router.settings, MODEL_SILENCE_SECONDS: '1', MODEL_ALLOW: 'acme/small', DEFAULT_PLAN: 'free' },
    { now: noonClock(), builder: new FakeBuilder() },
  )
})
afterAll(async () => {
  await service.close()
  await router.close()
})
afterEach(() => {
  script = () => ({})
})

/** A project of somebody new, on Free. */
async function newcomer(): Promise<Generator> {
  projects += 1
  return createGenerator(service.url, `pages-${projects}`)
}

const usage = (of: Generator): Promise<ProjectUsage> =>
  of.owner.call(contract.usage.read, { params: { slug: of.slug } })

describe('a generation', () => {
  it('is answered as JSON, with the model and what it used', async () => {
    someone = await newcomer()
    script = () => ({ chunks: ['One, ', 'two'], usage: { prompt_tokens: 12, completion_tokens: 3, cost: 0.25 } })
    const { status, generation } = await generate(someone, { prompt: 'Count' })
    expect(status).toBe(200)
    expect(generation).toEqual({
      id: expect.any(String) as string,
      generation: expect.any(String) as string,
      content: 'One, two',
      model: router.calls.at(-1)?.model,
      finishReason: 'stop',
      usage: { inputTokens: 12, outputTokens: 3, costUsd: 0.25 },
    })
    expect(await usage(someone)).toMatchObject({
      generations: { used: 1, remaining: 0 },
      models: { inputTokens: 12, outputTokens: 3, costUsd: 0.25 },
    })
  })

  it('comes as events, piece by piece', async () => {
    script = () => ({ chunks: ['One, ', 'two, ', 'three'], chunkDelayMs: 20 })
    const { deltas, generation } = await generate(await newcomer(), { prompt: 'Count', stream: true })
    expect(deltas.join('')).toBe('One, two, three')
    expect(deltas.length).toBeGreaterThan(1)
    expect(generation).toMatchObject({ content: 'One, two, three', finishReason: 'stop' })
  })

  it('can be asked for with a session that names its project', async () => {
    const { slug, session, ...rest } = await newcomer()
    const asked = { token: session }
    expect((await generate(rest, { prompt: 'Hi' }, asked)).problem).toMatchObject({ code: 'invalid_request' })
    expect((await generate(rest, { prompt: 'Hi' }, { ...asked, query: `?project=${slug}` })).status).toBe(200)
  })
})

describe('what is refused before it costs anything', () => {
  beforeAll(async () => {
    someone = await newcomer()
  })

  it.each([
    ['neither a prompt nor messages', {}, 'invalid_request', '/messages'],
    ['both', { prompt: 'a', messages: [{ role: 'user' as const, content: 'b' }] }, 'invalid_request', '/prompt'],
    ['a model that is not of the service', { prompt: 'a', model: 'acme/smal' }, 'invalid_request', '/model'],
    ['more tokens than an answer may have', { prompt: 'a', maxTokens: 100_000 }, 'invalid_request', '/maxTokens'],
  ])('%s', async (_what, body, code, pointer) => {
    const asked = router.calls.length
    expect((await generate(someone, body)).problem).toMatchObject({ code, errors: [{ pointer }] })
    expect(router.calls.length).toBe(asked)
  })

  it('an unknown model is told what there is, and what was meant', async () => {
    const { problem } = await generate(someone, { prompt: 'a', model: 'acme/smal' })
    expect(problem?.hint).toMatch(/Did you mean acme\/small\? There are .*, .*, acme\/small\./)
    expect((await generate(someone, { prompt: 'a', model: 'acme/small' })).generation?.model).toBe('acme/small')
  })

  it('messages that are too long together', async () => {
    const messages = Array.from({ length: 3 }, () => ({ role: 'user' as const, content: 'é'.repeat(100_000) }))
    const { problem } = await generate(someone, { messages })
    expect(problem).toMatchObject({ status: 413, code: 'request_too_large' })
    expect(problem?.detail).toContain('600000 bytes')
  })
})

describe('a model that fails', () => {
  it('before the first text is a refusal with its status, and nothing is taken', async () => {
    someone = await newcomer()
    script = () => ({ status: 429, retryAfter: 7 })
    const { status, problem } = await generate(someone, { prompt: 'Hi', stream: true })
    expect([status, problem?.code]).toEqual([503, 'generation_unavailable'])
    expect(await usage(someone)).toMatchObject({
      generations: { used: 0 },
      models: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    })
  })

  it('after it is an event, says what it counts for, and can be gone on with', async () => {
    script = () => ({ chunks: ['12345678', '12345678'], failAfter: { chunks: 1, how: 'error' } })
    const { deltas, problem } = await generate(someone, { prompt: 'Hi', stream: true })
    expect(deltas).toEqual(['12345678'])
    expect(problem).toMatchObject({ code: 'generation_failed', usage: { outputTokens: 2, estimated: true } })
    expect((await usage(someone)).generations.used).toBe(1)
    script = () => ({ chunks: ['Done'] })
    const again = await generate(someone, { prompt: 'Hi', generation: problem?.generation ?? '' })
    expect(again.generation?.content).toBe('Done')
    expect((await usage(someone)).generations.used).toBe(1)
  })
})

describe('a client that goes away', () => {
  it.each([false, true])('ends the request upstream, and pays for what was said (stream: %s)', async (stream) => {
    someone = await newcomer()
    const asked = router.calls.length
    script = () => ({ chunks: Array.from({ length: 500 }, () => '1234'), chunkDelayMs: 20 })
    const gone = new AbortController()
    const seen = generate(someone, { prompt: 'Hi', stream }, { signal: gone.signal })
    await expect.poll(async () => (await usage(someone)).generations.used).toBe(1)
    await expect.poll(() => router.calls.length).toBe(asked + 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    gone.abort()
    await seen
    await expect.poll(() => router.calls[asked]?.aborted).toBe(true)
    await expect.poll(async () => (await usage(someone)).models.outputTokens).toBeLessThan(500)
    expect((await usage(someone)).generations.used).toBe(1)
  })
})

describe('an Idempotency-Key', () => {
  it.each([false, true])(
    'makes 20 requests at once one, and repeats it after a restart (stream: %s)',
    async (stream) => {
      someone = await newcomer()
      const before = router.calls.length
      script = () => ({ chunks: ['One, ', 'two, ', 'three'], chunkDelayMs: 30 })
      const ask = () => generate(someone, { prompt: 'Count', stream }, { key: 'count' })
      const all = await Promise.all(Array.from({ length: 20 }, ask))
      const [first] = all
      expect(first?.generation?.content).toBe('One, two, three')
      for (const { generation, deltas } of all) {
        expect(generation).toEqual(first?.generation)
        expect(deltas.join('')).toBe(stream ? 'One, two, three' : '')
      }
      await service.restart()
      expect((await ask()).generation).toEqual(first?.generation)
      expect(router.calls.length).toBe(before + 1)
      expect((await usage(someone)).generations.used).toBe(1)
    },
  )

  it('is refused with another body, and where it is no key', async () => {
    const { status, problem } = await generate(someone, { prompt: 'Other' }, { key: 'count' })
    expect([status, problem?.code]).toEqual([409, 'idempotency_conflict'])
    expect((await generate(someone, { prompt: 'Other' }, { key: 'k'.repeat(256) })).problem?.code).toBe(
      'invalid_request',
    )
  })
})

describe('the month of the Free plan', () => {
  it('is not given back with the project that is removed before the end', async () => {
    someone = await newcomer()
    script = () => ({ chunks: ['One, '], failAfter: { chunks: 1, how: 'hang' } })
    const params = { slug: someone.slug }
    let removed: Promise<void> | undefined
    const { problem } = await generate(
      someone,
      { prompt: 'Hi', stream: true },
      {
        onDelta: () => void (removed ??= someone.owner.call(contract.projects.remove, { params })),
      },
    )
    expect(problem).toMatchObject({ code: 'not_found', usage: { outputTokens: 2 } })
    await removed
    const next = `${someone.slug}-next`
    await someone.owner.call(contract.projects.create, { body: { slug: next } })
    expect(await usage({ ...someone, slug: next })).toMatchObject({ generations: { used: 1, remaining: 0 } })
    // Nor does anything come to the disk for the project after its end.
    const names = await readdir(service.directory, { recursive: true })
    expect(names.filter((name) => name.startsWith(someone.slug) && name.includes('generations'))).toEqual([])
  })
})

describe('a service that ends', () => {
  it('lets a stream come to its end', async () => {
    someone = await newcomer()
    script = () => ({ chunks: ['One, ', 'two, ', 'three'], chunkDelayMs: 300 })
    let restarted: Promise<void> | undefined
    const seen = await generate(
      someone,
      { prompt: 'Count', stream: true },
      {
        onDelta: () => void (restarted ??= service.restart()),
      },
    )
    expect(seen.generation?.content).toBe('One, two, three')
    await restarted
    expect((await usage(someone)).generations.used).toBe(1)
  })

  it('cuts off what does not end in time, tells so, and has charged it', async () => {
    const other = await startTestService({ ...router.settings, DRAIN_SECONDS: '0' }, { builder: new FakeBuilder() })
    try {
      const asked = await createGenerator(other.url, 'pages')
      script = () => ({ chunks: ['12345678'], failAfter: { chunks: 1, how: 'hang' } })
      let restarted: Promise<void> | undefined
      const seen = await generate(
        asked,
        { prompt: 'Hi', stream: true },
        { onDelta: () => void (restarted ??= other.restart()) },
      )
      expect(seen.problem).toMatchObject({ code: 'unavailable', usage: { outputTokens: 2 } })
      await restarted
      expect(await usage(asked)).toMatchObject({ generations: { used: 1 }, models: { outputTokens: 2 } })
    } finally {
      await other.close()
    }
  })
})

describe('a service without a router', () => {
  it('says so after it knows who asks, and takes nothing', async () => {
    const without = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder() })
    try {
      const stranger = await generate({ url: without.url, key: 'quire_no' }, { prompt: 'Hi' })
      expect(stranger.problem).toMatchObject({ code: 'unauthenticated' })
      const asked = await createGenerator(without.url, 'pages')
      const { status, problem } = await generate(asked, { prompt: 'Hi' })
      expect([status, problem?.code]).toEqual([503, 'generation_not_configured'])
      expect(problem?.hint).toContain('MODEL_ROUTER_URL')
      expect((await usage(asked)).generations.used).toBe(0)
    } finally {
      await without.close()
    }
  })
})
