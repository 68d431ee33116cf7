import type { Plan } from '../contract/projects.ts'

/** What a plan counts. */
export type Meter = 'deploys' | 'generations'

/** `null` is unlimited. Days and months are UTC. */
export interface Allowance {
  readonly limit: number | null
  readonly per: 'day' | 'month'
}

export interface PlanRow {
  readonly title: string
  readonly allowances: Readonly<Record<Meter, Allowance>>
}

/** The plans. */
export const plans: Readonly<Record<Plan, PlanRow>> = {
  free: { title: 'Free', allowances: { deploys: { limit: 3, per: 'day' }, generations: { limit: 1, per: 'month' } } },
  pro: {
    title: 'Pro',
    allowances: { deploys: { limit: null, per: 'day' }, generations: { limit: null, per: 'month' } },
  },
}
