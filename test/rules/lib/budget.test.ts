import { expect, it } from 'vitest'
import { Budget } from '#lib/budget.ts'

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

it('leaves others as much as an owner has, where there is a bound over all of them', () => {
  const budget = new Budget(50, 120)
  const most = (owner: string): number => {
    let taken = 0
    while (budget.take(owner, 1)) taken++
    return taken
  }
  expect([most('a'), most('b'), most('c'), most('d')]).toEqual([50, 35, 17, 9])
  expect(most('a')).toBe(0)
  budget.giveBack('a', 50)
  expect(most('e')).toBe(29)
})
