import { Failure } from '../src/contract/failure.ts'
import { WebhookEventType, type Delivery, type Webhook } from '../src/contract/webhooks.ts'

export const webhookEvents: readonly WebhookEventType[] = WebhookEventType.anyOf.map((schema) => schema.const)

/** @throws Failure invalid_request that names the events there are. */
export function eventOf(name: string): WebhookEventType {
  const event = webhookEvents.find((type) => type === name.trim())
  if (event !== undefined) return event
  throw new Failure('invalid_request', `There is no event ${name.trim()}.`, {
    hint: `There are ${webhookEvents.join(', ')}.`,
  })
}

/** How a webhook is: `failing` is enabled, but nothing arrives. */
export function webhookState({ enabled, failingSince }: Webhook): 'disabled' | 'enabled' | 'failing' {
  if (!enabled) return 'disabled'
  return failingSince === undefined ? 'enabled' : 'failing'
}

/** What more there is to say of how a webhook is. @param timeText how a timestamp is said; without, as the service has it */
export function webhookTrouble(
  { enabled, disabledReason, failingSince }: Webhook,
  timeText: (timestamp: string) => string = String,
): string | undefined {
  if (!enabled) return disabledReason
  return failingSince === undefined ? undefined : `nothing has arrived since ${timeText(failingSince)}`
}

/** A line of a request or of its answer; a header has its name apart. */
export interface ExchangeLine {
  readonly name?: string
  readonly text: string
  /** Said of the exchange, not a part of it. */
  readonly remark?: true
}

/** Request and answer of a delivery, and first of all why it failed; texts of others, as they are. */
export function exchangeOf({ url, error, request, response }: Delivery): ExchangeLine[] {
  const headersOf = (headers: Readonly<Record<string, string>>): ExchangeLine[] =>
    Object.entries(headers).map(([name, text]) => ({ name, text }))
  const why: ExchangeLine[] = error === undefined ? [] : [{ name: 'Why', text: error }, { text: '' }]
  const sent = [...why, { text: `POST ${url}` }, ...headersOf(request.headers), { text: '' }, { text: request.body }]
  if (response === undefined) return [...sent, { text: '' }, { text: '(nothing was answered)', remark: true }]
  const { status, headers, body, truncated } = response
  const more: ExchangeLine[] = truncated ? [{ text: '(there was more)', remark: true }] : []
  return [...sent, { text: '' }, { text: String(status) }, ...headersOf(headers), { text: '' }, { text: body }, ...more]
}
