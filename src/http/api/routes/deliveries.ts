import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

/** The log of deliveries, and deliveries that people ask for. */
export function deliveryRoutes(router: Router, { webhooks: { deliveries } }: Pick<Services, 'webhooks'>): void {
  const endpoints = contract.webhooks
  router.route(endpoints.deliveries, ({ params, query }) => deliveries.list(params, query))
  router.route(endpoints.delivery, ({ params }) => deliveries.read(params, params.delivery))
  router.route(endpoints.test, ({ params }) => deliveries.test(params))
  router.route(endpoints.redeliver, ({ params }) => deliveries.redeliver(params, params.delivery))
}
