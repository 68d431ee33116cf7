import type { Plan } from '../contract/projects.ts'

/** What a plan limits. */
export type AllowanceName = 'deploys' | 'generations'

/** `null` is unlimited. Days and months are UTC. */
export interface Allowance {
  readonly limit: number | null
  readonly per: 'day' | 'month'
}

export interface PlanRow {
  readonly title: string
  readonly allowances: Readonly<Record<AllowanceName, Allowance>>
}

/** The plans. */
export const plans: Readonly<Record<Plan, PlanRow>> = {
  free: { title: 'Free', allowances: { deploys: { limit: 3, per: 'day' }, generations: { limit: 1, per: 'month' } } },
  pro: {
    title: 'Pro',
    allowances: { deploys: { limit: null, per: 'day' }, generations: { limit: null, per: 'month' } },
  },
}

/** What can be reserved. */
export type Meter = 'deploys' | 'generations' | 'branches' | 'agentMessages' | 'answers'

export interface MeterRow {
  /** Whose limit it takes from. */
  readonly allowance: AllowanceName
  /** For people: what one of it is. */
  readonly title: string
  /** It is also counted by itself. */
  readonly apart?: true
}

/** What counts as what: several kinds of work share the limit of generations. */
export const meters: Readonly<Record<Meter, MeterRow>> = {
  deploys: { allowance: 'deploys', title: 'a deploy' },
  generations: { allowance: 'generations', title: 'a generation' },
  branches: { allowance: 'generations', title: 'creating a branch' },
  agentMessages: { allowance: 'generations', title: 'a message to the assistant', apart: true },
  answers: { allowance: 'generations', title: 'an answer to a reader', apart: true },
}

/** What requests to models use, which is counted and not limited. */
export const quantityNames = ['inputTokens', 'outputTokens', 'costNanoUsd'] as const
export type QuantityName = (typeof quantityNames)[number]
/** Whole numbers: sums of fractions of a dollar would drift. */
export type Quantities = Readonly<Record<QuantityName, number>>

export const nanosOfDollar = 1e9

/** Whatever has a count of its own. */
export type Counted = Meter | QuantityName

export function isQuantity(name: string): name is QuantityName {
  return quantityNames.some((quantity) => quantity === name)
}

export function isCounted(name: string): name is Counted {
  return Object.hasOwn(meters, name) || isQuantity(name)
}

export interface Period {
  /** `2026-11-21` or `2026-11`. */
  readonly key: string
  readonly start: Date
  /** When the next one begins. */
  readonly end: Date
}

/** The UTC day or calendar month that a moment is in. */
export function periodOf(per: Allowance['per'], at: Date): Period {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  const iso = at.toISOString()
  return per === 'day'
    ? {
        key: iso.slice(0, 10),
        start: new Date(Date.UTC(year, month, day)),
        end: new Date(Date.UTC(year, month, day + 1)),
      }
    : { key: iso.slice(0, 7), start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) }
}
