import type { FastifyReply } from 'fastify'
import type { Account } from '../../../contract/accounts.ts'
import { Failure } from '../../../contract/failure.ts'
import { contract } from '../../../contract/index.ts'
import { sessionClientOf, type SessionCookie } from '../../auth/session-cookie.ts'
import type { Services } from '../../services.ts'
import type { Call, Router } from '../route.ts'

interface Session {
  readonly token: string
  readonly account: Account
}

export function accountRoutes(router: Router, { accounts }: Services, cookie: SessionCookie): void {
  const start = (reply: FastifyReply, session: Session): Session => {
    cookie.set(reply, session.token)
    return session
  }

  router.route(contract.accounts.signup, async ({ body, request, reply }) =>
    start(reply, await accounts.signup(body, sessionClientOf(request, 'browser'))),
  )
  router.route(contract.accounts.login, async ({ body, request, reply }) =>
    start(reply, await accounts.login(body, sessionClientOf(request, 'browser'))),
  )
  router.route(contract.accounts.logout, async ({ request, reply }) => {
    if (request.caller?.kind === 'account') await accounts.logout(request.caller.token)
    cookie.clear(reply)
    return undefined
  })
  router.route(contract.accounts.me, async (call) => {
    const { account, token } = signedInOf(call)
    // The dashboard asks this whenever it is opened.
    cookie.renew(call.request, call.reply, token)
    return { account, hasPassword: await accounts.hasPassword(account.id) }
  })
  router.route(contract.accounts.changePassword, async (call) => {
    const { account, token } = signedInOf(call)
    await accounts.changePassword(account.id, call.body, { token, address: call.request.ip })
    return undefined
  })
}

/** The session of an endpoint that only accounts may call: whose it is, and its token. */
export function signedInOf({ request }: Pick<Call<unknown>, 'request'>): Session {
  if (request.caller?.kind !== 'account') throw new Failure('forbidden', 'A key cannot do this: sign in to an account.')
  return request.caller
}

/** The signed-in account of an endpoint that only accounts may call. */
export function accountOf(call: Pick<Call<unknown>, 'request'>): Account {
  return signedInOf(call).account
}

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
