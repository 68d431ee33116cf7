import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function auditRoutes(router: Router, { audit }: Services): void {
  router.route(contract.audit.list, ({ project, query }) => audit.list(project, query))
}
