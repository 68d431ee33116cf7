import type { Allowance } from './plans.ts'

export interface Period {
  /** `2026-11-21` or `2026-11`. */
  readonly key: string
  /** When the next one begins. */
  readonly end: Date
}

/** The UTC day or calendar month that a moment is in. */
export function periodOf(per: Allowance['per'], at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  const iso = at.toISOString()
  return per === 'day'
    ? { key: iso.slice(0, 10), end: new Date(Date.UTC(year, month, at.getUTCDate() + 1)) }
    : { key: iso.slice(0, 7), end: new Date(Date.UTC(year, month + 1, 1)) }
}
