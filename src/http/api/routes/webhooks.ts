import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function webhookRoutes(router: Router, { webhooks: { subscriptions } }: Pick<Services, 'webhooks'>): void {
  router.route(contract.webhooks.create, async ({ params, body, request }) => {
    const created = await subscriptions.create(params.slug, body)
    request.audit = { target: created.id, detail: `${created.kind}: ${created.events.join(', ')}` }
    return created
  })
  router.route(contract.webhooks.list, ({ params, query }) => subscriptions.list(params.slug, query))
  router.route(contract.webhooks.read, ({ params }) => subscriptions.read(params.slug, params.id))
  router.route(contract.webhooks.update, ({ params, body }) => subscriptions.update(params.slug, params.id, body))
  router.route(contract.webhooks.remove, async ({ params, query }) => {
    await subscriptions.remove(params.slug, query.id)
    return undefined
  })
  router.route(contract.webhooks.rotate, ({ params }) => subscriptions.rotate(params.slug, params.id))
}
