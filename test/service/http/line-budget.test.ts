import { expect, it } from 'vitest'
import { LineBudget } from '#http/requests/line-budget.ts'

/** How many of so many lines a second come through, for so many seconds. */
function through(budget: LineBudget, seconds: number, perSecond: number, networkOf: (line: number) => string): number {
  let count = 0
  for (let line = 0; line < seconds * perSecond; line++)
    if (budget.take(networkOf(line), (line / perSecond) * 1000)) count++
  return count
}

it('lets one network have a line a second, after a few at once', () => {
  expect(through(new LineBudget(0), 600, 100, () => 'one')).toBeCloseTo(60 + 600, -1)
})

it('lets all strangers together have five, from however many networks they come', () => {
  expect(through(new LineBudget(0), 3600, 100, (line) => `network ${line % 5000}`)).toBeCloseTo(600 + 5 * 3600, -2)
})

it('leaves lines for others while one asks much', () => {
  const budget = new LineBudget(0)
  for (let line = 0; line < 100_000; line++) budget.take('loud', line / 100)
  expect(budget.take('quiet', 1000)).toBe(true)
  expect(budget.take('loud', 1000)).toBe(false)
})

it('keeps mistakes of the service apart from what strangers get wrong', () => {
  const budget = new LineBudget(0)
  for (let line = 0; line < 10_000; line++) budget.take(`network ${line}`, 0)
  expect(budget.take('another', 0)).toBe(false)
  expect(budget.takeFault(0)).toBe(true)
})
