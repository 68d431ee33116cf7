import type { TokenUsage } from '../contract/generation.ts'
import { nanosOfDollar, type Quantities } from '../usage/plans.ts'
import type { ModelEvent, ModelRequest } from './model.ts'

/** Of a token, about: English text and code have four, other scripts fewer. */
const charactersOfToken = 4

export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersOfToken)
}

/** What a request says to a model, counted by its length. */
export function inputTokensOf({ messages, tools }: ModelRequest): number {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  const said = messages.reduce((sum, { content }) => sum + content.length, 0)
  const called = calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0)
  return tokensOf(said + called + (tools === undefined ? 0 : JSON.stringify(tools).length))
}

export const nothing: TokenUsage = { inputTokens: 0, outputTokens: 0 }

export function added(one: TokenUsage, other: TokenUsage): TokenUsage {
  const costUsd = one.costUsd === undefined ? other.costUsd : one.costUsd + (other.costUsd ?? 0)
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(one.estimated === true || other.estimated === true ? { estimated: true } : {}),
  }
}

/** As it is counted: a number of the router's that cannot be one counts as nothing. */
export function quantitiesOf({ inputTokens, outputTokens, costUsd = 0 }: TokenUsage): Quantities {
  return {
    inputTokens: counted(inputTokens),
    outputTokens: counted(outputTokens),
    costNanoUsd: counted(costUsd * nanosOfDollar),
  }
}

function counted(amount: number): number {
  return Number.isFinite(amount) && amount > 0 ? Math.min(Math.round(amount), Number.MAX_SAFE_INTEGER) : 0
}

/** What one request to a model uses: what its end tells, or by its texts where it ended without one. */
export class Tally {
  readonly #request: ModelRequest
  #characters = 0
  #reported: TokenUsage | undefined

  constructor(request: ModelRequest) {
    this.#request = request
  }

  add(event: ModelEvent): void {
    if (event.type === 'end') this.#reported = event.usage
    else if (event.type === 'text') this.#characters += event.text.length
    else this.#characters += event.call.name.length + event.call.arguments.length
  }

  get hasProduced(): boolean {
    return this.#characters > 0
  }

  /** Nothing where nothing was produced. */
  get usage(): TokenUsage {
    if (!this.hasProduced) return nothing
    if (this.#reported !== undefined) return this.#reported
    return {
      inputTokens: inputTokensOf(this.#request),
      outputTokens: tokensOf(this.#characters),
      estimated: true,
    }
  }
}
