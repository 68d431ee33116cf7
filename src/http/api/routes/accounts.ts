import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyInstance, FastifyRequest } from 'fastify'
import type { Decider, Devices } from '#access/devices.ts'
import type { Account } from '#contract/accounts.ts'
import { accountScope, deviceGrant, devicePage } from '#contract/device-login.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { limits } from '#contract/limits.ts'
import { sessionClientOf, type SessionCookie } from '../../auth/session-cookie.ts'
import type { Accounts } from '#access/accounts.ts'
import type { Sessions } from '#access/sessions.ts'
import type { Call, Router } from '../route.ts'

export interface AccountServices {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly devices: Devices
}

interface Session {
  readonly token: string
  readonly account: Account
}

/** Accounts, their sessions, and the sign-in of terminals. */
export async function accountRoutes(
  app: FastifyInstance,
  router: Router,
  services: AccountServices,
  options: { readonly cookie: SessionCookie; readonly publicUrl: string },
): Promise<void> {
  signInRoutes(router, services, options.cookie)
  sessionRoutes(router, services)
  await deviceRoutes(app, router, { ...services, ...options })
}

function signInRoutes(router: Router, { accounts }: AccountServices, cookie: SessionCookie): void {
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
    return { account, ...(await accounts.credentialsOf(account.id)) }
  })
  router.route(contract.accounts.changePassword, async (call) => {
    const { account, token } = signedInOf(call)
    await accounts.changePassword(account.id, call.body, { token, address: call.request.ip })
    return undefined
  })
}

/** The session of an endpoint that only accounts may call: whose it is, and its token. */
function signedInOf({ request }: Pick<Call<unknown>, 'request'>): Session {
  if (request.caller?.kind !== 'account') throw new Failure('forbidden', 'A key cannot do this: sign in to an account.')
  return request.caller
}

/** The signed-in account of an endpoint that only accounts may call. */
export function accountOf(call: Pick<Call<unknown>, 'request'>): Account {
  return signedInOf(call).account
}

function sessionRoutes(router: Router, { sessions }: AccountServices): void {
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

/** Sign-in of terminals: what they ask, and what the person who approves does. */
async function deviceRoutes(
  app: FastifyInstance,
  router: Router,
  options: Pick<AccountServices, 'devices'> & { readonly publicUrl: string },
): Promise<void> {
  const { devices, publicUrl } = options
  await oauthScope(app, (scope) => terminalRoutes(router, scope, { devices, page: publicUrl + devicePage }))
  router.route(contract.device.read, ({ query, request }) => devices.read(query.user_code, deciderOf(request)))
  router.route(contract.device.approve, async ({ body, request }) => {
    await devices.approve(body.user_code, deciderOf(request))
    return undefined
  })
  router.route(contract.device.deny, async ({ body, request }) => {
    await devices.deny(body.user_code, deciderOf(request))
    return undefined
  })
}

function terminalRoutes(
  router: Router,
  scope: FastifyInstance,
  { devices, page }: Pick<AccountServices, 'devices'> & { readonly page: string },
): void {
  router.route(
    contract.device.authorize,
    async ({ body, request }) => {
      const { client_id: client, scope: asked, host_name: hostName } = body
      const started = await devices.start({ client, scope: asked, hostName, address: request.ip })
      return {
        device_code: started.deviceCode,
        user_code: started.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${started.userCode}`,
        expires_in: started.expiresIn,
        interval: started.interval,
      }
    },
    { scope },
  )
  router.route(
    contract.device.token,
    async ({ body }) => {
      const { grant_type: grant, client_id: client, device_code: code } = body
      if (grant !== deviceGrant) throw new Failure('unsupported_grant_type', `The only grant type is ${deviceGrant}.`)
      if (code === undefined) throw new Failure('invalid_request', 'device_code is missing.')
      const token = await devices.redeem(client, code)
      return { access_token: token, token_type: 'Bearer' as const, scope: accountScope }
    },
    { scope },
  )
}

function deciderOf(request: FastifyRequest): Decider {
  return { account: accountOf({ request }).id, address: request.ip }
}

/** Refusals that OAuth has no word for: too many requests, and our own mistakes. */
function isOurs(failure: Failure): boolean {
  return failure.status === 429 || failure.status >= 500
}

/** Whatever is wrong with the form of a request is `invalid_request` to OAuth. */
function oauthFailureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return isOurs(error) ? null : error
  const { statusCode = 500, message } = error as { statusCode?: number; message: string }
  return statusCode >= 400 && statusCode < 500 && statusCode !== 429 ? new Failure('invalid_request', message) : null
}

/**
 * A scope of the application for OAuth endpoints: they take forms beside JSON, and refuse with `error` and
 * `error_description` (RFC 6749, 5.2). Other refusals are problem documents as everywhere.
 */
async function oauthScope(app: FastifyInstance, routes: (scope: FastifyInstance) => void): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(formbody, { bodyLimit: limits.bodyBytes })
    scope.addHook('onSend', async (_request, reply) => {
      // What is in the answers must not stay in a cache on the way (RFC 6749, 5.1).
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    })
    scope.setErrorHandler((error, _request, reply) => {
      const failure = oauthFailureOf(error)
      // To the handler of the application.
      if (failure === null) throw error
      if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
      const status = failure.code === 'invalid_client' ? 401 : 400
      return reply.code(status).send({ error: wordOf(failure), error_description: asciiOf(failure.message) })
    })
    routes(scope)
  })
}

function wordOf({ code, status }: Failure): string {
  return status === 400 || code === 'invalid_client' ? code : 'invalid_request'
}

/** `error_description` has neither quotation marks nor anything beyond ASCII. */
function asciiOf(message: string): string {
  return message
    .replaceAll('’', "'")
    .replace(/["\\]/g, "'")
    .replace(/[^\x20-\x7e]/g, '')
}
