import { afterEach, beforeEach, expect, it } from 'vitest'
import { relativeTime } from '#dashboard/ui/time.tsx'

const zone = process.env['TZ']
beforeEach(() => void (process.env['TZ'] = 'Europe/Berlin'))
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const now = '2026-11-25T08:00:00+01:00'

it.each([
  ['a moment ago', '2026-11-25T07:59:30+01:00', now, 'just now'],
  ['minutes ago, though it was another day', '2026-11-24T23:50:00+01:00', '2026-11-25T00:10:00+01:00', [-20, 'minute']],
  ['hours ago', '2026-11-24T12:00:00+01:00', now, [-20, 'hour']],
  ['a day and six hours ago', '2026-11-24T02:00:00+01:00', now, [-1, 'day']],
  ['less than two days ago, on the day before yesterday', '2026-11-23T10:00:00+01:00', now, [-2, 'day']],
  ['in less than two days, on the day after tomorrow', '2026-11-27T06:00:00+01:00', now, [2, 'day']],
  ['a day ago on a day of 25 hours', '2026-10-25T00:10:00+02:00', '2026-10-25T23:40:00+01:00', [-24, 'hour']],
  ['the day before one of 23 hours', '2026-03-28T11:00:00+01:00', '2026-03-29T13:00:00+02:00', [-1, 'day']],
  ['two days ago over one of 23 hours', '2026-03-28T12:00:00+01:00', '2026-03-30T12:00:00+02:00', [-2, 'day']],
] as const)('what was or will be %s is told so', (_, at, from, told) => {
  const [count, unit] = told === 'just now' ? [] : told
  expect(relativeTime(at, Date.parse(from))).toBe(count === undefined ? told : words.format(count, unit))
})

it('what is more than four weeks away is told by its date', () => {
  const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
  expect(relativeTime('2026-10-01T08:00:00Z', Date.parse(now))).toBe(date.format(new Date('2026-10-01T08:00:00Z')))
})
