import { describe, expect, it } from 'vitest'
import { Budget } from '#site/render/task.ts'

describe('what a page may cost', () => {
  it('is 6 s of processor time and 10 ms a KB, at most 15 s', () => {
    const allowed = (bytes: number) => new Budget().allowedFor({ path: 'a.mdx', oid: 'a', source: Buffer.alloc(bytes) })
    expect(allowed(1)).toBe(6010)
    expect(allowed(100 * 1024)).toBe(7000)
    expect(allowed(1024 * 1024)).toBe(15_000)
  })
})

describe('what a build may cost', () => {
  it('is 60 s of processor time and 0.1 s a page', () => {
    const budget = new Budget()
    for (let page = 0; page < 10; page++) budget.add()
    expect(budget.spend('a.mdx', 61_000)).toBeUndefined()
    expect(budget.spend('b.mdx', 1)?.message).toMatch(/took 61\.0 s .* 61\.0 s are allowed/)
  })

  it('is exceeded with an error that names the three costliest pages, the worst first', () => {
    const budget = new Budget({ buildCpuMs: 10_000 })
    budget.spend('cheap.mdx', 10)
    budget.spend('second.mdx', 3000)
    budget.spend('third.mdx', 2000)
    expect(budget.spend('worst.mdx', 9000)).toEqual({
      path: 'worst.mdx',
      rule: 'page-limit',
      message: expect.stringContaining(
        'The costliest: worst.mdx (9.0 s), second.mdx (3.0 s), third.mdx (2.0 s). Split them',
      ),
    })
  })
})
