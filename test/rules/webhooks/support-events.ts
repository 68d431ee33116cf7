import type { WebhookEvent } from '#webhooks/events.ts'
import type { StoredWebhook } from '#webhooks/stored-webhook.ts'

/** An event; the number makes its id and its time. */
export function eventOf(number: number, change: Partial<WebhookEvent> = {}): WebhookEvent {
  return {
    id: `evt_${number}`,
    type: 'deploy.success',
    at: new Date(Date.UTC(2026, 10, 21, 12) + number).toISOString(),
    project: { slug: 'docs', title: 'Docs' },
    data: { message: `Deploy ${number} is live: 3 pages.`, url: 'https://docs.example.net' },
    ...change,
  }
}

/** A webhook as it is stored. */
export function webhookOf(id: string, change: Partial<StoredWebhook> = {}): StoredWebhook {
  return {
    id,
    url: `https://${id}.example.com/hook`,
    kind: 'generic',
    events: ['deploy.success', 'deploy.failed'],
    enabled: true,
    secrets: [{ value: `whsec_${Buffer.alloc(32, id).toString('base64')}`, createdAt: '2026-11-21T12:00:00.000Z' }],
    createdAt: '2026-11-21T12:00:00.000Z',
    updatedAt: '2026-11-21T12:00:00.000Z',
    ...change,
  }
}
