import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { FairLimitOptions } from '../../src/webhooks/fair-limit.ts'
import { Lanes, type Receiver } from '../../src/webhooks/lanes.ts'

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
const open = (places: number): FairLimitOptions => ({ places, share: places, reserve: 0 })
const small = { quick: open(2), slow: open(1), all: open(10), patience: 20 }
const to = (webhook: string, project = 'docs'): Receiver => ({ project, webhook })

describe('lanes', () => {
  it('let others pass attempts that take long', async () => {
    const lanes = new Lanes(small)
    const hanging = gate()
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => lanes.run(to(name), hanging.wait))
    expect(await lanes.run(to('healthy'), async () => 'arrived')).toBe('arrived')
    expect(hanging.begun()).toBe(5)
    hanging.open()
    await Promise.all(all)
  })

  it('keep receivers that were slow to the slow lane until they are quick again', async () => {
    const lanes = new Lanes(small)
    await Promise.all(['a', 'b', 'c'].map((name) => lanes.run(to(name), () => sleep(40))))
    const hanging = gate()
    const all = ['a', 'b', 'c'].map((name) => lanes.run(to(name), hanging.wait))
    expect(await lanes.run(to('healthy'), async () => 'arrived')).toBe('arrived')
    await sleep(60)
    // One after the other: the slow lane has one place here.
    expect(hanging.begun()).toBe(1)
    hanging.open()
    await Promise.all(all)
    const again = gate()
    const both = ['a', 'b'].map((name) => lanes.run(to(name), again.wait))
    await expect.poll(() => again.begun()).toBe(2)
    again.open()
    await Promise.all(both)
  })

  it('keep receivers of one project that hang from holding up slow ones of another', async () => {
    const lanes = new Lanes({ quick: open(4), slow: { places: 3, share: 1, reserve: 1 }, all: open(20), patience: 20 })
    const greedy = Array.from({ length: 8 }, (_, index) => to(`r${index}`, 'greedy'))
    const other = to('one', 'other')
    await Promise.all([...greedy, other].map((receiver) => lanes.run(receiver, () => sleep(40))))
    const hanging = gate()
    const all = greedy.map((receiver) => lanes.run(receiver, hanging.wait))
    expect(await lanes.run(other, async () => 'arrived')).toBe('arrived')
    expect(hanging.begun()).toBe(2)
    hanging.open()
    await Promise.all(all)
  })

  it('keep many receivers of one project that hang now and then from holding up another project', async () => {
    const lanes = new Lanes({ ...small, quick: { places: 3, share: 1, reserve: 1 }, patience: 60_000 })
    const hanging = gate()
    const all = Array.from({ length: 8 }, (_, index) => lanes.run(to(`r${index}`, 'greedy'), hanging.wait))
    expect(await lanes.run(to('one', 'other'), async () => 'arrived')).toBe('arrived')
    expect(hanging.begun()).toBe(2)
    hanging.open()
    await Promise.all(all)
  })

  it('bound how many attempts are under way in all', async () => {
    const lanes = new Lanes({ ...small, all: open(3) })
    const hanging = gate()
    const all = Array.from({ length: 8 }, (_, index) => lanes.run(to(`r${index}`), hanging.wait))
    await sleep(100)
    expect(hanging.begun()).toBe(3)
    hanging.open()
    await Promise.all(all)
    expect(hanging.begun()).toBe(8)
  })

  it('pass on what an attempt throws, and give its place back', async () => {
    const lanes = new Lanes({ ...small, quick: open(1) })
    const broken = (): Promise<never> => Promise.reject(new Error('broken'))
    await expect(lanes.run(to('a'), broken)).rejects.toThrow('broken')
    await expect(lanes.run(to('a'), broken)).rejects.toThrow('broken')
    expect(await lanes.run(to('a'), async () => 1)).toBe(1)
  })
})
