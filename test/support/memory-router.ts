import type { TokenUsage } from '#contract/generation.ts'
import type { ModelEvent, ModelRequest, ModelRouter } from '#models/model.ts'
import { estimateInput } from '#models/tokens.ts'

/** What a router in memory does with a request, by its number from 0. */
export type RouterScript = (request: ModelRequest, index: number, signal: AbortSignal) => AsyncIterable<ModelEvent>

/** What `answer` reports. */
export const reported = { inputTokens: 10, outputTokens: 5, costUsd: 0.002 }

/** Texts, and an end that tells what was used. */
export async function* answer(...texts: readonly string[]): AsyncIterable<ModelEvent> {
  for (const text of texts) yield { type: 'text', text }
  yield { type: 'end', model: 'acme/large', finishReason: 'stop', usage: reported }
}

/** The port in memory, for tests that are not about the protocol. */
export class MemoryRouter implements ModelRouter {
  readonly asked: ModelRequest[] = []
  readonly #script: RouterScript

  constructor(script: RouterScript = () => answer('Hello')) {
    this.#script = script
  }

  async *ask(
    request: ModelRequest,
    signal: AbortSignal,
    told?: (usage: TokenUsage) => void,
  ): AsyncIterable<ModelEvent> {
    this.asked.push(request)
    const inputTokens = estimateInput(request)
    let said = ''
    let usage: TokenUsage | undefined
    try {
      for await (const event of this.#script(request, this.asked.length - 1, signal)) {
        if (event.type === 'text') said += event.text
        if (event.type === 'end') usage = event.usage
        yield event
      }
    } finally {
      if (said !== '') told?.(usage ?? { inputTokens, outputTokens: Math.ceil(said.length / 4), estimated: true })
    }
  }
}
