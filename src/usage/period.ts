import type { Allowance } from './plans.ts'

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

/** Keys of the days of a month. */
export function daysOf({ start, end }: Period): string[] {
  const days: string[] = []
  for (let at = start; at < end;) {
    const day = periodOf('day', at)
    days.push(day.key)
    at = day.end
  }
  return days
}
