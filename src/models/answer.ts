import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { FinishReason, TokenUsage } from '../contract/generation.ts'
import type { ToolCall } from './model.ts'
import { tokensOfBytes } from './tokens.ts'
import { Broken } from './upstream.ts'

/** Routers leave out what they do not say, or say null. */
const nullable = <T extends Parameters<typeof Type.Array>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

const CallDelta = Type.Object({
  index: nullable(Type.Integer({ minimum: 0 })),
  id: nullable(Type.String()),
  function: nullable(Type.Object({ name: nullable(Type.String()), arguments: nullable(Type.String()) })),
})
type CallDelta = Static<typeof CallDelta>

/** One message of a streamed chat completion, as far as it is of interest. */
const Chunk = Type.Object({
  model: nullable(Type.String()),
  error: nullable(Type.Unknown()),
  usage: nullable(Type.Unknown()),
  choices: nullable(
    Type.Array(
      Type.Object({
        delta: nullable(Type.Object({ content: nullable(Type.String()), tool_calls: nullable(Type.Array(CallDelta)) })),
        finish_reason: nullable(Type.String()),
      }),
    ),
  ),
})

/** More than any request comes to. A number beyond it is made up, and would spoil the meters of a month, which are sums. */
const [mostTokens, mostUsd] = [1e9, 1e5]

const Tokens = Type.Integer({ minimum: 0, maximum: mostTokens })
const Reported = Type.Object({
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  cost: nullable(Type.Number({ minimum: 0, maximum: mostUsd })),
})

const chunks = Compile(Chunk)
const reports = Compile(Reported)
const errors = Compile(Type.Object({ code: Type.Integer() }))

const reasons: Readonly<Record<string, FinishReason>> = { length: 'length', content_filter: 'refused' }

/** More than any model calls at once. */
const mostCalls = 64

/** What comes of a stream of chunks: texts at once, calls and the rest at the end. */
export class Answer {
  readonly #mostBytes: number
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>()
  #bytes = 0
  #finish: string | undefined
  /** That answered, as far as it was told. */
  model: string | undefined
  reported: TokenUsage | undefined

  /** @param mostBytes of texts and calls together, in UTF-8. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Whether the model said that it has come to an end. */
  get isComplete(): boolean {
    return this.#finish !== undefined
  }

  /** Whether there is anything that somebody has to pay for. */
  get isBegun(): boolean {
    return this.#bytes > 0 || (this.reported?.outputTokens ?? 0) > 0
  }

  /** So far, by the length of texts and calls. */
  get estimatedTokens(): number {
    return tokensOfBytes(this.#bytes)
  }

  get finishReason(): FinishReason | 'calls' {
    const reason = reasons[this.#finish ?? '']
    return reason ?? (this.#calls.size > 0 ? 'calls' : 'stop')
  }

  /** Whole ones: an answer that was cut off ends amidst one, perhaps. */
  get calls(): readonly ToolCall[] {
    if (this.finishReason !== 'calls') return []
    return [...this.#calls].map(([index, { id, name, arguments: given }]) => ({
      id: id === '' ? `call_${index}` : id,
      name,
      // What takes no arguments is called without any by some models.
      arguments: given.trim() === '' ? '{}' : given,
    }))
  }

  /**
   * Takes the data of events that came together, and returns the text in them: a reader that is slower than the model
   * gets fewer and longer pieces. With an error, behind the text, where the router says that it failed, or says what
   * cannot be understood.
   */
  take(events: readonly string[]): { readonly text: string; readonly error: Broken | undefined } {
    let text = ''
    try {
      for (const data of events) text += this.#takeOne(data)
    } catch (error) {
      if (error instanceof Broken) return { text, error }
      throw error
    }
    return { text, error: undefined }
  }

  #takeOne(data: string): string {
    const chunk = parse(data)
    if (chunk.error !== undefined && chunk.error !== null)
      throw new Broken('upstream', errors.Check(chunk.error) ? chunk.error.code : undefined)
    this.model ??= chunk.model ?? undefined
    if (reports.Check(chunk.usage)) {
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens, cost } = chunk.usage
      this.reported = { inputTokens, outputTokens, ...(typeof cost === 'number' ? { costUsd: cost } : {}) }
    }
    const [choice] = chunk.choices ?? []
    if (choice === undefined) return ''
    const { delta, finish_reason: finish } = choice
    if (finish === 'error') throw new Broken('upstream')
    // Some servers send an empty one with every piece.
    if (finish !== '') this.#finish = finish ?? this.#finish
    for (const call of delta?.tool_calls ?? []) this.#gather(call)
    const text = delta?.content ?? ''
    this.#count(text)
    return text
  }

  #gather({ index, id, function: part }: CallDelta): void {
    // Where calls have no numbers, one begins with its id.
    const at = index ?? (typeof id === 'string' ? this.#calls.size : this.#calls.size - 1)
    const call = this.#calls.get(at) ?? { id: '', name: '', arguments: '' }
    const [name, given] = [part?.name ?? '', part?.arguments ?? '']
    this.#calls.set(at, {
      id: call.id === '' ? (id ?? '') : call.id,
      name: call.name + name,
      arguments: call.arguments + given,
    })
    if (this.#calls.size > mostCalls) throw new Broken('too much')
    this.#count(name)
    this.#count(given)
  }

  #count(text: string): void {
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > this.#mostBytes) throw new Broken('too much')
  }
}

function parse(data: string): Static<typeof Chunk> {
  let chunk: unknown
  try {
    chunk = JSON.parse(data)
  } catch {
    // The parser’s message would show a piece of the answer.
    throw new Broken('protocol')
  }
  if (!chunks.Check(chunk)) throw new Broken('protocol')
  return chunk
}
