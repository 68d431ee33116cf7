import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startModelServer, type ModelScript, type ModelServer } from '#test/support/model-server.ts'

async function start(script: ModelScript, options?: { readonly fallback?: boolean }): Promise<ModelServer> {
  const server = await startModelServer(script, options)
  onTestFinished(() => server.close())
  return server
}

const messages = [{ role: 'user', content: 'Hi' }]

function post(server: ModelServer, body: object, options: { key?: string; signal?: AbortSignal } = {}) {
  const { key = server.key, signal = null } = options
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'a/one', messages, ...body }),
    signal,
  })
}

/** The messages of a stream, and what came beside them. */
async function read(response: Response) {
  const [data, comments]: [string[], string[]] = [[], []]
  const parser = createParser({
    onEvent: (event) => data.push(event.data),
    onComment: (comment) => comments.push(comment),
  })
  let error: unknown
  try {
    for await (const bytes of response.body ?? []) parser.feed(Buffer.from(bytes).toString())
  } catch (caught) {
    error = caught
  }
  const isDone = data.at(-1) === '[DONE]'
  const chunks = data.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text))
  const words = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  return { chunks, words, comments, isDone, error }
}

describe('the scripted model server', () => {
  it('streams texts between comments, and tells the usage last where it is asked for', async () => {
    const server = await start(() => ({ chunks: ['Grüß ', 'Gott'], usage: { prompt_tokens: 3, completion_tokens: 2 } }))
    const response = await post(server, { stream: true, stream_options: { include_usage: true } })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const { chunks, words, comments, isDone } = await read(response)
    expect([words, isDone, comments]).toEqual(['Grüß Gott', true, ['OPENROUTER PROCESSING']])
    expect(chunks.at(-2)).toMatchObject({ model: 'a/one', choices: [{ finish_reason: 'stop' }] })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })
    expect((await read(await post(server, { stream: true }))).chunks.at(-1)).not.toHaveProperty('usage')
  })

  it('splits the arguments of calls over chunks', async () => {
    const server = await start(() => ({ calls: [{ name: 'read_file', arguments: { path: 'index.mdx' } }] }))
    const { chunks } = await read(await post(server, { stream: true }))
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(calls[0]).toMatchObject({ index: 0, id: 'call_0_0', function: { name: 'read_file' } })
    expect(calls.length).toBeGreaterThan(2)
    expect(JSON.parse(calls.map((call) => call.function.arguments).join(''))).toEqual({ path: 'index.mdx' })
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  it('answers at once where no stream is asked for', async () => {
    const server = await start(() => ({ chunks: ['One ', 'two'], finish: 'length' }))
    expect(await (await post(server, {})).json()).toMatchObject({
      model: 'a/one',
      choices: [{ message: { role: 'assistant', content: 'One two' }, finish_reason: 'length' }],
      usage: { prompt_tokens: expect.any(Number), cost: expect.any(Number) },
    })
    expect(server.calls[0]).toMatchObject({ body: { model: 'a/one', messages }, aborted: false })
  })

  it('tries the next model unless it knows none', async () => {
    const script: ModelScript = ({ model }) => (model === 'a/one' ? { status: 503, retryAfter: 7 } : {})
    const models = ['a/one', 'b/two']
    expect(await (await post(await start(script), { models })).json()).toMatchObject({ model: 'b/two' })
    const plain = await post(await start(script, { fallback: false }), { models })
    expect([plain.status, plain.headers.get('retry-after')]).toEqual([503, '7'])
    expect(await plain.json()).toMatchObject({ error: { code: 503 } })
  })

  it('refuses another key, and conversations that providers refuse', async () => {
    const server = await start(() => ({}))
    expect((await post(server, {}, { key: 'another' })).status).toBe(401)
    expect(server.calls).toEqual([])
    const call = { id: 'x', type: 'function', function: { name: 'list', arguments: '{}' } }
    const called = { role: 'assistant', content: null, tool_calls: [call] }
    const answered = { role: 'tool', tool_call_id: 'x', content: '[]' }
    expect((await post(server, { messages: [...messages, called, answered] })).status).toBe(200)
    for (const wrong of [[], [...messages, called], [...messages, answered], [called, ...messages, answered]])
      expect((await post(server, { messages: wrong })).status).toBe(400)
  })

  it.each([
    { how: 'error', isCut: false, isDone: true },
    { how: 'end', isCut: false, isDone: false },
    { how: 'reset', isCut: true, isDone: false },
  ] as const)('fails midway: $how', async ({ how, isCut, isDone }) => {
    const server = await start(() => ({ chunks: ['One ', 'two ', 'three'], failAfter: { chunks: 2, how } }))
    const answer = await read(await post(server, { stream: true }))
    expect([answer.words, answer.error !== undefined, answer.isDone]).toEqual(['One two ', isCut, isDone])
    const error = { error: { code: 502 }, choices: [{ finish_reason: 'error' }] }
    if (how === 'error') expect(answer.chunks.at(-1)).toMatchObject(error)
    expect(server.calls[0]?.aborted).toBe(false)
  })

  it('fails before the head of an answer', async () => {
    const server = await start(() => ({ failAfter: { chunks: -1, how: 'reset' } }))
    await expect(post(server, { stream: true })).rejects.toThrow('fetch failed')
  })

  it('hangs until the client goes, and knows that it went', async () => {
    const server = await start(() => ({ chunks: ['One', 'two'], failAfter: { chunks: 1, how: 'hang' } }))
    const controller = new AbortController()
    const answer = read(await post(server, { stream: true }, { signal: controller.signal }))
    await expect(Promise.race([answer, sleep(100, 'waiting')])).resolves.toBe('waiting')
    controller.abort()
    expect((await answer).words).toBe('One')
    await expect.poll(() => server.calls[0]?.aborted).toBe(true)
  })
})
