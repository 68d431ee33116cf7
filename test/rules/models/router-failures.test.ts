import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Failure } from '#contract/failure.ts'
import { answering, event, eventStream, question, routerOf, said, startRouter } from './router-support.ts'

describe('a router that fails', () => {
  it.each([
    [400, 'generation_rejected', 'does not take the request'],
    [401, 'generation_unavailable', 'not available at the moment'],
    [402, 'generation_unavailable', 'not available at the moment'],
    [403, 'generation_rejected', 'refuses what the messages are about'],
    [408, 'generation_failed', 'did not answer in time'],
    [413, 'generation_rejected', 'too long'],
    [418, 'generation_failed', 'failed to answer'],
    [502, 'generation_failed', 'failed to answer'],
  ])('before an answer with %d is %s', async (status, code, detail) => {
    const { ask } = await startRouter(() => ({ status }))
    const { error, told } = await ask()
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({ code, message: expect.stringContaining(detail), hint: expect.any(String) })
    expect(told).toEqual([])
  })

  it.each([
    [429, 7, 7],
    [503, 100_000, 3600],
    [503, undefined, 30],
  ])('with %d and Retry-After %s is told to come back after %d', async (status, retryAfter, expected) => {
    const { ask } = await startRouter(() => (retryAfter === undefined ? { status } : { status, retryAfter }))
    expect((await ask()).error).toMatchObject({ code: 'generation_unavailable', retryAfter: expected })
  })

  it.each(['error', 'reset', 'end'] as const)('amidst an answer (%s) fails after what had come', async (how) => {
    const { ask } = await startRouter(() => ({ chunks: ['One ', 'two ', 'three'], failAfter: { chunks: 2, how } }))
    const { text, error, told } = await ask()
    expect(text).toBe('One two ')
    expect(error).toMatchObject({ code: 'generation_failed' })
    expect(told).toMatchObject([{ inputTokens: 9, outputTokens: 2, estimated: true }])
  })

  it('amidst an answer whose pieces have an empty reason for their end, too', async () => {
    const url = await answering((response) => response.writeHead(200, eventStream).end(said('One', '')))
    expect((await routerOf(url).ask()).error).toMatchObject({ code: 'generation_failed' })
  })

  it('amidst a call tells what that came to', async () => {
    const call = (part: object): string =>
      event({ choices: [{ delta: { tool_calls: [{ index: 0, ...part }] }, finish_reason: null }] })
    const url = await answering((response) =>
      response
        .writeHead(200, eventStream)
        .end(call({ id: 'x', function: { name: 'edit', arguments: 'y'.repeat(396) } })),
    )
    const { events, error, told } = await routerOf(url).ask()
    expect([events, error]).toMatchObject([[], { code: 'generation_failed' }])
    expect(told).toMatchObject([{ outputTokens: 100, estimated: true }])
  })

  it.each([-1, 0, 1])('and is silent after %d pieces is given up', async (chunks) => {
    const { ask, server } = await startRouter(() => ({ failAfter: { chunks, how: 'hang' } }), { silenceMs: 100 })
    expect((await ask()).error).toMatchObject({
      code: 'generation_failed',
      message: expect.stringContaining('in time'),
    })
    await expect.poll(() => server.calls[0]?.aborted).toBe(true)
  })

  it('and never ends is given up', async () => {
    const chunks = Array.from({ length: 1000 }, () => 'again ')
    const { ask, server } = await startRouter(() => ({ chunks, chunkDelayMs: 20 }), { timeoutMs: 200 })
    const { error, text } = await ask()
    expect(error).toMatchObject({ code: 'generation_failed' })
    expect(text).toContain('again again')
    await expect.poll(() => server.calls[0]?.aborted).toBe(true)
  })

  it('because nobody listens there is told of by its code', async () => {
    const { ask, lines } = routerOf('http://127.0.0.1:1')
    const { error } = await ask()
    expect(error).toMatchObject({ code: 'generation_failed' })
    expect(error).not.toHaveProperty('cause')
    expect(lines.join('')).toContain('ECONNREFUSED')
  })

  it('by a redirect is not followed', async () => {
    const { ask: elsewhere, server } = await startRouter(() => ({}))
    const url = await answering((response) => response.writeHead(307, { location: server.url }).end())
    const { ask, lines } = routerOf(url, { key: server.key })
    expect((await ask()).error).toMatchObject({ code: 'generation_failed' })
    expect(server.calls).toEqual([])
    expect(lines.join('')).toContain('MODEL_ROUTER_URL must be its final address')
    expect((await elsewhere()).text).toBe('Hello')
  })

  it.each([
    ['no events', 'protocol', { 'content-type': 'application/json' }, '{"choices":[]}'],
    ['no JSON', 'protocol', eventStream, 'data: secret words\n\n'],
    ['another shape', 'protocol', eventStream, event({ choices: [{ delta: { content: ['secret words'] } }] })],
    ['an event without end', 'too much', eventStream, `data: ${'x'.repeat(1.5 * 2 ** 20)}`],
    ['a text without end', 'too much', eventStream, said('secret words '.repeat(6000)).repeat(4)],
    ['too many calls', 'too much', eventStream, callsOf(100)],
    ['comments without end', 'too much', eventStream, ': comment\n'.repeat(2 ** 20)],
  ])('with %s is not gone on with', async (_name, kind, headers, body) => {
    const url = await answering((response) => response.writeHead(200, headers).end(body))
    const { ask, lines } = routerOf(url)
    const { error } = await ask()
    expect(error).toMatchObject({ code: 'generation_failed' })
    expect(JSON.parse(lines.join(''))).toMatchObject({ kind })
    expect(lines.join('')).not.toContain('secret')
  })
})

