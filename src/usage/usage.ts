import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { Reservation, Store } from '../metadata/store.ts'
import { periodOf } from './period.ts'
import { plans, type Meter } from './plans.ts'

export interface UsageOptions {
  readonly store: Store
  /** Name of a project's document. */
  readonly documentOf: (slug: string) => string
  /** Plan of a project. */
  readonly planOf: (slug: string) => Promise<Plan>
  readonly now: () => Date
}

/** Quotas: an allowance is taken before the work and settled after, so that concurrent work never exceeds it. */
export class Usage {
  readonly #options: UsageOptions

  constructor(options: UsageOptions) {
    this.#options = options
  }

  /** Takes one deploy of the project's plan. Throws Failure `quota_exceeded` with when it resets, `not_found`. */
  reserveDeploy(slug: string): Promise<Reservation> {
    return this.#reserve(slug, 'deploys')
  }

  /**
   * Takes one generation of the project's plan: creating a branch counts as one. Throws as `reserveDeploy`.
   */
  reserveGeneration(slug: string): Promise<Reservation> {
    return this.#reserve(slug, 'generations')
  }

  /** @param used 1 when something went live, 0 to give the deploy back. A second call changes nothing. */
  settle(reservation: Reservation, used: 0 | 1): Promise<void> {
    return this.#options.store.settle(reservation, used)
  }

  async #reserve(slug: string, meter: Meter): Promise<Reservation> {
    const { store, documentOf, planOf, now } = this.#options
    const plan = plans[await planOf(slug)]
    const { limit, per } = plan.allowances[meter]
    const at = now()
    const period = periodOf(per, at)
    const reservation = await store.reserve(documentOf(slug), { meter, period: period.key, amount: 1, limit })
    if (reservation !== null) return reservation
    throw new Failure(
      'quota_exceeded',
      `The ${plan.title} plan allows ${limit} ${meter} a ${per}, and they are used up`,
      {
        hint: `The count resets at ${period.end.toISOString()}. The ${plans.pro.title} plan has no such limit.`,
        retryAfter: Math.max(1, Math.ceil((period.end.getTime() - at.getTime()) / 1000)),
        extra: { plan: plan.title, limit, resetsAt: period.end.toISOString() },
      },
    )
  }
}
