import type { WebhookEventType } from '../contract/webhooks.ts'

/** Something that happened in a project, as it is told to webhooks. JSON: it waits in the outbox. */
export interface WebhookEvent {
  /** `evt_…`; the header `webhook-id`, the same in every attempt and for every webhook. */
  readonly id: string
  readonly type: WebhookEventType | 'webhook.test'
  /** RFC 3339, UTC. */
  readonly at: string
  readonly project: { readonly slug: string; readonly title: string }
  readonly data: {
    /** One or a few sentences for people, of any length. */
    readonly message: string
    /** The live site, the preview, or the page of the entry. */
    readonly url: string
    /** The deploy or preview build that ended. */
    readonly deploy?: {
      readonly id: string
      readonly kind: string
      readonly branch?: string
      readonly commit?: string
      readonly durationMs?: number
    }
    /** The changelog entry that was published. */
    readonly entry?: { readonly id: string; readonly title: string; readonly version?: string }
  }
}

/** Whether an event tells of something that went wrong; chat messages of it are red. */
export function isFailure({ type }: Pick<WebhookEvent, 'type'>): boolean {
  return type.endsWith('.failed')
}