function callsOf(count: number): string {
  const calls = Array.from({ length: count }, (_, index) => ({ index, id: `c${index}`, function: { name: 'x' } }))
  return event({ choices: [{ delta: { tool_calls: calls }, finish_reason: 'tool_calls' }] })
}

describe('a caller who goes away', () => {
  it.each([
    ['before the head', { failAfter: { chunks: -1, how: 'hang' } }],
    ['before a text', { failAfter: { chunks: 0, how: 'hang' } }],
    ['amidst the texts', { failAfter: { chunks: 1, how: 'hang' } }],
  ] as const)('%s ends the request upstream', async (_name, reply) => {
    const { ask, server, lines } = await startRouter(() => reply)
    const controller = new AbortController()
    const reason = new Error('gone')
    const heard = ask({}, controller.signal)
    await expect.poll(() => server.calls.length).toBe(1)
    await sleep(50)
    controller.abort(reason)
    expect((await heard).error).toBe(reason)
    await expect.poll(() => server.calls[0]?.aborted).toBe(true)
    expect(lines).toEqual([])
  })

  it('asks nothing when they had gone before', async () => {
    const { ask, server } = await startRouter(() => ({}))
    const { error } = await ask({}, AbortSignal.abort(new Error('gone')))
    expect([error, server.calls]).toMatchObject([{ message: 'gone' }, []])
  })

  it('and does not read on ends it, too, with what had come told', async () => {
    const { router, server } = await startRouter(() => ({
      chunks: ['One', 'two'],
      failAfter: { chunks: 1, how: 'hang' },
    }))
    const told: unknown[] = []
    for await (const { type } of router.ask(question, new AbortController().signal, (usage) => told.push(usage)))
      if (type === 'text') break
    expect(told).toMatchObject([{ outputTokens: 1, estimated: true }])
    await expect.poll(() => server.calls[0]?.aborted).toBe(true)
  })

  it('while nobody reads is heard', async () => {
    const { router, server } = await startRouter(() => ({ failAfter: { chunks: 1, how: 'hang' } }))
    const controller = new AbortController()
    const events = router.ask(question, controller.signal)[Symbol.asyncIterator]()
    expect(await events.next()).toMatchObject({ value: { text: 'Hello' } })
    controller.abort(new Error('gone'))
    await expect.poll(() => server.calls[0]?.aborted).toBe(true)
    await expect(events.next()).rejects.toThrow('gone')
  })
})

it('a slow reader holds up the router instead of filling the memory', async () => {
  let written = 0
  const url = await answering((response) => {
    response.writeHead(200, eventStream)
    const chunk = said('x'.repeat(1000)).repeat(10)
    const write = (): void => {
      while (written < 64 << 20 && response.write(chunk)) written += chunk.length
    }
    response.on('drain', write)
    write()
  })
  const { router } = routerOf(url, { maxTokens: 1_000_000 })
  const controller = new AbortController()
  const events = router.ask(question, controller.signal)[Symbol.asyncIterator]()
  expect((await events.next()).done).toBe(false)
  let before = -1
  // What the kernel buffers for a connection is some megabytes.
  while (before !== written) {
    before = written
    await sleep(200)
  }
  expect(written).toBeLessThan(32 << 20)
  controller.abort(new Error('gone'))
  await expect(events.next()).rejects.toThrow('gone')
})

it('neither the key nor what is asked and answered is in any log or failure', async () => {
  const secrets = ['the prompt', 'the answer', 'the tool', 'the provider said']
  const body = { error: { code: 400, message: 'the provider said: the prompt' } }
  const replies = [
    ...[400, 401, 402, 403, 404, 408, 429, 500, 502, 503].map((status) => ({ status, body })),
    ...(['reset', 'end', 'error'] as const).flatMap((how) =>
      [-1, 0, 1].map((chunks) => ({ chunks: ['the answer', 'x'], failAfter: { chunks, how } })),
    ),
    { chunks: ['the answer'], calls: [{ name: 'the tool', arguments: 'the answer' }] },
  ]
  const { ask, lines, server } = await startRouter((_call, index) => replies[index] ?? {}, { fallback: undefined })
  const errors: unknown[] = []
  for (const _ of replies) errors.push((await ask({ messages: [{ role: 'user', content: 'the prompt' }] })).error)
  expect(server.calls).toHaveLength(replies.length)
  expect(lines.length).toBeGreaterThan(replies.length / 2)
  const failures = errors.filter((error) => error instanceof Failure)
  const shown = inspect([lines, failures], { depth: 10, showHidden: true })
  for (const secret of [server.key, ...secrets]) expect(shown).not.toContain(secret)
})
