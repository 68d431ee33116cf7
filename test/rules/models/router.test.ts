import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { listen } from '#test/support/loopback.ts'
import { answering, eventStream, question, routerOf, said, startRouter } from './router-support.ts'

describe('an answer', () => {
  it('tells who gave it and what it came to', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 4, cost: 0.002 }
    const { ask, server } = await startRouter(() => ({ chunks: ['A release ', 'is a site.'], usage, model: 'b/two' }))
    const { events, text, told, error } = await ask({ maxTokens: 50 })
    expect([text, error]).toEqual(['A release is a site.', undefined])
    const expected = { inputTokens: 9, outputTokens: 4, costUsd: 0.002 }
    expect(events.at(-1)).toEqual({ type: 'end', model: 'b/two', finishReason: 'stop', usage: expected })
    expect(told).toEqual([expected])
    expect(server.calls[0]?.body).toMatchObject({ model: 'a/one', models: ['a/one', 'b/two'], max_tokens: 50 })
  })

  it('comes at the pace of the model, and in one piece where that was faster', async () => {
    const url = await answering((response) => {
      response.writeHead(200, eventStream).write(said('One ') + said('two '))
      setTimeout(() => response.end(said('three', 'stop')), 50)
    })
    const { events } = await routerOf(url).ask()
    expect(events).toMatchObject([{ text: 'One two ' }, { text: 'three' }, { type: 'end' }])
  })

  it('has calls of tools that came in pieces, whole', async () => {
    const edit = { name: 'write_file', arguments: { path: 'a.mdx', content: '# „Grüße“ 🎉' }, id: 'one' }
    const { ask } = await startRouter(() => ({ chunks: ['I will.'], calls: [edit, { name: 'list', arguments: '' }] }))
    const { events } = await ask()
    expect(events).toMatchObject([
      { type: 'text' },
      { type: 'call', call: { id: 'one', name: 'write_file', arguments: JSON.stringify(edit.arguments) } },
      { type: 'call', call: { id: 'call_0_1', name: 'list', arguments: '{}' } },
      { type: 'end', finishReason: 'calls' },
    ])
  })

  it('goes on after calls with what came of them', async () => {
    const { ask, server } = await startRouter(({ body }) =>
      body.messages.at(-1)?.role === 'tool' ? {} : { calls: [{ name: 'list', arguments: {}, id: 'x' }] },
    )
    const tools = [{ name: 'list', description: 'Lists files', parameters: { type: 'object' } }]
    const { events } = await ask({ tools })
    const toolCalls = events.flatMap((each) => (each.type === 'call' ? [each.call] : []))
    const { text } = await ask({
      tools,
      messages: [
        ...question.messages,
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', callId: 'x', content: '[]' },
      ],
    })
    expect(text).toBe('Hello')
    expect(server.calls[0]?.body.tools).toMatchObject([{ type: 'function', function: tools[0] }])
  })

  it('is read however its bytes are cut', async () => {
    const text = 'Grüße 🎉 €'
    const bytes = Buffer.from(`: comment\n\n${said(text)}${said('', 'stop')}data: [DONE]\n\n`)
    const url = await answering((response) => {
      response.writeHead(200, eventStream)
      void (async () => {
        for (const byte of bytes) {
          response.write(Buffer.of(byte))
          await sleep(0)
        }
        response.end()
      })()
    })
    expect(await routerOf(url).ask()).toMatchObject({ text, error: undefined })
  })

  it('says when it was cut off, or refused', async () => {
    const { ask } = await startRouter((_call, index) => ({ finish: index === 0 ? 'length' : 'content_filter' }))
    expect((await ask()).events.at(-1)).toMatchObject({ finishReason: 'length' })
    expect((await ask()).events.at(-1)).toMatchObject({ finishReason: 'refused' })
  })

  it('is counted by its length where no usage is told, and priced by the table', async () => {
    const { ask } = await startRouter(() => ({ chunks: ['x'.repeat(400)], usage: null, model: 'a/one-2026-01-01' }))
    const { events } = await ask({ messages: [{ role: 'user', content: 'ü'.repeat(200) }] })
    expect(events.at(-1)).toMatchObject({
      usage: { inputTokens: 104, outputTokens: 100, costUsd: (104 * 3 + 100 * 15) / 1e6, estimated: true },
    })
  })

  it.each([
    ['beyond all measure', { prompt_tokens: 1e308, completion_tokens: 3 }],
    ['negative', { prompt_tokens: 10, completion_tokens: -3 }],
    ['in fractions', { prompt_tokens: 10, completion_tokens: 0.5 }],
    ['with a cost beyond all measure', { prompt_tokens: 10, completion_tokens: 3, cost: 1e300 }],
    ['with a cost below nothing', { prompt_tokens: 10, completion_tokens: 3, cost: -1 }],
  ])('is counted by its length where the usage that is told is %s', async (_what, usage) => {
    const { ask } = await startRouter(() => ({ chunks: ['1234'.repeat(25)], usage }))
    const { told } = await ask()
    expect(told).toEqual([{ inputTokens: 9, outputTokens: 25, costUsd: (9 * 3 + 25 * 15) / 1e6, estimated: true }])
  })

  it('is asked of the model that is named, without a fallback, and never longer than allowed', async () => {
    const { ask, server } = await startRouter(() => ({}))
    await ask({ model: 'c/three', maxTokens: 1_000_000 })
    expect(server.calls[0]?.body).toMatchObject({ model: 'c/three', max_tokens: 1000 })
    expect(server.calls[0]?.body).not.toHaveProperty('models')
  })

  it('leaves its connection to the next', async () => {
    let connections = 0
    const server = createServer((_request, response) => {
      response.writeHead(200, eventStream).write(`${said('Hello', 'stop')}data: [DONE]\n\n`)
      setTimeout(() => response.end(), 10)
    }).on('connection', () => (connections += 1))
    const { ask } = routerOf(`http://127.0.0.1:${await listen(server)}`)
    for (let turn = 0; turn < 3; turn++) {
      expect((await ask()).text).toBe('Hello')
      await sleep(50)
    }
    expect(connections).toBe(1)
  })
})

