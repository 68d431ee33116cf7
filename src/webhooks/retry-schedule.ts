const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Milliseconds before each attempt, counted from the end of the one before (Standard Webhooks, “Retry schedule”). */
export const publishedSchedule: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/**
 * Attempts that an event gets while it holds its place in line. One that still fails steps aside and goes on by its own
 * schedule: events that came later are held for minutes, not for days.
 */
export const attemptsInOrder = 3

/** A receiver may ask for more time, but not for as much as it likes. */
export const longestRetryAfter = hour

/** Failing for so long disables a webhook. */
export const disabledAfter = 120 * hour

/** Part of a delay that is added by chance: receivers that were down together are not all called at once. */
const jitter = 0.2

export interface Wait {
  /** Attempts that were made. */
  readonly attempts: number
  /** At least 0, less than 1. */
  readonly random: number
  /** What the receiver asked for, milliseconds. */
  readonly retryAfter?: number | undefined
}

/** Milliseconds until the next attempt, never less than published; null when there is none any more. */
export function delayOf(schedule: readonly number[], { attempts, random, retryAfter = 0 }: Wait): number | null {
  const published = schedule[attempts]
  if (published === undefined) return null
  return Math.max(Math.round(published * (1 + jitter * random)), Math.min(retryAfter, longestRetryAfter))
}

/** The longest that delayOf can say: who is to wait for longer looks at a clock that was set back. */
export function longestDelayOf(schedule: readonly number[], attempts: number): number {
  const published = schedule[attempts] ?? 0
  // Before the first attempt there was no answer that could have asked for time.
  return attempts === 0 ? published : Math.max(published * (1 + jitter), longestRetryAfter)
}

/** Milliseconds that a Retry-After header asks for, in either of its forms (RFC 9110, 10.2.3). */
export function retryAfterOf(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  // Discord sends fractions of a second. A number without end is infinite here, which is bounded like any other.
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * second)
  // Date.parse takes many things for dates; those of HTTP begin with the name of a day.
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
