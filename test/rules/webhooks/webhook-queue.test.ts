import { describe, expect, it } from 'vitest'
import { WebhookQueue, type PendingDelivery } from '#webhooks/webhook-worker.ts'
import { eventOf } from './support-events.ts'

const pendingOf = (number: number, change: Partial<PendingDelivery> = {}): PendingDelivery => ({
  event: eventOf(number),
  webhook: 'one',
  since: number,
  attempts: 0,
  dueAt: number,
  ...change,
})

/** An attempt that fails and is to be made again at a time. */
function fail(queue: WebhookQueue, pending: PendingDelivery, dueAt: number): void {
  pending.attempts += 1
  pending.dueAt = dueAt
  queue.afterFailure(pending)
}

describe('a queue', () => {
  it('gives events in the order in which they came', () => {
    const queue = new WebhookQueue()
    const given = [pendingOf(1), pendingOf(2), pendingOf(3)]
    for (const pending of given) queue.add(pending)
    for (const pending of given) {
      expect(queue.next()).toBe(pending)
      queue.remove(pending)
    }
    expect(queue.next()).toBeUndefined()
  })

  it('holds later events back while the first has its quick retries', () => {
    const queue = new WebhookQueue()
    const [first, second] = [pendingOf(1), pendingOf(2)]
    queue.add(first)
    queue.add(second)
    fail(queue, first, 5000)
    expect(queue.next()).toBe(first)
    fail(queue, first, 300_000)
    expect(queue.next()).toBe(first)
  })

  it('lets later events pass one that still fails, which goes on by its own time', () => {
    const queue = new WebhookQueue()
    const [first, second, third] = [pendingOf(1), pendingOf(2), pendingOf(3)]
    for (const pending of [first, second, third]) queue.add(pending)
    for (const dueAt of [5000, 300_000, 1_800_000]) fail(queue, first, dueAt)
    expect(queue.next()).toBe(second)
    queue.remove(second)
    expect(queue.next()).toBe(third)
    queue.remove(third)
    expect(queue.next()).toBe(first)
    expect(queue.size).toBe(1)
  })

  it('tries what is deferred when its time comes, also while the first of the queue waits', () => {
    const queue = new WebhookQueue()
    const [first, second] = [pendingOf(1), pendingOf(2)]
    queue.add(first)
    queue.add(second)
    for (const dueAt of [5000, 300_000, 1000]) fail(queue, first, dueAt)
    fail(queue, second, 2000)
    expect(queue.next()).toBe(first)
  })

  it('takes an event that was aside before a restart aside again', () => {
    const queue = new WebhookQueue()
    const [old, fresh] = [pendingOf(1, { attempts: 4, dueAt: 9000 }), pendingOf(2)]
    queue.add(old)
    queue.add(fresh)
    expect(queue.next()).toBe(fresh)
  })

  it('does not take back what was removed while it was tried', () => {
    const queue = new WebhookQueue()
    const first = pendingOf(1, { attempts: 2 })
    queue.add(first)
    queue.remove(first)
    fail(queue, first, 5000)
    expect(queue.next()).toBeUndefined()
    expect(queue.size).toBe(0)
  })
})
