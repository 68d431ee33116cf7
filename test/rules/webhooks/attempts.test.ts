import { expect, it } from 'vitest'
import { Attempts, type SharedParts } from '#webhooks/attempts.ts'
import { DeliveryConcurrency } from '#webhooks/concurrency.ts'
import { deliveriesStream } from '#webhooks/delivery-log.ts'
import { hang, openDesk } from './support-dispatcher.ts'
import { eventOf, webhookOf } from './support-events.ts'

it('an attempt that is called off does not wait for the receivers of others', async () => {
  const desk = await openDesk({ webhooks: [], send: hang })
  const one = { slots: 1, share: 1, reserve: 0, firsts: 0 }
  const concurrency = new DeliveryConcurrency((project) => project, {
    quick: one,
    slow: one,
    all: one,
    slowAfterMs: 60_000,
  })
  const parts: SharedParts = { ports: desk.ports, concurrency, onAttempt: () => undefined }
  const { view: log } = await desk.records.open('docs', deliveriesStream)
  const [theirs, ours] = [new Attempts('theirs', log, parts), new Attempts('ours', log, parts)]
  const hanging = theirs.send(webhookOf('a'), eventOf(1))
  const waiting = ours.send(webhookOf('b'), eventOf(2))
  await expect.poll(() => desk.got).toHaveLength(1)
  ours.abort()
  expect(await waiting).toBeNull()
  theirs.abort()
  expect(await hanging).toBeNull()
  expect(desk.got).toHaveLength(1)
  expect([theirs.running, ours.running]).toEqual([0, 0])
})
