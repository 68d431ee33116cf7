import { contract } from '../../../contract/index.ts'
import type { Deliveries } from '../../../webhooks/deliveries.ts'
import type { Subscriptions } from '../../../webhooks/subscriptions.ts'
import type { Router } from '../route.ts'

export interface WebhookServices {
  readonly webhooks: { readonly subscriptions: Subscriptions; readonly deliveries: Deliveries }
}

export function webhookRoutes(router: Router, { webhooks }: WebhookServices): void {
  subscriptionRoutes(router, webhooks.subscriptions)
  deliveryRoutes(router, webhooks.deliveries)
}

function subscriptionRoutes(router: Router, subscriptions: Subscriptions): void {
  router.route(contract.webhooks.create, async ({ project, body, request }) => {
    const created = await subscriptions.create(project, body)
    request.audit = { target: created.id, detail: `${created.kind}: ${created.events.join(', ')}` }
    return created
  })
  router.route(contract.webhooks.list, ({ project, query }) => subscriptions.list(project, query))
  router.route(contract.webhooks.read, ({ project, params }) => subscriptions.read(project, params.id))
  router.route(contract.webhooks.update, ({ project, params, body }) => subscriptions.update(project, params.id, body))
  router.route(contract.webhooks.remove, async ({ project, query }) => {
    await subscriptions.remove(project, query.id)
    return undefined
  })
  router.route(contract.webhooks.rotate, ({ project, params }) => subscriptions.rotate(project, params.id))
}

/** The log of deliveries, and deliveries that people ask for. */
function deliveryRoutes(router: Router, deliveries: Deliveries): void {
  const endpoints = contract.webhooks
  router.route(endpoints.deliveries, ({ project, params, query }) =>
    deliveries.list({ projectId: project, id: params.id }, query),
  )
  router.route(endpoints.delivery, ({ project, params }) =>
    deliveries.read({ projectId: project, id: params.id }, params.delivery),
  )
  router.route(endpoints.test, ({ project, params }) => deliveries.test({ projectId: project, id: params.id }))
  router.route(endpoints.redeliver, ({ project, params }) =>
    deliveries.redeliver({ projectId: project, id: params.id }, params.delivery),
  )
}
