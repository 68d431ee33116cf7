import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { Period } from './period.ts'
import { meters, plans, type Meter } from './plans.ts'

/** The refusal of work that the plan has no more room for, with when it has again. */
export function exceeded(of: {
  readonly plan: Plan
  readonly meter: Meter
  readonly period: Period
  readonly at: Date
}): Failure {
  const { plan, meter, period, at } = of
  const { allowance, title } = meters[meter]
  const { limit, per } = plans[plan].allowances[allowance]
  const what = limit === 1 ? `1 ${allowance.slice(0, -1)}` : `${limit} ${allowance}`
  const shared = meter === allowance ? '' : ` (${title} counts as one)`
  const resetsAt = period.end.toISOString()
  return new Failure(
    'quota_exceeded',
    `The ${plans[plan].title} plan allows ${what} a ${per}${shared}, and ${limit === 1 ? 'it is' : 'they are'} used up.`,
    {
      hint: `The count resets at ${resetsAt}. The ${plans.pro.title} plan has no such limit.`,
      retryAfter: Math.max(1, Math.ceil((period.end.getTime() - at.getTime()) / 1000)),
      extra: { plan: plans[plan].title, limit, resetsAt },
    },
  )
}
