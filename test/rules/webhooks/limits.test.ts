import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { maxPending } from '#webhooks/project-deliveries.ts'
import { answer, arrived, hang, openDesk, sequence, projectId } from './support-dispatcher.ts'
import { eventOf, webhookOf } from './support-events.ts'

it('more events than may wait for a webhook: the oldest are given up, each with an entry in the log', async () => {
  const desk = await openDesk({ webhooks: [webhookOf('a')], send: hang })
  const entries = Array.from({ length: maxPending + 2 }, (_, index) => ({ event: eventOf(index), webhooks: ['a'] }))
  await desk.change((document) => void (document.outbox = entries))
  desk.dispatcher.wake(projectId)
  await expect.poll(() => desk.got).toHaveLength(1)
  expect(desk.got[0]?.request.headers['webhook-id']).toBe('evt_2')
  expect(desk.dispatcher.pending).toBe(maxPending)
  const { items } = await desk.deliveries.list({ projectId, id: 'a' }, {})
  expect(items.map(({ event, status }) => [event.id, status])).toEqual([
    ['evt_1', 'failed'],
    ['evt_0', 'failed'],
  ])
  expect(items[0]?.error).toContain(`More than ${maxPending} events wait`)
})

it('a receiver that asks for time at the last attempt in line gets it from the events behind, too', async () => {
  const desk = await openDesk({
    webhooks: [webhookOf('a')],
    schedule: [0, 5, 5, 5, 5],
    send: sequence(
      () => answer(500),
      () => answer(500),
      () => answer(429, { 'retry-after': '120' }),
      () => arrived,
    ),
  })
  await desk.happen(1, 2)
  await expect.poll(() => desk.got).toHaveLength(3)
  await sleep(60)
  expect(desk.got).toHaveLength(3)
  expect(desk.dispatcher.pending).toBe(2)
})
