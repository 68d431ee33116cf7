import { randomBytes } from 'node:crypto'
import { Failure } from '../contract/failure.ts'
import type { TokenUsage } from '../contract/generation.ts'
import { FairLimit, type FairLimitOptions } from '../lib/fair-limit.ts'
import type { Records } from '../storage/records.ts'
import type { Quantities } from '../usage/plans.ts'
import type { ReservedQuantities, Usage } from '../usage/usage.ts'
import { Allotments, type Allotment, type AllotmentBounds } from './allotments.ts'
import { Ledger, type KeptResult } from './ledger.ts'
import type { BeginOptions, MeteredKind, MeteredWork, ModelEvent, ModelRequest, ModelRouter, Models } from './model.ts'
import { added, nothing, quantitiesOf } from './tally.ts'
import { estimateInput, priced, type Prices } from './tokens.ts'

export interface ModelsOptions {
  /** Null: the service has none. */
  readonly router: ModelRouter | null
  readonly usage: Usage
  readonly records: Records
  /** Id of the account that owns a project. */
  readonly ownerOf: (projectId: string) => string
  readonly bounds: AllotmentBounds
  /** Of one answer. */
  readonly maxTokens: number
  readonly prices: Prices
  /** That is asked where a request names none. */
  readonly primary: string
  readonly now: () => Date
}

/**
 * Works under way, of one owner at most `share`, and so many may wait. Readers have places of their own: they do not keep
 * the owner of a site from working.
 */
const places: Readonly<Record<'own' | 'readers', FairLimitOptions>> = {
  own: { slots: 256, share: 4, reserve: 256, firsts: 256, queue: 8 },
  readers: { slots: 128, share: 4, reserve: 128, firsts: 128, queue: 8 },
}
/** Seconds after which a place may be free. */
const patience = 5

/** Requests to models, each paid for by the owner of a project. */
export class MeteredModels implements Models {
  readonly #options: ModelsOptions
  readonly #allotments: Allotments
  readonly ledger: Ledger
  readonly #own = new FairLimit(places.own)
  readonly #readers = new FairLimit(places.readers)
  readonly #open = new Set<Work>()

  constructor(options: ModelsOptions) {
    this.#options = options
    this.ledger = new Ledger(options.records, options.now)
    this.#allotments = new Allotments({ ...options, ledger: this.ledger })
  }

  get isConfigured(): boolean {
    return this.#options.router !== null
  }

  async begin(projectId: string, kind: MeteredKind, options: BeginOptions = {}): Promise<Work> {
    const { router } = this.#options
    const { generation, signal } = options
    if (router === null) throw notConfigured()
    const id = generation ?? newId()
    const allotment = await this.#allotments.join({ projectId, kind, id, isNamed: generation !== undefined })
    try {
      const release = await this.#place(projectId, kind, signal)
      const work: Work = new Work({
        ...this.#options,
        allotment,
        allotments: this.#allotments,
        router,
        ledger: this.ledger,
        onEnd: () => {
          this.#open.delete(work)
          release()
        },
      })
      this.#open.add(work)
      return work
    } catch (error) {
      await this.#allotments.leave(allotment)
      throw error
    }
  }

  /** What a work used that a crash kept from being charged; null where nothing came of it. */
  usedBy(projectId: string, work: string): Promise<Quantities | null> {
    return this.ledger.usedBy(projectId, work)
  }

  /** Cuts off what is under way, and waits until all of it is settled. */
  async close(): Promise<void> {
    const stopping = new Failure('unavailable', 'The service is about to stop or to start anew.', {
      hint: 'Send the request again in a moment.',
    })
    while (this.#open.size > 0) await Promise.all([...this.#open].map((work) => work.cut(stopping)))
  }

  async #place(projectId: string, kind: MeteredKind, signal: AbortSignal | undefined): Promise<() => void> {
    const owner = this.#options.ownerOf(projectId)
    const limit = kind === 'answers' ? this.#readers : this.#own
    if (!limit.isFull(owner)) return limit.acquire(owner, signal)
    throw new Failure('rate_limited', 'Too many requests to language models of this account are under way.', {
      hint: 'Wait for the answers to some of them before asking for more.',
      retryAfter: patience,
    })
  }
}

interface WorkOptions extends Pick<ModelsOptions, 'usage' | 'maxTokens' | 'prices' | 'primary'> {
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
    const told = (usage: TokenUsage): void => {
      this.#usage = added(this.#usage, usage)
      this.#hasProduced = true
      allotment.tokens += usage.inputTokens + usage.outputTokens
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
    try {
      await ledger.write(projectId, { work: this.id, used, generation, result })
    } catch (error) {
      // Nobody gets work for nothing by removing the project before it ends.
      if (!(error instanceof Failure && error.code === 'not_found')) throw error
    }
    // From here on it is charged: where the disk does not take it now, at the next start.
    this.#reserved.shift()
    allotment.reserved = undefined
    await Promise.all([quantities?.settle(used), allowance?.settle(1)])
  }
}

function newId(): string {
  return randomBytes(12).toString('base64url')
}

function notConfigured(): Failure {
  return new Failure('generation_not_configured', 'This service has no language model.', {
    hint: 'Whoever runs it can set MODEL_ROUTER_URL and MODEL_ROUTER_KEY.',
  })
}
