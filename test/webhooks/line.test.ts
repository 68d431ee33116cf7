import { describe, expect, it } from 'vitest'
import { Line, type Pending } from '../../src/webhooks/line.ts'
import { eventOf } from './support-events.ts'

const pendingOf = (number: number, change: Partial<Pending> = {}): Pending => ({
  event: eventOf(number),
  webhook: 'one',
  since: number,
  attempts: 0,
  dueAt: number,
  ...change,
})

/** An attempt that fails and is to be made again at a time. */
function fail(line: Line, pending: Pending, dueAt: number): void {
  pending.attempts += 1
  pending.dueAt = dueAt
  line.settleDown(pending)
}

describe('a line', () => {
  it('gives events in the order in which they came', () => {
    const line = new Line()
    const given = [pendingOf(1), pendingOf(2), pendingOf(3)]
    for (const pending of given) line.add(pending)
    for (const pending of given) {
      expect(line.next()).toBe(pending)
      line.remove(pending)
    }
    expect(line.next()).toBeUndefined()
  })

  it('holds later events back while the first has its quick retries', () => {
    const line = new Line()
    const [first, second] = [pendingOf(1), pendingOf(2)]
    line.add(first)
    line.add(second)
    fail(line, first, 5000)
    expect(line.next()).toBe(first)
    fail(line, first, 300_000)
    expect(line.next()).toBe(first)
  })

  it('lets later events pass one that still fails, which goes on by its own time', () => {
    const line = new Line()
    const [first, second, third] = [pendingOf(1), pendingOf(2), pendingOf(3)]
    for (const pending of [first, second, third]) line.add(pending)
    for (const dueAt of [5000, 300_000, 1_800_000]) fail(line, first, dueAt)
    expect(line.next()).toBe(second)
    line.remove(second)
    expect(line.next()).toBe(third)
    line.remove(third)
    expect(line.next()).toBe(first)
    expect(line.size).toBe(1)
  })

  it('tries what stepped aside when its time comes, also while the first of the line waits', () => {
    const line = new Line()
    const [first, second] = [pendingOf(1), pendingOf(2)]
    line.add(first)
    line.add(second)
    for (const dueAt of [5000, 300_000, 1000]) fail(line, first, dueAt)
    fail(line, second, 2000)
    expect(line.next()).toBe(first)
  })

  it('takes an event that was aside before a restart aside again', () => {
    const line = new Line()
    const [old, fresh] = [pendingOf(1, { attempts: 4, dueAt: 9000 }), pendingOf(2)]
    line.add(old)
    line.add(fresh)
    expect(line.next()).toBe(fresh)
  })

  it('does not take back what was removed while it was tried', () => {
    const line = new Line()
    const first = pendingOf(1, { attempts: 2 })
    line.add(first)
    line.remove(first)
    fail(line, first, 5000)
    expect(line.next()).toBeUndefined()
    expect(line.size).toBe(0)
  })
})
