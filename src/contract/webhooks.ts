import { Type, type Static } from 'typebox'
import { Id, ListQuery, Slug, SlugParams, Timestamp, listOf } from './common.ts'
import { endpoint } from './endpoint.ts'

/** Where a webhook goes, by its URL: the two chat services get messages in their own shape. */
export const WebhookKind = Type.Union([Type.Literal('generic'), Type.Literal('slack'), Type.Literal('discord')])
export type WebhookKind = Static<typeof WebhookKind>

/** What a webhook can subscribe to. */
export const WebhookEventType = Type.Union([
  Type.Literal('deploy.success'),
  Type.Literal('deploy.failed'),
  Type.Literal('preview.success'),
  Type.Literal('preview.failed'),
  Type.Literal('changelog.published'),
])
export type WebhookEventType = Static<typeof WebhookEventType>

/** What a webhook gets that names no events. */
export const defaultWebhookEvents = ['deploy.success', 'deploy.failed'] as const satisfies WebhookEventType[]

export const webhookLimits = {
  /** Webhooks of a project. */
  ofProject: 50,
  /** Characters of a URL. */
  url: 2048,
  /** Hours that the secret of before a rotation goes on signing. */
  rotationHours: 24,
} as const

const Url = Type.String({
  minLength: 1,
  description: `HTTPS; a public host; port 443 or 8443; no credentials; at most ${webhookLimits.url} characters`,
  examples: ['https://example.com/hook'],
})
const Events = Type.Array(WebhookEventType, {
  minItems: 1,
  maxItems: WebhookEventType.anyOf.length,
  uniqueItems: true,
})

