import { describe, expect, it } from 'vitest'
import { delayOf, longestDelayOf, publishedSchedule, retryAfterOf } from '#webhooks/retry-schedule.ts'

const minute = 60_000
const hour = 60 * minute

describe('the time until the next attempt', () => {
  it('follows the published schedule, and ends with it', () => {
    const delays = Array.from({ length: 10 }, (_, made) =>
      delayOf(publishedSchedule, { attempts: made + 1, random: 0 }),
    )
    expect(delays).toEqual([
      5000,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
      null,
    ])
  })

  it('is longer by chance, but by a fifth at most, and never shorter', () => {
    expect(delayOf(publishedSchedule, { attempts: 2, random: 0.5 })).toBe(5.5 * minute)
    expect(delayOf(publishedSchedule, { attempts: 2, random: 0.999_999 })).toBeLessThanOrEqual(6 * minute)
  })

  it.each([
    ['more than the schedule', 20 * minute, 20 * minute],
    ['less than the schedule', minute, 5 * minute],
    ['more than an hour', 3 * 24 * hour, hour],
    ['for ever', Infinity, hour],
  ])('is what the receiver asks for: %s', (_, retryAfter, expected) => {
    expect(delayOf(publishedSchedule, { attempts: 2, random: 0, retryAfter })).toBe(expected)
  })

  it('is none after the last attempt, whatever the receiver asks for', () => {
    expect(delayOf(publishedSchedule, { attempts: 10, random: 0, retryAfter: minute })).toBeNull()
  })

  it('is never more than the longest that it can be', () => {
    for (let attempts = 1; attempts < 10; attempts++) {
      const delay = delayOf(publishedSchedule, { attempts, random: 0.999_999, retryAfter: 9 * hour })
      expect(delay).toBeLessThanOrEqual(longestDelayOf(publishedSchedule, attempts))
    }
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 21, 12)

  it.each([
    ['seconds', '120', 120_000],
    ['fractions of a second, as Discord sends them', '0.35', 350],
    ['a date', 'Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['a date that is past', 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['nothing that means anything', 'soon', undefined],
    ['a negative number', '-5', undefined],
    ['a list', '1,2', undefined],
    ['more than any number', '9'.repeat(400), Infinity],
    ['a date that never comes', 'Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59) - now],
    ['nothing at all', undefined, undefined],
  ])('is read when it is %s', (_, value, expected) => {
    expect(retryAfterOf(value, now)).toBe(expected)
  })
})
