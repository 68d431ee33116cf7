import { describe, expect, it } from 'vitest'
import { maxOutbox, record, requireRoom, type OutboxDocument } from '#webhooks/queue.ts'
import type { NewEvent } from '#webhooks/events.ts'
import { webhookOf } from './support-events.ts'

const happened = (number: number, change: Partial<NewEvent> = {}): NewEvent => ({
  id: `evt_${number}`,
  type: 'deploy.success',
  at: '2026-11-21T12:00:00.000Z',
  data: { message: 'Live.', url: 'https://docs.example.net' },
  ...change,
})
const documentOf = (...webhooks: OutboxDocument['webhooks'] & object): OutboxDocument => ({
  slug: 'docs',
  title: 'Docs',
  webhooks,
})

describe('the outbox of a project', () => {
  it('holds an event with the webhooks that listen', () => {
    const document = documentOf(
      webhookOf('both'),
      webhookOf('failures', { events: ['deploy.failed'] }),
      webhookOf('off', { enabled: false }),
    )
    expect(record(document, happened(1))).toBe(true)
    expect(document.outbox).toEqual([
      { event: { ...happened(1), project: { slug: 'docs', title: 'Docs' } }, webhooks: ['both'] },
    ])
  })

  it('holds nothing when nobody listens', () => {
    const document = documentOf(webhookOf('one'))
    expect(record(document, happened(1, { type: 'preview.success' }))).toBe(false)
    expect(document).not.toHaveProperty('outbox')
  })

  it('holds an event once, however often it is recorded', () => {
    const document = documentOf(webhookOf('one'))
    record(document, happened(1))
    record(document, happened(1))
    expect(document.outbox).toHaveLength(1)
  })

  it('holds everything that was recorded, and refuses what may wait when it is full', () => {
    const document = documentOf(webhookOf('one'))
    const types = ['deploy.success', 'deploy.failed'] as const
    for (let number = 0; number < maxOutbox; number++) {
      expect(() => requireRoom(document, types)).not.toThrow()
      record(document, happened(number))
    }
    expect(() => requireRoom(document, types)).toThrow('100 events of docs could not be handed to its webhooks yet.')
    record(document, happened(maxOutbox))
    expect(document.outbox?.map(({ event }) => event.id)).toEqual(
      Array.from({ length: maxOutbox + 1 }, (_, number) => `evt_${number}`),
    )
    // Nobody waits for events that nobody listens to.
    expect(() => requireRoom(document, ['changelog.published'])).not.toThrow()
    document.webhooks = []
    expect(() => requireRoom(document, types)).not.toThrow()
  })

  it('stays small when it is full, and holds nothing that a store refuses', () => {
    const webhooks = Array.from({ length: 50 }, (_, index) => webhookOf(`whk_${String(index).padStart(20, '0')}`))
    const document = documentOf(...webhooks)
    const message = `${'x'.repeat(998)}😀\0\uD800${'y'.repeat(9000)}`
    for (let number = 0; number < maxOutbox; number++)
      record(document, happened(number, { data: { message, url: 'https://docs.example.net' } }))
    expect(JSON.stringify(document.outbox).length).toBeLessThan(300 * 1024)
    expect(JSON.stringify(document.outbox)).not.toMatch(/\\u0000|\\ud800/)
  })
})
