import { Failure } from '../contract/failure.ts'
import { FairLimit, type FairLimitOptions } from '../lib/fair-limit.ts'
import type { Records } from '../storage/records.ts'
import type { Quantities } from '../usage/plans.ts'
import type { Usage } from '../usage/usage.ts'
import { Allotments, type AllotmentBounds } from './allotments.ts'
import { Ledger } from './ledger.ts'
import type { BeginOptions, MeteredKind, ModelRouter, Models } from './model.ts'
import type { Prices } from './tokens.ts'
import { newId, Work } from './work.ts'

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

  /** The project is being removed: cuts off and charges what is under way for it. */
  async removed(projectId: string): Promise<void> {
    const gone = new Failure('not_found', 'The project was removed.')
    await this.#cut(({ project }) => project === projectId, gone)
  }

  /** Cuts off all that is under way, and waits until it is settled. */
  async close(): Promise<void> {
    const stopping = new Failure('unavailable', 'The service is about to stop or to start anew.', {
      hint: 'Send the request again in a moment.',
    })
    await this.#cut(() => true, stopping)
  }

  async #cut(isMeant: (work: Work) => boolean, reason: Failure): Promise<void> {
    for (;;) {
      const meant = [...this.#open].filter(isMeant)
      if (meant.length === 0) return
      await Promise.all(meant.map((work) => work.cut(reason)))
    }
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

function notConfigured(): Failure {
  return new Failure('generation_not_configured', 'This service has no language model.', {
    hint: 'Whoever runs it can set MODEL_ROUTER_URL and MODEL_ROUTER_KEY.',
  })
}
