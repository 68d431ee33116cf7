import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { maxOutbox, record } from '#webhooks/queue.ts'
import { Blocked, SendFailed } from '#webhooks/send.ts'
import { answer, arrived, hang, openDesk, sequence, projectId } from './support-dispatcher.ts'
import { webhookOf } from './support-events.ts'

const host = (id: string): string => `${id}.example.com`
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('events', () => {
  it('reach every webhook that listens, and leave nothing behind', async () => {
    const webhooks = [webhookOf('a'), webhookOf('b'), webhookOf('c', { events: ['deploy.failed'] })]
    const desk = await openDesk({ webhooks, send: () => arrived })
    await desk.happen(1, 2)
    await expect.poll(() => desk.got).toHaveLength(4)
    expect(desk.numbers(host('a'))).toEqual([1, 2])
    expect(desk.numbers(host('b'))).toEqual([1, 2])
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    expect(await desk.document()).not.toHaveProperty('outbox')
    expect(desk.dispatcher.counts).toEqual({ succeeded: 4, failed: 0, skipped: 0 })
    const ids = desk.got.map(({ request }) => request.headers['webhook-id'])
    expect(new Set(ids)).toEqual(new Set(['evt_1', 'evt_2']))
    await desk.dispatcher.removed(projectId)
    await desk.records.leave(projectId)
    expect(await desk.records.exists(projectId, 'webhooks')).toBe(false)
  })

  it('come in order and one at a time, also when an attempt fails now and then', async () => {
    let under = 0
    let most = 0
    let count = 0
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      schedule: [0, 1, 1, 1],
      send: async () => {
        most = Math.max(most, ++under)
        await sleep(1)
        under -= 1
        return ++count % 5 === 0 ? answer(500) : arrived
      },
    })
    await desk.happen(...upTo(maxOutbox))
    await expect.poll(() => desk.dispatcher.pending === 0 && desk.got.length > maxOutbox).toBe(true)
    const firsts = desk.numbers(host('a')).filter((number, index, all) => all.indexOf(number) === index)
    expect(firsts).toEqual(upTo(maxOutbox))
    expect(most).toBe(1)
  })

  it('pass one that fails again and again, which is tried until the schedule ends', async () => {
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      schedule: [0, 20, 40, 60_000, 80],
      send: ({ number }) => (number === 1 ? answer(500) : arrived),
    })
    await desk.happen(1, 2, 3)
    // Three attempts in its place, then the others, then its own way.
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1, 1, 1, 2, 3])
    await expect.poll(() => desk.dispatcher.pending).toBe(1)
    desk.pass(60_000)
    desk.dispatcher.wake(projectId)
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1, 1, 1, 2, 3, 1, 1])
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    const { items } = await desk.deliveries.list({ projectId, id: 'a' }, { status: 'failed' })
    expect(items.map(({ attempt, responseStatus }) => [attempt, responseStatus])).toEqual([
      [5, 500],
      [4, 500],
      [3, 500],
      [2, 500],
      [1, 500],
    ])
    expect(items[0]).not.toHaveProperty('nextAttemptAt')
    expect(items[1]).toHaveProperty('nextAttemptAt')
  })

  it('are not held up by fifty receivers that hang', async () => {
    const hanging = Array.from({ length: 49 }, (_, index) => webhookOf(`h${index}`))
    const desk = await openDesk({
      webhooks: [...hanging, webhookOf('healthy')],
      send: (got) => (got.host === host('healthy') ? arrived : hang(got)),
    })
    for (const number of upTo(20)) await desk.happen(number)
    await expect.poll(() => desk.numbers(host('healthy'))).toEqual(upTo(20))
    await expect.poll(() => desk.dispatcher.pending).toBe(49 * 20)
    for (const { id } of hanging) expect(desk.numbers(host(id))).toEqual([1])
    expect(JSON.stringify(await desk.document()).length).toBeLessThan(64 * 1024)
  })

  it('that nobody could be told of before a restart are told after it', async () => {
    let up = false
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      send: (got) => (up ? arrived : hang(got)),
    })
    await desk.happen(1, 2)
    await expect.poll(() => desk.got).toHaveLength(1)
    up = true
    await desk.restart()
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1, 1, 2])
  })

  it('that have waited for a week are given up, with an entry in the log', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: hang })
    await desk.happen(1)
    await expect.poll(() => desk.got).toHaveLength(1)
    desk.pass(8 * 24 * 60 * 60 * 1000)
    await desk.restart()
    await expect
      .poll(async () => (await desk.deliveries.list({ projectId, id: 'a' }, {})).items)
      .toMatchObject([{ status: 'failed', error: 'The event has waited for a week: it was given up and not sent.' }])
    expect(desk.got).toHaveLength(1)
  })

  it('with a date of their own choice are delivered', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: () => arrived })
    await desk.change((document) => {
      const data = { message: 'Event 1.', url: 'https://docs.example.net' }
      record(document, { id: 'evt_old', type: 'deploy.success', at: '2019-01-01T00:00:00.000Z', data })
      record(document, { id: 'evt_new', type: 'deploy.success', at: '2099-01-01T00:00:00.000Z', data })
    })
    desk.dispatcher.wake(projectId)
    await expect.poll(() => desk.got).toHaveLength(2)
  })

  it('that were recorded while nobody delivered are found at the start', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: () => arrived })
    await desk.dispatcher.close(0)
    await desk.happen(1)
    await desk.restart()
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1])
  })

  it('wait in the outbox while the queue cannot be written, all of them', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: () => arrived })
    // Where the queue’s folder would be.
    const path = join(desk.directory, projectId, 'webhooks')
    await writeFile(path, '')
    for (const number of upTo(maxOutbox + 2)) await desk.happen(number)
    await expect.poll(() => desk.errors).not.toHaveLength(0)
    await unlink(path)
    desk.dispatcher.wake(projectId)
    await expect.poll(() => desk.numbers(host('a'))).toEqual(upTo(maxOutbox + 2))
    await expect.poll(() => desk.document()).not.toHaveProperty('outbox')
  })

  it('of a webhook that is gone do not wait for their time', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], schedule: [0, 60_000], send: () => answer(500) })
    await desk.happen(1, 2)
    await expect.poll(() => desk.dispatcher.counts.failed).toBe(1)
    await desk.change((document) => void (document.webhooks = []))
    desk.dispatcher.wake(projectId)
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    expect(desk.got).toHaveLength(1)
  })

  it('of a webhook that is gone are not delivered, nor those of a project that is gone', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a'), webhookOf('b')], send: hang })
    await desk.happen(1, 2)
    await expect.poll(() => desk.got).toHaveLength(2)
    await desk.change((document) => void (document.webhooks = [webhookOf('b')]))
    await desk.restart()
    await expect.poll(() => desk.dispatcher.pending).toBe(2)
    await desk.dispatcher.removed(projectId)
    expect(desk.dispatcher.pending).toBe(0)
    await expect(desk.deliveries.list({ projectId, id: 'a' }, {})).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a receiver', () => {
  it('that asks for time gets it, also for the events that come after', async () => {
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      send: sequence(() => answer(429, { 'retry-after': '120' })),
    })
    await desk.happen(1, 2)
    await expect.poll(async () => (await desk.deliveries.list({ projectId, id: 'a' }, {})).items.length).toBe(1)
    await sleep(60)
    expect(desk.got).toHaveLength(1)
    const [delivery] = (await desk.deliveries.list({ projectId, id: 'a' }, {})).items
    // It counts from the answer, which comes after the time of the attempt.
    const wait = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.at ?? '')
    expect(wait).toBeGreaterThanOrEqual(120_000)
    expect(wait).toBeLessThan(240_000)
    desk.pass(240_000)
    await desk.restart()
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1, 1, 2])
  })

  it('is not called again because of a disk that is full', async () => {
    const desk = await openDesk({
      webhooks: [webhookOf('a', { failingSince: '2026-11-21T12:00:00.000Z' })],
      send: () => {
        desk.store.mutate = () => Promise.reject(new Error('the disk is full'))
        return arrived
      },
    })
    await desk.happen(1)
    await expect.poll(() => desk.errors).toMatchObject([{ message: 'a delivery could not be written down' }])
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    expect(desk.got).toHaveLength(1)
  })

  it('whose URL is not allowed is skipped, with a warning and an entry, and not tried again', async () => {
    const refuse = (): never => {
      throw new Blocked('private_address', 'The host a.example.com has the address 10.0.0.1, which is not public.')
    }
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: sequence(refuse) })
    await desk.happen(1, 2)
    await expect.poll(() => desk.dispatcher.counts).toEqual({ succeeded: 1, failed: 0, skipped: 1 })
    expect(desk.numbers(host('a'))).toEqual([1, 2])
    expect(desk.warnings).toMatchObject([
      { message: 'a webhook was skipped: its URL is not allowed', projectId, webhook: 'a', event: 'evt_1' },
    ])
    const { items } = await desk.deliveries.list({ projectId, id: 'a' }, { status: 'skipped' })
    expect(items).toMatchObject([{ error: expect.stringContaining('Nothing was sent, nor will be.') }])
  })

  it.each([
    ['a redirect', () => answer(302, { location: 'https://elsewhere.example.com' }), 302, 'a redirect'],
    [
      'no address at this moment',
      () => Promise.reject(new Blocked('no_address', 'The host a.example.com has no address.')),
      undefined,
      'no address',
    ],
    ['a broken connection', () => Promise.reject(new SendFailed('reset', 'It broke.')), undefined, 'It broke.'],
  ])('that answers with %s is tried again', async (_, first, status, error) => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: sequence(first) })
    await desk.happen(1)
    await expect.poll(() => desk.dispatcher.counts).toEqual({ succeeded: 1, failed: 1, skipped: 0 })
    await expect.poll(async () => (await desk.deliveries.list({ projectId, id: 'a' }, {})).items).toHaveLength(2)
    const [, failed] = (await desk.deliveries.list({ projectId, id: 'a' }, {})).items
    expect(failed?.responseStatus).toBe(status)
    expect(failed?.error).toContain(error)
  })

  it('of Slack gets about one message a second', async () => {
    const slack = webhookOf('s', { kind: 'slack', url: 'https://hooks.slack.com/services/T/B/x' })
    const times: number[] = []
    const desk = await openDesk({
      webhooks: [slack],
      send: () => {
        times.push(performance.now())
        return arrived
      },
    })
    await desk.happen(1, 2)
    await expect.poll(() => times.length).toBe(2)
    // The second waits for a second from the first one's turn, which may be called a moment before it is sent.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500)
  })

  it('of Discord is asked to say what became of a message', async () => {
    const discord = webhookOf('d', { kind: 'discord', url: 'https://discord.com/api/webhooks/1/x' })
    const desk = await openDesk({ webhooks: [discord], send: () => arrived })
    await desk.happen(1)
    await expect.poll(() => desk.got[0]?.request.url).toBe('https://discord.com/api/webhooks/1/x?wait=true')
  })
})

describe('a clock that is set back', () => {
  it('holds up nothing for longer than the schedule says', async () => {
    let up = false
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      schedule: [0, 60_000, 50],
      send: () => (up ? arrived : answer(500)),
    })
    await desk.happen(1)
    await expect.poll(() => desk.got.length).toBe(1)
    up = true
    await expect.poll(() => desk.dispatcher.pending).toBe(1)
    desk.pass(-30 * 24 * 60 * 60 * 1000)
    await desk.happen(2)
    await expect.poll(() => desk.dispatcher.pending).toBe(2)
    // An hour is what a receiver may ask for at most: then it is tried, whatever the clock said before.
    desk.pass(60 * 60 * 1000 + 1)
    desk.dispatcher.wake(projectId)
    await expect.poll(() => desk.numbers(host('a'))).toEqual([1, 1, 2])
  })
})
