import { expect, it } from 'vitest'
import { Budget } from '../../src/lib/budget.ts'

it('gives each owner so much at a time, and again what was given back', () => {
  const budget = new Budget(3)
  expect([budget.take('a', 2), budget.take('a', 2), budget.take('a', 1), budget.take('a', 1)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect(budget.take('b', 3)).toBe(true)
  budget.giveBack('a', 2)
  expect([budget.take('a', 2), budget.take('a', 1)]).toEqual([true, false])
})
