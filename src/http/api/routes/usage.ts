import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function usageRoutes(router: Router, { usage }: Services): void {
  router.route(contract.usage.read, ({ project }) => usage.read(project))
}
