import { contract } from '../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../services.ts'

export function keyRoutes(router: Router, { keys }: Services): void {
  router.route(contract.keys.create, ({ params, body }) => keys.create(params.slug, body))
  router.route(contract.keys.list, ({ params, query }) => keys.list(params.slug, query))
  router.route(contract.keys.revoke, async ({ params, query }) => {
    await keys.revoke(params.slug, query.id)
    return undefined
  })
}