export const Webhook = Type.Object({
  id: Id,
  url: Url,
  kind: WebhookKind,
  events: Events,
  enabled: Type.Boolean({ description: 'Whether events are sent' }),
  disabledReason: Type.Optional(
    Type.String({ description: 'Why it is not enabled: by whom, or what its receiver answered' }),
  ),
  disabledAt: Type.Optional(Timestamp),
  failingSince: Type.Optional({
    ...Timestamp,
    description: 'When deliveries began to fail; absent when the last one arrived',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Webhook = Static<typeof Webhook>

export const WebhookSecret = Type.String({
  description: 'Signs deliveries of the kind `generic` (Standard Webhooks). Shown once.',
})

export const CreatedWebhook = Type.Object({ ...Webhook.properties, secret: WebhookSecret })
export type CreatedWebhook = Static<typeof CreatedWebhook>

export const RotatedSecret = Type.Object({
  id: Id,
  secret: WebhookSecret,
  previousExpiresAt: { ...Timestamp, description: 'Until then deliveries carry a signature by the previous one, too' },
})
export type RotatedSecret = Static<typeof RotatedSecret>

const Headers = Type.Record(Type.String(), Type.String())

const DeliveryStatus = Type.Union([Type.Literal('succeeded'), Type.Literal('failed'), Type.Literal('skipped')])
export type DeliveryStatus = Static<typeof DeliveryStatus>

const DeliveryTrigger = Type.Union([Type.Literal('event'), Type.Literal('redelivery'), Type.Literal('test')])
export type DeliveryTrigger = Static<typeof DeliveryTrigger>

/** One attempt to deliver an event to a webhook, as lists show it. */
export const DeliverySummary = Type.Object({
  id: Id,
  event: Type.Object(
    { id: Id, type: Type.String() },
    { description: 'The id is the header `webhook-id`, the same in every attempt' },
  ),
  trigger: DeliveryTrigger,
  attempt: Type.Integer({ minimum: 1, description: 'Counts the attempts to deliver this event' }),
  status: Type.Union([...DeliveryStatus.anyOf], {
    description: '`skipped`: the URL was not allowed when it was to be sent; nothing was sent',
  }),
  at: Timestamp,
  durationMs: Type.Number(),
  url: Type.String(),
  responseStatus: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String({ description: 'What went wrong, for people' })),
  nextAttemptAt: Type.Optional(Timestamp),
})
export type DeliverySummary = Static<typeof DeliverySummary>

export const Delivery = Type.Object({
  ...DeliverySummary.properties,
  request: Type.Object({ headers: Headers, body: Type.String() }),
  response: Type.Optional(
    Type.Object({
      status: Type.Integer(),
      headers: Headers,
      body: Type.String({ description: 'As text, never decompressed' }),
      truncated: Type.Boolean({ description: 'Whether there was more than is kept' }),
    }),
  ),
})
export type Delivery = Static<typeof Delivery>

const WebhookParams = Type.Object({ slug: Slug, id: Id })
const DeliveryParams = Type.Object({ slug: Slug, id: Id, delivery: Id })
const urlRefusals = ['webhook_url_not_https', 'webhook_url_private', 'webhook_url_invalid'] as const

/**
 * All of it takes the scope `write`, reading as well: the URL of a chat service is a password to its channel.
 */
export const webhooks = {
  create: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/webhooks',
    summary: 'Create a webhook',
    description:
      'Subscribes to `deploy.success` and `deploy.failed` unless `events` says otherwise. The kind follows from the ' +
      `URL. A project has at most ${webhookLimits.ofProject}.`,
    access: 'write',
    limit: 'webhooks',
    params: SlugParams,
    body: Type.Object({ url: Url, events: Type.Optional(Events) }),
    reply: CreatedWebhook,
    status: 201,
    failures: urlRefusals,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/webhooks',
    summary: 'List webhooks',
    access: 'write',
    params: SlugParams,
    query: ListQuery,
    reply: listOf(Webhook),
    status: 200,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/webhooks/:id',
    summary: 'Read a webhook',
    access: 'write',
    params: WebhookParams,
    reply: Webhook,
    status: 200,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/projects/:slug/webhooks/:id',
    summary: 'Change a webhook',
    description: 'What is left out stays. Enabling it again forgets why it was disabled.',
    access: 'write',
    limit: 'webhooks',
    params: WebhookParams,
    body: Type.Object({
      url: Type.Optional(Url),
      events: Type.Optional(Events),
      enabled: Type.Optional(Type.Boolean()),
    }),
    reply: Webhook,
    status: 200,
    failures: urlRefusals,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:slug/webhooks',
    summary: 'Delete a webhook',
    description: 'Events that wait for it are not delivered any more.',
    access: 'write',
    limit: 'webhooks',
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
  }),
  rotate: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/webhooks/:id/rotate',
    summary: 'Replace the secret of a webhook',
    description: `For ${webhookLimits.rotationHours} hours deliveries are signed with the previous secret, too.`,
    access: 'write',
    limit: 'webhooks',
    params: WebhookParams,
    reply: RotatedSecret,
    status: 200,
  }),
  test: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/webhooks/:id/test',
    summary: 'Send a test event',
    description: 'An event `webhook.test`, sent once; the answer waits for its outcome, which is also in the log.',
    access: 'write',
    limit: 'webhooks',
    params: WebhookParams,
    reply: Delivery,
    status: 200,
  }),
  deliveries: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/webhooks/:id/deliveries',
    summary: 'List deliveries of a webhook',
    access: 'write',
    params: WebhookParams,
    query: Type.Object({
      ...ListQuery.properties,
      status: Type.Optional({ ...DeliveryStatus, description: 'Only deliveries that ended so' }),
    }),
    reply: listOf(DeliverySummary),
    status: 200,
  }),
  delivery: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/webhooks/:id/deliveries/:delivery',
    summary: 'Read a delivery with its request and response',
    access: 'write',
    params: DeliveryParams,
    reply: Delivery,
    status: 200,
  }),
  redeliver: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/webhooks/:id/deliveries/:delivery/redeliver',
    summary: 'Deliver an event again',
    description: 'With the same event id and body, once; the answer waits for its outcome.',
    access: 'write',
    limit: 'webhooks',
    params: DeliveryParams,
    reply: Delivery,
    status: 200,
  }),
}
