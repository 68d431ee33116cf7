import type { ModelList } from '../../src/contract/generation.ts'

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Nobody told; what models of this size cost. */
  readonly assumed?: true
}

/** Of a large model, for services that do not say. */
export const assumedPrice: Price = { input: 3, output: 15, assumed: true }

export function priceOf(model: string, { models }: Pick<ModelList, 'models'>): Price {
  const known = models.find(({ id }) => id === model)
  return known?.inputUsd === undefined || known.outputUsd === undefined
    ? assumedPrice
    : { input: known.inputUsd, output: known.outputUsd }
}

export function costOf(price: Price, tokens: { readonly inputTokens: number; readonly outputTokens: number }): number {
  return (tokens.inputTokens * price.input + tokens.outputTokens * price.output) / 1_000_000
}

/** `$0.04`; below a cent `$0.004`. */
export function dollars(amount: number): string {
  if (amount === 0) return '$0'
  return amount < 0.0005 ? '<$0.001' : `$${amount.toFixed(amount < 0.0095 ? 3 : 2)}`
}
