import type { FastifyReply } from 'fastify'
import { contract } from '../../contract/index.ts'
import type { Account } from '../../contract/accounts.ts'
import { Failure } from '../../contract/failure.ts'
import type { Call, Router } from '../route.ts'
import type { Services } from '../services.ts'
import type { SessionCookie } from '../session-cookie.ts'

interface Session {
  readonly token: string
  readonly account: Account
}

export function accountRoutes(
  router: Router,
  { accounts }: Services,
  options: { readonly cookie: SessionCookie; readonly perMinute: number },
): void {
  const { cookie, perMinute } = options
  const start = (reply: FastifyReply, session: Session): Session => {
    cookie.set(reply, session.token)
    return session
  }

  router.route(
    contract.accounts.signup,
    async ({ body, reply }) => start(reply, await accounts.signup(body.email, body.password)),
    {
      perMinute,
    },
  )
  router.route(
    contract.accounts.login,
    async ({ body, reply }) => start(reply, await accounts.login(body.email, body.password)),
    {
      perMinute,
    },
  )
  router.route(contract.accounts.logout, async ({ request, reply }) => {
    if (request.caller?.kind === 'account') await accounts.logout(request.caller.token)
    cookie.clear(reply)
    return undefined
  })
  router.route(contract.accounts.me, async (call) => ({ account: accountOf(call) }))
}

/** The signed-in account of an endpoint that only accounts may call. */
export function accountOf({ request }: Pick<Call<unknown>, 'request'>): Account {
  if (request.caller?.kind !== 'account') throw new Failure('forbidden', 'A key cannot do this: sign in to an account.')
  return request.caller.account
}
