import type { WebhookEventType, WebhookKind } from '../contract/webhooks.ts'

/** A secret that signs. Kept as it is, for signing needs it; never shown again and never logged. */
export interface StoredSecret {
  /** `whsec_` and 32 bytes in Base64. */
  value: string
  createdAt: string
  /** Set when another one has taken its place; it signs until then. */
  expiresAt?: string
}

/** A webhook as it is stored. */
export interface StoredWebhook {
  id: string
  url: string
  kind: WebhookKind
  events: WebhookEventType[]
  enabled: boolean
  /** For people; absent while it is enabled. */
  disabledReason?: string
  disabledAt?: string
  /** Since when every delivery has failed. */
  failingSince?: string
  /** Newest first: the current one and, after a rotation, the one before. */
  secrets: StoredSecret[]
  createdAt: string
  updatedAt: string
}

/** A project's document, as far as subscriptions are concerned. Other parts have members of their own. */
export interface WebhookDocument {
  slug: string
  title: string
  /** Newest last. */
  webhooks?: StoredWebhook[]
}

/** Webhooks that an event goes to. */
export function subscribers(document: Readonly<WebhookDocument>, type: WebhookEventType): readonly StoredWebhook[] {
  return (document.webhooks ?? []).filter(({ enabled, events }) => enabled && events.includes(type))
}

/** Stops a webhook and says why, in the draft of its document. */
export function disable(webhook: StoredWebhook, reason: string, at: Date): void {
  webhook.enabled = false
  webhook.disabledReason = reason
  webhook.disabledAt = at.toISOString()
}

/** Secrets that sign at a time: the current one first. */
export function validSecrets({ secrets }: Readonly<Pick<StoredWebhook, 'secrets'>>, at: Date): readonly string[] {
  return secrets
    .filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > at.getTime())
    .map(({ value }) => value)
}
