import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function keyRoutes(router: Router, { keys }: Services): void {
  router.route(contract.keys.create, async ({ params, body, request }) => {
    const created = await keys.create(params.slug, body)
    request.audit = { target: created.id, detail: `${created.name}: ${created.scopes.join(', ')}` }
    return created
  })
  router.route(contract.keys.list, ({ params, query }) => keys.list(params.slug, query))
  router.route(contract.keys.revoke, async ({ params, query }) => {
    await keys.revoke(params.slug, query.id)
    return undefined
  })
}
