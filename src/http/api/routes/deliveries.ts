import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

/** The log of deliveries, and deliveries that people ask for. */
export function deliveryRoutes(router: Router, { webhooks: { deliveries } }: Pick<Services, 'webhooks'>): void {
  const endpoints = contract.webhooks
  router.route(endpoints.deliveries, ({ project, params, query }) =>
    deliveries.list({ slug: project, id: params.id }, query),
  )
  router.route(endpoints.delivery, ({ project, params }) =>
    deliveries.read({ slug: project, id: params.id }, params.delivery),
  )
  router.route(endpoints.test, ({ project, params }) => deliveries.test({ slug: project, id: params.id }))
  router.route(endpoints.redeliver, ({ project, params }) =>
    deliveries.redeliver({ slug: project, id: params.id }, params.delivery),
  )
}
