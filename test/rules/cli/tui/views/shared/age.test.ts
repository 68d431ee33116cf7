import { describe, expect, it } from 'vitest'
import { ageOf, agoText, durationText } from '#cli/tui/views/shared/age.ts'

const now = new Date(2026, 2, 29, 12, 0, 0).getTime()
const minute = 60_000
const day = 24 * 60 * minute

describe('how long ago something was', () => {
  it.each([
    [0, 'now', 'just now'],
    [59_999, 'now', 'just now'],
    // Of a machine whose clock is behind that of the service.
    [-5 * minute, 'now', 'just now'],
    [5 * minute, '5 min', '5 min ago'],
    [90 * minute, '1 h', '1 h ago'],
    [27 * day, '27 d', '27 d ago'],
    [28 * day, '2026-03-01', 'on 2026-03-01'],
  ])('is told: %i ms as %s', (before, age, ago) => {
    expect(ageOf(new Date(now - before), now)).toBe(age)
    expect(agoText(new Date(now - before), now)).toBe(ago)
  })
})

describe('how long something took', () => {
  it.each([
    [40, '40 ms'],
    [1234, '1.2 s'],
    [12_300, '12 s'],
    [200_000, '3 min 20 s'],
  ])('is told: %i ms as %s', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text)
  })
})
