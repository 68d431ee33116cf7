import { contract } from '../../../contract/index.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'
import { signedInOf } from './accounts.ts'

export function sessionRoutes(router: Router, { sessions }: Services): void {
  router.route(contract.sessions.list, async (call) => {
    const { account, token } = signedInOf(call)
    return { items: await sessions.list(account.id, token) }
  })
  router.route(contract.sessions.revoke, async (call) => {
    await sessions.revoke(signedInOf(call).account.id, call.query.id)
    return undefined
  })
  router.route(contract.sessions.revokeOthers, async (call) => {
    const { account, token } = signedInOf(call)
    await sessions.endAll(account.id, token)
    return undefined
  })
}
