import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function webhookRoutes(router: Router, { webhooks: { subscriptions } }: Pick<Services, 'webhooks'>): void {
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
