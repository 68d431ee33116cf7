import type { DeliveryStatus, DeliverySummary, Webhook, WebhookEventType, WebhookKind } from '#contract/webhooks.ts'
import { durationWords } from '../../ui/words.ts'

/** When each event is sent. */
export const eventMeanings: Readonly<Record<WebhookEventType, string>> = {
  'deploy.success': 'A deploy or publish is live',
  'deploy.failed': 'A deploy or publish did not get there',
  'preview.success': 'The preview of a branch is built',
  'preview.failed': 'The preview of a branch does not build',
  'changelog.published': 'An entry of the changelog appears',
}

export const eventTypes = Object.keys(eventMeanings) as readonly WebhookEventType[]

/** What a webhook is subscribed to that nobody thought about. */
export const usualEvents: readonly WebhookEventType[] = ['deploy.success', 'deploy.failed']

export const kindNames: Readonly<Record<WebhookKind, string>> = {
  generic: 'Signed JSON',
  slack: 'Slack',
  discord: 'Discord',
}

export const statusNames: Readonly<Record<DeliveryStatus, string>> = {
  succeeded: 'delivered',
  failed: 'failed',
  skipped: 'not sent',
}

export const statusTones = { succeeded: 'success', failed: 'danger', skipped: 'warning' } as const

/** “200 in 34 ms”, or what went wrong. */
export function outcomeOf({ status, responseStatus, error, durationMs }: DeliverySummary): string {
  const took = `in ${durationWords(durationMs)}`
  if (status === 'succeeded') return `Answered ${responseStatus ?? ''} ${took}.`
  if (error !== undefined) return error
  return responseStatus === undefined ? 'No answer came.' : `Answered ${responseStatus} ${took}.`
}

/** An address of a chat service is a password to its channel: its end says which one it is, and no more. */
export function shortUrl({ url, kind }: Pick<Webhook, 'url' | 'kind'>): string {
  const { host, pathname } = new URL(url)
  if (kind !== 'generic') return `${host}/…${pathname.slice(-4)}`
  return pathname === '/' ? host : host + pathname
}
