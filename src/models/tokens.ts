import type { TokenUsage } from '../contract/generation.ts'
import type { ModelRequest } from './model.ts'

/** Bytes of UTF-8 that a token has, about, in English and in code. */
const bytesOfToken = 4
/** What roles and the marks between messages take. */
const tokensOfMessage = 4

/** How many tokens a text of so many bytes is, about: routers count exactly, but not where an answer is cut off. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / bytesOfToken)

const tokensOf = (texts: readonly string[]): number =>
  tokensOfBytes(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0))

/** What a request is before anything is answered. */
export function estimateInput({ messages, tools = [] }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  const said = messages.map((message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
    return tokensOf([message.content, ...calls.flatMap((call) => [call.name, call.arguments])]) + tokensOfMessage
  })
  const known = tools.length === 0 ? 0 : tokensOf([JSON.stringify(tools)])
  return said.reduce((sum, tokens) => sum + tokens, known)
}

/** US dollars for a million tokens. */
export interface Price {
  readonly inputUsd: number
  readonly outputUsd: number
}

export type Prices = ReadonlyMap<string, Price>

/** A provider may answer with the name of a version: `gpt-5-2025-08-07` has the price of `gpt-5`. */
function priceOf(prices: Prices, model: string): Price | undefined {
  const known = [...prices.keys()].filter((id) => model === id || /^[-:@]/.test(model.slice(id.length)))
  const [longest] = known.filter((id) => model.startsWith(id)).toSorted((a, b) => b.length - a.length)
  return longest === undefined ? undefined : prices.get(longest)
}

/** A usage with what it costs by the table of prices, unless the router told it. */
export function priced(prices: Prices, model: string, usage: TokenUsage): TokenUsage {
  const price = priceOf(prices, model)
  if (usage.costUsd !== undefined || price === undefined) return usage
  const { inputTokens, outputTokens } = usage
  return { ...usage, costUsd: (inputTokens * price.inputUsd + outputTokens * price.outputUsd) / 1_000_000 }
}
