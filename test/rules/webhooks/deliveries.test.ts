import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, arrived, openDesk, projectId, type Got } from './support-dispatcher.ts'
import { webhookOf } from './support-events.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('an attempt by hand', () => {
  it('tests a webhook, also one that is disabled', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a', { enabled: false })], send: () => answer(500) })
    const delivery = await desk.deliveries.test({ projectId, id: 'a' })
    expect(delivery).toMatchObject({
      trigger: 'test',
      status: 'failed',
      responseStatus: 500,
      event: { type: 'webhook.test' },
    })
    expect(JSON.parse(delivery.request.body)).toMatchObject({ event: 'webhook.test', title: 'Docs' })
    expect(await desk.deliveries.read({ projectId, id: 'a' }, delivery.id)).toEqual(delivery)
    expect(await desk.webhook('a')).not.toHaveProperty('failingSince')
  })

  it('delivers an event again with the same id and body', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: () => arrived })
    await desk.happen(1)
    await expect.poll(async () => (await desk.deliveries.list({ projectId, id: 'a' }, {})).items).toHaveLength(1)
    const [first] = (await desk.deliveries.list({ projectId, id: 'a' }, {})).items
    const again = await desk.deliveries.redeliver({ projectId, id: 'a' }, first?.id ?? '')
    expect(again).toMatchObject({ trigger: 'redelivery', attempt: 2, status: 'succeeded', event: { id: 'evt_1' } })
    const [one, two] = desk.got.map(({ request }) => [request.headers['webhook-id'], request.body])
    expect(two).toEqual(one)
  })

  it('that succeeds ends the retries of its event', async () => {
    let up = false
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      schedule: [0, 60_000],
      send: () => (up ? arrived : answer(500)),
    })
    await desk.happen(1)
    await expect.poll(async () => (await desk.deliveries.list({ projectId, id: 'a' }, {})).items).toHaveLength(1)
    expect(desk.dispatcher.pending).toBe(1)
    up = true
    const [failed] = (await desk.deliveries.list({ projectId, id: 'a' }, {})).items
    await desk.deliveries.redeliver({ projectId, id: 'a' }, failed?.id ?? '')
    expect(desk.dispatcher.pending).toBe(0)
    await desk.restart()
    expect(desk.dispatcher.pending).toBe(0)
  })

  it('that is answered while the service ends is written down', async () => {
    const desk = await openDesk({
      webhooks: [webhookOf('a')],
      send: ({ request }) =>
        new Promise((resolve) => request.signal?.addEventListener('abort', () => resolve(arrived))),
    })
    const testing = desk.deliveries.test({ projectId, id: 'a' })
    await expect.poll(() => desk.got).toHaveLength(1)
    await desk.restart()
    const delivery = await testing
    expect(await desk.deliveries.read({ projectId, id: 'a' }, delivery.id)).toEqual(delivery)
  })

  it('of a delivery that is not there, or another webhook’s, is refused', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a'), webhookOf('b')], send: () => arrived })
    const { id } = await desk.deliveries.test({ projectId, id: 'a' })
    for (const work of [
      () => desk.deliveries.redeliver({ projectId, id: 'b' }, id),
      () => desk.deliveries.read({ projectId, id: 'b' }, id),
      () => desk.deliveries.read({ projectId, id: 'a' }, 'dlv_none'),
      () => desk.deliveries.test({ projectId, id: 'none' }),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the log', () => {
  it('is listed by webhook and status, page by page, over a restart', async () => {
    const desk = await openDesk({
      webhooks: [webhookOf('a'), webhookOf('b')],
      schedule: [0],
      send: ({ number }: Got) => (number % 2 === 0 ? answer(500) : arrived),
    })
    await desk.happen(...upTo(7))
    await expect.poll(() => desk.dispatcher.counts).toEqual({ succeeded: 8, failed: 6, skipped: 0 })
    await expect.poll(() => desk.dispatcher.pending).toBe(0)
    await desk.restart()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await desk.deliveries.list(
        { projectId, id: 'a' },
        { limit: 2, ...(cursor === undefined ? {} : { cursor }) },
      )
      expect(page.items.length).toBeLessThanOrEqual(2)
      seen.push(...page.items.map(({ event }) => event.id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen).toEqual(
      upTo(7)
        .toReversed()
        .map((number) => `evt_${number}`),
    )
    const { items } = await desk.deliveries.list({ projectId, id: 'b' }, { status: 'failed' })
    expect(items.map(({ event }) => event.id)).toEqual(['evt_6', 'evt_4', 'evt_2'])
  })

  it('holds request and answer, bounded, and no secret', async () => {
    const webhook = webhookOf('a')
    const desk = await openDesk({
      webhooks: [webhook],
      send: () => ({
        status: 200,
        headers: { 'x-long': 'y'.repeat(9000) },
        body: 'z'.repeat(60_000),
        truncated: false,
      }),
    })
    const delivery = await desk.deliveries.test({ projectId, id: 'a' })
    expect(delivery.request.headers).toMatchObject({ 'webhook-id': delivery.event.id })
    expect(delivery.response?.body.length).toBeLessThanOrEqual(4096)
    expect(delivery.response?.truncated).toBe(true)
    expect(delivery.response?.headers['x-long']?.length).toBeLessThanOrEqual(500)
    expect(JSON.stringify(delivery)).not.toContain(webhook.secrets[0]?.value)
  })

  it('shows three days', async () => {
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: () => arrived })
    const { id } = await desk.deliveries.test({ projectId, id: 'a' })
    desk.pass(3 * 24 * 60 * 60 * 1000 + 1000)
    expect((await desk.deliveries.list({ projectId, id: 'a' }, {})).items).toEqual([])
    await expect(desk.deliveries.read({ projectId, id: 'a' }, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('loses from the disk what it does not show any more, of projects that are open and of others', async () => {
    const day = 24 * 60 * 60 * 1000
    const desk = await openDesk({ webhooks: [webhookOf('a')], send: () => answer(200, { 'x-mark': 'kept' }) })
    const directory = join(desk.directory, projectId, 'deliveries')
    const onDisk = async (): Promise<number> => {
      const names = await readdir(directory)
      const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
      return texts.join('').split('x-mark').length - 1
    }
    await desk.deliveries.test({ projectId, id: 'a' })
    desk.pass(2 * day)
    await desk.dispatcher.expire()
    await desk.deliveries.test({ projectId, id: 'a' })
    expect(await onDisk()).toBe(2)
    // Open, with one that is shown and one that is not.
    desk.pass(1.5 * day)
    await desk.dispatcher.expire()
    expect(await onDisk()).toBe(1)
    expect((await desk.deliveries.list({ projectId, id: 'a' }, {})).items).toHaveLength(1)
    // Not open.
    await desk.dispatcher.removed(projectId)
    await desk.dispatcher.expire()
    expect(await onDisk()).toBe(1)
    desk.pass(2 * day)
    await desk.dispatcher.expire()
    expect(await onDisk()).toBe(0)
    await desk.deliveries.test({ projectId, id: 'a' })
    expect((await desk.deliveries.list({ projectId, id: 'a' }, {})).items).toHaveLength(1)
    expect(desk.errors).toEqual([])
  })
})