describe('the fallback', () => {
  it.each([404, 408, 429, 500, 502, 503])('is asked once where the primary has an error %d', async (status) => {
    const { ask, server, lines } = await startRouter(({ model }) => (model === 'a/one' ? { status } : {}), {
      plain: true,
    })
    expect(await ask()).toMatchObject({ text: 'Hello', error: undefined })
    expect(server.calls.map(({ body }) => [body.model, body.models])).toEqual([
      ['a/one', ['a/one', 'b/two']],
      ['b/two', undefined],
    ])
    expect(lines.join('')).toContain('the fallback is asked')
  })

  it('is not asked a second time, for a named model, or where another model would say the same', async () => {
    const { ask, server } = await startRouter((_call, index) => ({ status: index < 3 ? 503 : 400 }), { plain: true })
    expect((await ask()).error).toMatchObject({ code: 'generation_unavailable' })
    expect(server.calls).toHaveLength(2)
    await ask({ model: 'a/one' })
    expect(server.calls).toHaveLength(3)
    await ask()
    expect(server.calls).toHaveLength(4)
  })

  it.each([
    { how: 'reset', after: [-1, 0, 1] },
    { how: 'end', after: [-1, 0, 1] },
    { how: 'error', after: [0, 1] },
  ] as const)('is not asked after a request that may be billed: $how', async ({ how, after }) => {
    for (const chunks of after) {
      const { ask, server } = await startRouter(() => ({ failAfter: { chunks, how }, chunks: ['One', 'two'] }))
      expect((await ask()).error).toMatchObject({ code: 'generation_failed' })
      expect(server.calls).toHaveLength(1)
    }
  })
})
