import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function keyRoutes(router: Router, { keys }: Services): void {
  router.route(contract.keys.create, async ({ project, body, request }) => {
    const created = await keys.create(project, body)
    request.audit = { target: created.id, detail: `${created.name}: ${created.scopes.join(', ')}` }
    return created
  })
  router.route(contract.keys.list, ({ project, query }) => keys.list(project, query))
  router.route(contract.keys.revoke, async ({ project, query }) => {
    await keys.revoke(project, query.id)
    return undefined
  })
}
