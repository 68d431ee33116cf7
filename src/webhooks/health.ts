import type { Store } from '../storage/store.ts'
import { disabledAfter } from './retry-schedule.ts'
import { disable, type StoredWebhook, type WebhookDocument } from './stored-webhook.ts'

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
