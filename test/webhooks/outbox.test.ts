import { describe, expect, it } from 'vitest'
import { maxOutbox, record, takeOut, type HappenedEvent, type OutboxDocument } from '../../src/webhooks/outbox.ts'
import { webhookOf } from './support-events.ts'

const happened = (number: number, change: Partial<HappenedEvent> = {}): HappenedEvent => ({
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

  it('is gone from the document when all is taken out', () => {
    const document = documentOf(webhookOf('one'))
    record(document, happened(1))
    record(document, happened(2))
    takeOut(document, new Set(['evt_1']))
    expect(document.outbox?.map(({ event }) => event.id)).toEqual(['evt_2'])
    takeOut(document, new Set(['evt_2']))
    expect(document).not.toHaveProperty('outbox')
  })

  it('stays small whatever happens, and holds nothing that a store refuses', () => {
    const webhooks = Array.from({ length: 50 }, (_, index) => webhookOf(`whk_${String(index).padStart(20, '0')}`))
    const document = documentOf(...webhooks)
    const message = `${'x'.repeat(998)}😀\0\uD800${'y'.repeat(9000)}`
    for (let number = 0; number < 200; number++)
      record(document, happened(number, { data: { message, url: 'https://docs.example.net' } }))
    expect(document.outbox).toHaveLength(maxOutbox)
    expect(document.outboxLost).toBe(200 - maxOutbox)
    expect(document.outbox?.at(-1)?.event.id).toBe('evt_199')
    expect(JSON.stringify(document.outbox).length).toBeLessThan(100 * 1024)
    expect(JSON.stringify(document.outbox)).not.toMatch(/\\u0000|\\ud800/)
  })
})
