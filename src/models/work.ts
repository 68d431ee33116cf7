import { randomBytes } from 'node:crypto'
import type { Failure } from '../contract/failure.ts'
import type { TokenUsage } from '../contract/generation.ts'
import type { Quantities } from '../usage/plans.ts'
import type { ReservedQuantities, Usage } from '../usage/usage.ts'
import type { Allotment, Allotments } from './allotments.ts'
import type { KeptResult, Ledger } from './ledger.ts'
import type { MeteredWork, ModelEvent, ModelRequest, ModelRouter } from './model.ts'
import { added, nothing, quantitiesOf } from './tally.ts'
import { estimateInput, priced, type Prices } from './tokens.ts'

interface WorkOptions {
  readonly usage: Pick<Usage, 'reserveQuantities'>
  /** Of one answer. */
  readonly maxTokens: number
  readonly prices: Prices
  /** That is asked where a request names none. */
  readonly primary: string
  readonly allotment: Allotment
  readonly allotments: Allotments
  readonly router: ModelRouter
  readonly ledger: Ledger
  readonly onEnd: () => void
}

const none: Quantities = { inputTokens: 0, outputTokens: 0, costNanoUsd: 0 }

/** See MeteredWork. */
export class Work implements MeteredWork {
  readonly id = newId()
  readonly #options: WorkOptions
  readonly #cut = new AbortController()
  /** One a request: how much it is to be is not known before. The first gets all that was used. */
  readonly #reserved: ReservedQuantities[] = []
  #usage: TokenUsage = nothing
  #hasProduced = false
  #settling: Promise<void> | undefined
  #ended: () => void = () => undefined
  readonly #end = new Promise<void>((resolve) => (this.#ended = resolve))

  constructor(options: WorkOptions) {
    this.#options = options
  }

  get generation(): string {
    return this.#options.allotment.id
  }

  /** Id. */
  get project(): string {
    return this.#options.allotment.projectId
  }

  get usage(): TokenUsage {
    return this.#usage
  }

  get hasProduced(): boolean {
    return this.#hasProduced
  }

  async *ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const { allotment, allotments, router, usage, maxTokens } = this.#options
    if (this.#settling !== undefined) throw new Error('the work is settled')
    allotments.admit(allotment)
    const bounded = { ...request, maxTokens: Math.min(request.maxTokens ?? maxTokens, maxTokens) }
    this.#reserved.push(await usage.reserveQuantities(allotment.projectId, this.#estimate(bounded)))
    const told = (came: TokenUsage): void => {
      this.#usage = added(this.#usage, came)
      this.#hasProduced = true
      allotment.tokens += came.inputTokens + came.outputTokens
    }
    for await (const event of router.ask(bounded, AbortSignal.any([signal, this.#cut.signal]), told)) {
      if (event.type !== 'end') this.#hasProduced = true
      yield event
    }
  }

  /** The most that a request is likely to use. */
  #estimate(request: ModelRequest & { readonly maxTokens: number }): Quantities {
    const { prices, primary } = this.#options
    const usage = { inputTokens: estimateInput(request), outputTokens: request.maxTokens }
    return quantitiesOf(priced(prices, request.model ?? primary, usage))
  }

  /** @param result of a request that may be repeated. */
  settle(result?: KeptResult): Promise<void> {
    this.#settling ??= this.#settle(result).finally(() => {
      this.#options.onEnd()
      this.#ended()
    })
    return this.#settling
  }

  /** Ends its requests; settles when it has been settled. */
  async cut(reason: Failure): Promise<void> {
    this.#cut.abort(reason)
    await this.#end
  }

  async #settle(result: KeptResult | undefined): Promise<void> {
    const { allotment, allotments } = this.#options
    try {
      if (this.#hasProduced) await allotments.inTurn(allotment, () => this.#charge(result))
    } finally {
      for (const reserved of this.#reserved) await reserved.settle(none)
      await allotments.leave(allotment)
    }
  }

  /**
   * Held, on record, charged: a crash before the record leaves nothing of it, one after it is made good at the next start.
   * Whoever hears of the end hears of it after.
   */
  async #charge(result: KeptResult | undefined): Promise<void> {
    const { allotment, ledger } = this.#options
    const { projectId, kind, id, at, requests, tokens, reserved: allowance } = allotment
    const used = quantitiesOf(this.#usage)
    const [quantities] = this.#reserved
    await Promise.all([quantities?.hold(this.id), allowance?.hold(this.id)])
    const generation = kind === 'generations' ? { id, head: { at, requests, tokens } } : undefined
    await ledger.write(projectId, { work: this.id, used, generation, result })
    // From here on it is charged: where the disk does not take it now, at the next start.
    this.#reserved.shift()
    allotment.reserved = undefined
    await Promise.all([quantities?.settle(used), allowance?.settle(1)])
  }
}

export function newId(): string {
  return randomBytes(12).toString('base64url')
}
