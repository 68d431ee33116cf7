import { contract } from '#contract/index.ts'
import type { Deliveries } from '#webhooks/deliveries.ts'
import type { Subscriptions } from '#webhooks/subscriptions.ts'
import type { Router } from '../route.ts'

export interface WebhookServices {
  readonly webhooks: { readonly subscriptions: Subscriptions; readonly deliveries: Deliveries }
}

export function webhookRoutes(router: Router, { webhooks }: WebhookServices): void {
  subscriptionRoutes(router, webhooks.subscriptions)
  deliveryRoutes(router, webhooks.deliveries)
}

function subscriptionRoutes(router: Router, subscriptions: Subscriptions): void {
  router.route(contract.webhooks.create, async ({ projectId, body, request }) => {
    const created = await subscriptions.create(projectId, body)
    request.audit = { target: created.id, detail: `${created.kind}: ${created.events.join(', ')}` }
    return created
  })
  router.route(contract.webhooks.list, ({ projectId, query }) => subscriptions.list(projectId, query))
  router.route(contract.webhooks.read, ({ projectId, params }) => subscriptions.read(projectId, params.id))
  router.route(contract.webhooks.update, ({ projectId, params, body }) =>
    subscriptions.update(projectId, params.id, body),
  )
  router.route(contract.webhooks.remove, async ({ projectId, query }) => {
    await subscriptions.remove(projectId, query.id)
    return undefined
  })
  router.route(contract.webhooks.rotate, ({ projectId, params }) => subscriptions.rotate(projectId, params.id))
}

/** The log of deliveries, and deliveries that people ask for. */
function deliveryRoutes(router: Router, deliveries: Deliveries): void {
  const endpoints = contract.webhooks
  router.route(endpoints.deliveries, ({ projectId, params, query }) =>
    deliveries.list({ projectId, id: params.id }, query),
  )
  router.route(endpoints.delivery, ({ projectId, params }) =>
    deliveries.read({ projectId, id: params.id }, params.delivery),
  )
  router.route(endpoints.test, ({ projectId, params }) => deliveries.test({ projectId, id: params.id }))
  router.route(endpoints.redeliver, ({ projectId, params }) =>
    deliveries.redeliver({ projectId, id: params.id }, params.delivery),
  )
}
