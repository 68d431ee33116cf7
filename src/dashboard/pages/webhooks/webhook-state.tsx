import type { DeliveryStatus, Webhook } from '#contract/webhooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { statusNames, statusTones } from './words.ts'

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  if (!webhook.enabled) return <Badge>disabled</Badge>
  if (webhook.failingSince !== undefined) return <Badge tone="danger">failing</Badge>
  return <Badge tone="success">enabled</Badge>
}

export function DeliveryState({ status }: { readonly status: DeliveryStatus }) {
  return <Badge tone={statusTones[status]}>{statusNames[status]}</Badge>
}
