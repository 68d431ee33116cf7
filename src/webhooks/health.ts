import type { Store } from '../storage/store.ts'
import { disabledAfter } from './schedule.ts'
import { disable, type StoredWebhook, type WebhookDocument } from './state.ts'

/** What an attempt says about its webhook. */
export interface Sign {
  readonly arrived: boolean
  readonly gone: boolean
  /** The event was tried several times, or will not be again: no hiccup. */
  readonly lasting: boolean
  readonly error?: string
}

/** What changes of a webhook after an attempt; null is nothing, which is the rule. */
export type Change =
  | { readonly kind: 'recovered' }
  | { readonly kind: 'failing' }
  | { readonly kind: 'disabled'; readonly reason: string }
  | null

/**
 * A webhook is disabled when its receiver says that it is gone, or after five days in which nothing arrived. In a
 * project in which little happens days may pass without an attempt: the first that fails after them is not the last word.
 */
export function changeOf({ enabled, failingSince }: Readonly<StoredWebhook>, sign: Sign, now: Date): Change {
  if (sign.arrived) return failingSince === undefined ? null : { kind: 'recovered' }
  if (!enabled) return null
  if (sign.gone) return { kind: 'disabled', reason: 'The receiver answered 410: it is gone for good.' }
  if (failingSince === undefined) return { kind: 'failing' }
  if (!sign.lasting || now.getTime() - Date.parse(failingSince) < disabledAfter) return null
  return {
    kind: 'disabled',
    reason: `Nothing has arrived since ${failingSince}. The last attempt: ${sign.error ?? 'it failed'}`,
  }
}

/** Writes down how the webhooks of projects are; the document is written only when something changes. */
export class Health {
  readonly #store: Store
  readonly #documentOf: (slug: string) => string
  readonly #now: () => Date

  constructor(options: {
    readonly store: Store
    readonly documentOf: (slug: string) => string
    readonly now: () => Date
  }) {
    this.#store = options.store
    this.#documentOf = options.documentOf
    this.#now = options.now
  }

  /** Returns what changed: nothing when the webhook has gone elsewhere meanwhile. */
  async note(slug: string, webhook: Readonly<StoredWebhook>, sign: Sign): Promise<Change> {
    const now = this.#now()
    if (changeOf(webhook, sign, now) === null) return null
    return this.#store.mutate<WebhookDocument, Change>(this.#documentOf(slug), (draft) => {
      const stored = draft?.webhooks?.find(({ id, url }) => id === webhook.id && url === webhook.url)
      const change = stored === undefined ? null : changeOf(stored, sign, now)
      if (stored !== undefined && change !== null) apply(stored, change, now)
      return { document: draft, result: change }
    })
  }
}

function apply(stored: StoredWebhook, change: NonNullable<Change>, now: Date): void {
  if (change.kind === 'recovered') delete stored.failingSince
  else if (change.kind === 'failing') stored.failingSince = now.toISOString()
  else disable(stored, change.reason, now)
}
