import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { answer, arrived, openDesk, sequence, projectId } from './support-dispatcher.ts'
import { webhookOf } from './support-events.ts'

const host = (id: string): string => `${id}.example.com`

describe('a receiver', () => {
  it('that answers 410 is left alone at once, with the reason', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: sequence(() => answer(410)) })
    await desk.happen(1, 2)
    await expect.poll(async () => (await desk.webhook('a')).enabled).toBe(false)
    expect((await desk.webhook('a')).disabledReason).toBe('The receiver answered 410: it is gone for good.')
    await expect
      .poll(() => desk.warnings)
      .toMatchObject([{ message: 'a webhook was disabled', projectId, webhook: 'a' }])
    const log = async () => (await desk.deliveries.list({ projectId, id: 'a' }, {})).items
    await expect.poll(log).toMatchObject([{ status: 'failed', responseStatus: 410 }])
    expect((await log())[0]).not.toHaveProperty('nextAttemptAt')
    await desk.happen(3)
    await sleep(60)
    expect(desk.numbers(host('a'))).toEqual([1])
  })

  it('that is enabled again gets what waited, but not what happened meanwhile', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: sequence(() => answer(410)) })
    await desk.happen(1, 2)
    await expect.poll(async () => (await desk.webhook('a')).enabled).toBe(false)
    await desk.happen(3)
    await desk.change((document) => void (document.webhooks = [webhookOf('a')]))
    desk.dispatcher.wake(projectId)
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1, 1, 2])
  })

  it('to which nothing came for five days is disabled, with the reason', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: () => answer(503) })
    await desk.happen(1)
    await expect.poll(() => desk.dispatcher.counts.failed).toBe(5)
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    const { failingSince } = await desk.webhook('a')
    expect(failingSince).toBeDefined()
    desk.pass(119 * 60 * 60 * 1000)
    await desk.happen(2)
    await expect.poll(() => desk.dispatcher.counts.failed).toBe(10)
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    expect((await desk.webhook('a')).enabled).toBe(true)
    desk.pass(2 * 60 * 60 * 1000)
    await desk.happen(3)
    await expect.poll(async () => (await desk.webhook('a')).enabled).toBe(false)
    expect(desk.numbers(host('a')).filter((number) => number === 3)).toHaveLength(3)
    expect((await desk.webhook('a')).disabledReason).toBe(
      `Nothing has arrived since ${failingSince}. The last attempt: The receiver answered 503.`,
    )
  })

  it('that fails once after quiet weeks is not disabled for it', async () => {
    const failures = new Map([
      [1, 2],
      [2, 1],
    ])
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      schedule: [0, 20],
      send: ({ number }) => {
        const left = failures.get(number) ?? 0
        failures.set(number, left - 1)
        return left > 0 ? answer(503) : arrived
      },
    })
    await desk.happen(1)
    await expect.poll(() => desk.dispatcher.counts.failed).toBe(2)
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    expect(await desk.webhook('a')).toHaveProperty('failingSince')
    desk.pass(21 * 24 * 60 * 60 * 1000)
    await desk.happen(2)
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1, 1, 2, 2])
    await expect.poll(async () => await desk.webhook('a')).not.toHaveProperty('failingSince')
    expect((await desk.webhook('a')).enabled).toBe(true)
  })

  it('that another one has replaced meanwhile does not speak for it', async () => {
    let answerLate: (status: number) => void = () => undefined
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      send: ({ host: to }) =>
        to === host('a') ? new Promise((resolve) => (answerLate = (status) => resolve(answer(status)))) : arrived,
    })
    await desk.happen(1, 2)
    await expect.poll(() => desk.got).toHaveLength(1)
    await desk.change((document) => void (document.webhooks = [webhookOf('a', { url: 'https://b.example.com/' })]))
    answerLate(410)
    await expect.poll(() => desk.numbers('b.example.com')).toEqual([1, 2])
    expect((await desk.webhook('a')).enabled).toBe(true)
  })

  it('that answers again is healthy again', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: sequence(() => answer(500)) })
    await desk.happen(1)
    await expect.poll(() => desk.dispatcher.counts.succeeded).toBe(1)
    await expect.poll(async () => await desk.webhook('a')).not.toHaveProperty('failingSince')
  })
})
