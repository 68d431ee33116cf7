import type { WebhookEventType, WebhookKind } from '../contract/webhooks.ts'
import type { Store } from '../storage/store.ts'
import { disabledAfter } from './retry-schedule.ts'

/** A secret that signs. Kept such that it can be opened, for signing needs it; never shown again and never logged. */
export interface StoredSecret {
  /** `whsec_` and 32 bytes in Base64, sealed by a Keyring. */
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

/** Secrets that sign at a time, as they are stored: the current one first. */
export function validSecrets({ secrets }: Readonly<Pick<StoredWebhook, 'secrets'>>, at: Date): readonly string[] {
  return secrets
    .filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > at.getTime())
    .map(({ value }) => value)
}

/** What an attempt says about the health of its webhook. */
export interface HealthSignal {
  readonly arrived: boolean
  readonly gone: boolean
  /** The event was tried several times, or will not be again: no hiccup. */
  readonly lasting: boolean
  readonly error?: string
}

/** What changes about a webhook after an attempt; null is nothing, which is the rule. */
export type HealthChange =
  | { readonly kind: 'recovered' }
  | { readonly kind: 'failing' }
  | { readonly kind: 'disabled'; readonly reason: string }
  | null

/**
 * A webhook is disabled when its receiver says that it is gone, or after five days in which nothing arrived. In a
 * project in which little happens days may pass without an attempt: the first that fails after them is not the last word.
 */
export function changeOf(
  { enabled, failingSince }: Readonly<StoredWebhook>,
  signal: HealthSignal,
  now: Date,
): HealthChange {
  if (signal.arrived) return failingSince === undefined ? null : { kind: 'recovered' }
  if (!enabled) return null
  if (signal.gone) return { kind: 'disabled', reason: 'The receiver answered 410: it is gone for good.' }
  if (failingSince === undefined) return { kind: 'failing' }
  if (!signal.lasting || now.getTime() - Date.parse(failingSince) < disabledAfter) return null
  return {
    kind: 'disabled',
    reason: `Nothing has arrived since ${failingSince}. The last attempt: ${signal.error ?? 'it failed'}`,
  }
}

/** Writes down how the webhooks of projects are; the document is written only when something changes. */
export class Health {
  readonly #store: Store
  readonly #documentOf: (projectId: string) => string
  readonly #now: () => Date

  constructor(options: {
    readonly store: Store
    readonly documentOf: (projectId: string) => string
    readonly now: () => Date
  }) {
    this.#store = options.store
    this.#documentOf = options.documentOf
    this.#now = options.now
  }

  /** Returns what changed: nothing when the webhook has gone elsewhere meanwhile. */
  async record(projectId: string, webhook: Readonly<StoredWebhook>, signal: HealthSignal): Promise<HealthChange> {
    const now = this.#now()
    if (changeOf(webhook, signal, now) === null) return null
    return this.#store.mutate<WebhookDocument, HealthChange>(this.#documentOf(projectId), (draft) => {
      const stored = draft?.webhooks?.find(({ id, url }) => id === webhook.id && url === webhook.url)
      const change = stored === undefined ? null : changeOf(stored, signal, now)
      if (stored !== undefined && change !== null) apply(stored, change, now)
      return { document: draft, result: change }
    })
  }
}

function apply(stored: StoredWebhook, change: NonNullable<HealthChange>, now: Date): void {
  if (change.kind === 'recovered') delete stored.failingSince
  else if (change.kind === 'failing') stored.failingSince = now.toISOString()
  else disable(stored, change.reason, now)
}
