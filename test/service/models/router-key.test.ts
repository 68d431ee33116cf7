import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { startModelServer, type ModelReply } from '#test/support/model-server.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { startTestService } from '#test/support/service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

function readProcess(pid: number, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

/**
 * Processes with a text in their arguments or their environment. Before a new process becomes another program it is, for
 * a moment, a copy of the one that started it: one that still has the arguments of `parent` is not looked at.
 */
function processesWith(text: string, parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const own = readProcess(parent, 'cmdline')
  return pids.map(Number).filter((pid) => {
    const has = (file: 'environ' | 'cmdline'): boolean => readProcess(pid, file).includes(text)
    if (pid === parent || !(has('environ') || has('cmdline'))) return pid === parent && has('environ')
    return readProcess(pid, 'cmdline') !== own && (has('environ') || has('cmdline'))
  })
}

describe('the key of a router of models', () => {
  it('is in no child process, no log and no answer', async () => {
    const replies: readonly ModelReply[] = [
      { chunks: ['the answer'] },
      ...[400, 401, 402, 403, 429, 502].map((status) => ({ status, body: { error: { message: 'the prompt' } } })),
      ...(['reset', 'error', 'end'] as const).map((how) => ({
        chunks: ['the answer', ' goes on'],
        failAfter: { chunks: 1, how },
      })),
    ]
    let reply: ModelReply = {}
    const models = await startModelServer(() => reply)
    onTestFinished(() => models.close())
    const settings = { ...models.settings, MODEL_FALLBACK: 'none', LOG_LEVEL: 'trace' }
    const service = await startService(await temporaryDirectory(), settings)
    onTestFinished(() => service.stop())
    const { key, client } = await createProject(service.url, 'docs')

    const pid = service.child.pid ?? 0
    const found = new Set<number>()
    const work = { isOver: false }
    const files = [{ path: 'index.mdx', content: '# Hello\n\n```js\n1 + 1\n```' }]
    const deploy = client.call(contract.deploys.create, { body: { files } }).finally(() => (work.isOver = true))
    while (!work.isOver) {
      for (const holder of processesWith(models.key, pid)) found.add(holder)
      await sleep(2)
    }
    await deploy
    expect([...found]).toEqual([pid])

    let answers = ''
    for (const stream of [false, true])
      for (reply of replies) {
        const response = await fetch(`${service.url}/api/proxy/generate`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ prompt: 'the prompt', stream }),
        })
        answers += await response.text()
      }
    expect(models.calls).toHaveLength(2 * replies.length)
    expect(answers).toContain('the answer')
    expect(answers).toContain('generation_rejected')
    await service.stop()
    expect(service.log()).toContain('the model router refuses the key')
    expect(service.log()).not.toMatch(/the prompt|the answer/)
    for (const text of [service.log(), answers]) expect(text).not.toContain(models.key)
  })
})

describe('the list of models', () => {
  it.each([
    [{}, { configured: false }],
    [{ MODEL_ROUTER_URL: 'http://127.0.0.1:1' }, { configured: true }],
    [
      { MODEL_ROUTER_URL: 'http://127.0.0.1:1', MODEL_DEMO: 'yes' },
      { configured: true, demo: true },
    ],
  ])('says whether there are any: %o', async (settings, expected) => {
    const service = await startTestService({ ...settings, MODEL_ALLOW: 'c/three', MODEL_MAX_TOKENS: '99' })
    onTestFinished(() => service.close())
    const { client } = await createProject(service.url, 'docs')
    const list = await client.call(contract.generation.models)
    expect(list).toEqual({
      ...expected,
      default: 'anthropic/claude-sonnet-4.5',
      models: [
        { id: 'anthropic/claude-sonnet-4.5', inputUsd: 3, outputUsd: 15 },
        { id: 'openai/gpt-5', inputUsd: 1.25, outputUsd: 10 },
        { id: 'c/three' },
      ],
      maxTokens: 99,
      promptBytes: 524_288,
      generation: { requests: 200, tokens: 4_000_000 },
    })
    const stranger = createClient({ baseUrl: service.url })
    await expect(stranger.call(contract.generation.models)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
