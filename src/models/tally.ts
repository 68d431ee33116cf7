import type { TokenUsage } from '../contract/generation.ts'
import { nanosOfDollar, type Quantities } from '../usage/plans.ts'

/** Of a work that has asked nothing yet. */
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
