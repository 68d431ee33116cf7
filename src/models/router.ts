import { SpanKind } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { TokenUsage } from '../contract/generation.ts'
import { failSpan, tellMeasured, tracer } from '../lib/measured.ts'
import { Answer } from './answer.ts'
import { failureOfBreak, failureOfStatus } from './failures.ts'
import type { ModelEvent, ModelMessage, ModelRequest, ModelRouter } from './model.ts'
import { estimateInput, priced, type Prices } from './tokens.ts'
import { Broken, Upstream, type Head } from './upstream.ts'

export interface RouterOptions {
  /** Of an API that is compatible with OpenAI’s, without `/chat/completions`. */
  readonly url: string
  readonly key: string | undefined
  readonly primary: string
  /** Asked where the primary cannot answer. */
  readonly fallback: string | undefined
  readonly prices: Prices
  /** Longest answer. */
  readonly maxTokens: number
  /** Milliseconds for one request, from the beginning to the last byte. */
  readonly timeoutMs: number
  /** Milliseconds for which nothing may come. */
  readonly silenceMs: number
  readonly userAgent: string
  readonly log: Pick<Logger, 'warn' | 'error'>
}

/** Errors before an answer after which another model may have one; nothing was produced, so nothing is billed twice. */
const mayFallBack = (status: number): boolean => [404, 408, 429].includes(status) || status >= 500

/** Bytes of an answer for each token that it may have, and at least: of its text, and with the events around it. */
const most = { text: { token: 64, least: 65_536 }, all: { token: 2048, least: 1_048_576 } } as const

/** A router that speaks OpenAI’s chat completions, such as OpenRouter. Nothing that it is asked or answers is logged. */
export class Router implements ModelRouter {
  readonly #options: RouterOptions
  readonly #upstream: Upstream

  constructor(options: RouterOptions) {
    this.#options = options
    this.#upstream = new Upstream({ ...options, mostBytes: bound(most.all, options.maxTokens) })
  }

  async *ask(
    request: ModelRequest,
    signal: AbortSignal,
    told?: (usage: TokenUsage) => void,
  ): AsyncGenerator<ModelEvent, void, undefined> {
    signal.throwIfAborted()
    const { timeoutMs, maxTokens, log } = this.#options
    const answer = new Answer(bound(most.text, maxTokens))
    const ending = endingOf(signal, timeoutMs)
    let asked = request.model ?? this.#options.primary
    const since = performance.now()
    const span = tracer.startSpan('model', { kind: SpanKind.CLIENT })
    let outcome = 'failed'
    try {
      const { head, model } = await this.#send(request, ending.signal)
      asked = model
      if (head.status !== 200) throw failureOfStatus(head.status, head.retryAfter, log)
      for await (const events of head.events()) {
        const { text, error } = answer.take(events)
        if (text !== '') yield { type: 'text', text }
        if (error !== undefined) throw error
      }
      if (!answer.isComplete) throw new Broken('connection', 'cut off')
      for (const call of answer.calls) yield { type: 'call', call }
      outcome = 'answered'
      yield { type: 'end', finishReason: answer.finishReason, ...this.#account(request, answer, asked) }
    } catch (error) {
      failSpan(span, error)
      throw failureOfBreak(error, answer.isBegun, log)
    } finally {
      ending.clear()
      span.setAttribute('gen_ai.request.model', asked).end()
      tellMeasured('model', outcome, since)
      if (answer.isBegun) told?.(this.#account(request, answer, asked).usage)
    }
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }

  /** Asks, and the fallback when the first has none; never again when a model may have begun. */
  async #send(request: ModelRequest, signal: AbortSignal): Promise<{ head: Head; model: string }> {
    const { primary, fallback } = this.#options
    const first = request.model ?? primary
    const second = request.model === undefined ? fallback : undefined
    const head = await this.#upstream.post(this.#body(request, first, second), signal)
    if (second === undefined || !mayFallBack(head.status)) return { head, model: first }
    // A router that knows `models` has tried it; most servers do not know that.
    this.#options.log.warn({ status: head.status, model: first, fallback: second }, 'the fallback is asked')
    return { head: await this.#upstream.post(this.#body(request, second), signal), model: second }
  }

  #body({ messages, tools = [], maxTokens: wanted = Infinity }: ModelRequest, model: string, next?: string): string {
    return JSON.stringify({
      model,
      ...(next === undefined ? {} : { models: [model, next] }),
      messages: messages.map(wireMessage),
      ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
      max_tokens: Math.min(wanted, this.#options.maxTokens),
      stream: true,
      stream_options: { include_usage: true },
    })
  }

  /** What an answer came to so far: as reported, else by the length of the texts. */
  #account(request: ModelRequest, answer: Answer, asked: string): { model: string; usage: TokenUsage } {
    const model = answer.model !== undefined && modelName.test(answer.model) ? answer.model : asked
    const usage = answer.reported ?? {
      inputTokens: estimateInput(request),
      outputTokens: answer.estimatedTokens,
      estimated: true,
    }
    return { model, usage: priced(this.#options.prices, model, usage) }
  }
}

/** What the contract takes for one. */
const modelName = /^[\w.:/-]{1,100}$/

const bound = ({ token, least }: { readonly token: number; readonly least: number }, maxTokens: number): number =>
  Math.max(least, token * maxTokens)

function wireMessage(message: ModelMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content }
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  if (calls.length === 0) return { role: message.role, content: message.content }
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content,
    tool_calls: calls.map(({ id, ...given }) => ({ id, type: 'function', function: given })),
  }
}

/** Fires when the caller’s signal does, or when the time is over. */
function endingOf(signal: AbortSignal, timeoutMs: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal.reason)
  const timer = setTimeout(() => controller.abort(new Broken('timeout', 'the whole')), timeoutMs)
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}
