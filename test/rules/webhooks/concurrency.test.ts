import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { FairLimitOptions } from '#lib/fair-limit.ts'
import { DeliveryConcurrency, type Receiver } from '#webhooks/concurrency.ts'

/** Attempts that end when the test says so. */
function gate(): { open: () => void; wait: () => Promise<void>; begun: () => number } {
  let open: () => void = () => undefined
  let begun = 0
  const opened = new Promise<void>((resolve) => (open = resolve))
  return {
    open: () => open(),
    wait: () => {
      begun += 1
      return opened
    },
    begun: () => begun,
  }
}

/** Whoever comes first is served first. */
const open = (slots: number): FairLimitOptions => ({ slots, share: slots, reserve: 0, firsts: 0 })
/** Projects of one owner differ in their number. */
const ownerOf = (project: string): string => project.replace(/\d+$/, '')
const small = { quick: open(2), slow: open(1), all: open(10), slowAfterMs: 20 }
const to = (webhook: string, project = 'docs'): Receiver => ({ project, webhook })

describe('lanes', () => {
  it('let others pass attempts that take long', async () => {
    const concurrency = new DeliveryConcurrency(ownerOf, small)
    const hanging = gate()
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => concurrency.run(to(name), hanging.wait))
    expect(await concurrency.run(to('healthy'), async () => 'arrived')).toBe('arrived')
    expect(hanging.begun()).toBe(5)
    hanging.open()
    await Promise.all(all)
  })

  it('keep receivers that were slow to the slow lane until they are quick again', async () => {
    const concurrency = new DeliveryConcurrency(ownerOf, small)
    await Promise.all(['a', 'b', 'c'].map((name) => concurrency.run(to(name), () => sleep(40))))
    const hanging = gate()
    const all = ['a', 'b', 'c'].map((name) => concurrency.run(to(name), hanging.wait))
    expect(await concurrency.run(to('healthy'), async () => 'arrived')).toBe('arrived')
    await sleep(60)
    // One after the other: the slow lane has one place here.
    expect(hanging.begun()).toBe(1)
    hanging.open()
    await Promise.all(all)
    const again = gate()
    const both = ['a', 'b'].map((name) => concurrency.run(to(name), again.wait))
    await expect.poll(() => again.begun()).toBe(2)
    again.open()
    await Promise.all(both)
  })

  it('keep receivers of one owner that hang from holding up slow ones of another', async () => {
    const concurrency = new DeliveryConcurrency(ownerOf, {
      quick: open(4),
      slow: { slots: 3, share: 1, reserve: 1, firsts: 0 },
      all: open(20),
      slowAfterMs: 20,
    })
    const greedy = Array.from({ length: 8 }, (_, index) => to(`r${index}`, `greedy${index % 3}`))
    const other = to('one', 'other')
    await Promise.all([...greedy, other].map((receiver) => concurrency.run(receiver, () => sleep(40))))
    const hanging = gate()
    const all = greedy.map((receiver) => concurrency.run(receiver, hanging.wait))
    expect(await concurrency.run(other, async () => 'arrived')).toBe('arrived')
    expect(hanging.begun()).toBe(2)
    hanging.open()
    await Promise.all(all)
  })

  it('keep many receivers of one owner that hang now and then from holding up another owner', async () => {
    const concurrency = new DeliveryConcurrency(ownerOf, {
      ...small,
      quick: { slots: 3, share: 1, reserve: 1, firsts: 0 },
      slowAfterMs: 60_000,
    })
    const hanging = gate()
    const all = Array.from({ length: 8 }, (_, index) =>
      concurrency.run(to(`r${index}`, `greedy${index % 3}`), hanging.wait),
    )
    expect(await concurrency.run(to('one', 'other'), async () => 'arrived')).toBe('arrived')
    expect(hanging.begun()).toBe(2)
    hanging.open()
    await Promise.all(all)
  })

  it('bound how many attempts are under way in all', async () => {
    const concurrency = new DeliveryConcurrency(ownerOf, { ...small, all: open(3) })
    const hanging = gate()
    const all = Array.from({ length: 8 }, (_, index) => concurrency.run(to(`r${index}`), hanging.wait))
    await sleep(100)
    expect(hanging.begun()).toBe(3)
    hanging.open()
    await Promise.all(all)
    expect(hanging.begun()).toBe(8)
  })

  it('pass on what an attempt throws, and give its place back', async () => {
    const concurrency = new DeliveryConcurrency(ownerOf, { ...small, quick: open(1) })
    const broken = (): Promise<never> => Promise.reject(new Error('broken'))
    await expect(concurrency.run(to('a'), broken)).rejects.toThrow('broken')
    await expect(concurrency.run(to('a'), broken)).rejects.toThrow('broken')
    expect(await concurrency.run(to('a'), async () => 1)).toBe(1)
  })
})
