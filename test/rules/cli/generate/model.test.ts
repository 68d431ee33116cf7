import { describe, expect, it } from 'vitest'
import type { Client } from '#client/client.ts'
import { Failure } from '#contract/failure.ts'
import type { GenerationEvent, ModelList, PromptMessage } from '#contract/generation.ts'
import { Model, RunStopped } from '#cli/generate/model.ts'
import type { OpenProject } from '#cli/service/project.ts'

interface Sent {
  readonly headers: Record<string, string>
  readonly body: { readonly maxTokens: number }
}

const models: ModelList = {
  configured: true,
  default: 'test/one',
  models: [{ id: 'test/one', inputUsd: 1, outputUsd: 10 }],
  maxTokens: 8000,
  promptBytes: 1000,
  generation: { requests: 10, tokens: 10 },
}

/** A model of a service that answers with these events, one list a request. */
function modelThat(
  answers: GenerationEvent[][],
  { maxCost, attempt = () => 0 }: { maxCost?: number; attempt?: () => number } = {},
): { model: Model; sent: Sent[] } {
  const sent: Sent[] = []
  async function* events(_endpoint: unknown, options: Sent): AsyncGenerator<GenerationEvent> {
    sent.push(options)
    yield* answers[sent.length - 1] ?? []
  }
  const project = {
    client: { events } as unknown as Client,
    slug: 'docs',
    policy: { tries: 3, contentionMs: 0, wait: () => Promise.resolve() },
  } as unknown as OpenProject
  return { model: new Model({ project, models, model: undefined, generation: 'one-run-1', attempt, maxCost }), sent }
}

const done = (outputTokens: number): GenerationEvent => ({
  type: 'done',
  id: 'a',
  generation: 'one-run-1',
  content: 'text',
  model: 'test/one',
  finishReason: 'stop',
  usage: { inputTokens: 100, outputTokens },
})
const question: PromptMessage[] = [{ role: 'user', content: 'Write.' }]
const ask = (model: Model, messages = question) => model.ask('page', messages, () => undefined)

describe('asking the model of the service', () => {
  it('sends no prompt that holds a secret', async () => {
    const { model, sent } = modelThat([[done(1)]])
    const secret = ['AKIA', 'Q7RT2WXYZ4KLMNP7'].join('')
    const messages: PromptMessage[] = [{ role: 'user', content: `Sources:\n   12| const key = '${secret}'` }]
    await expect(ask(model, messages)).rejects.toThrow('in line 12 of a source. It was not sent.')
    await expect(ask(model, messages)).rejects.not.toThrow(secret)
    expect(sent).toEqual([])
  })

  it('asks again with the same idempotency key when an answer broke off', async () => {
    const { model, sent } = modelThat([[{ type: 'delta', text: 'te' }], [done(5)]])
    expect(await ask(model)).toMatchObject({ text: 'text', cutOff: false })
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(sent).toHaveLength(2)
    expect(model.spent).toMatchObject({ requests: 1, inputTokens: 100, outputTokens: 5, costUsd: 0.00015 })
  })

  it('asks the same with another key in another attempt, so that a known answer does not come back', async () => {
    let attempt = 0
    const { model, sent } = modelThat([[done(5)], [done(5)]], { attempt: () => attempt++ })
    await ask(model)
    await ask(model)
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  it('tells the service’s refusal, which comes amidst the answer', async () => {
    const problem = { type: '', title: '', status: 422, detail: 'Not this.', code: 'generation_rejected' }
    const { model } = modelThat([
      [
        { type: 'delta', text: 'a' },
        { type: 'error', problem },
      ],
    ])
    await expect(ask(model)).rejects.toEqual(new Failure('generation_rejected', 'Not this.'))
  })

  it('never asks for more than the run may still cost', async () => {
    const { model, sent } = modelThat([[done(1500)], [done(1500)]], { maxCost: 0.035 })
    await ask(model)
    expect(sent[0]?.body.maxTokens).toBeLessThanOrEqual(3500)
    await ask(model)
    expect(sent[1]?.body.maxTokens).toBeLessThanOrEqual(2000)
    await expect(ask(model)).rejects.toBeInstanceOf(RunStopped)
    expect(sent).toHaveLength(2)
  })
})
