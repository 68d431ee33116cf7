import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Decider } from '../../../access/devices.ts'
import { accountScope, deviceGrant, devicePage } from '../../../contract/device.ts'
import { Failure } from '../../../contract/failure.ts'
import { contract } from '../../../contract/index.ts'
import { limits } from '../../../contract/limits.ts'
import type { Services } from '../../services.ts'
import type { Router } from '../route.ts'
import { accountOf } from './accounts.ts'

/** Sign-in of terminals: what they ask, and what the person who approves does. */
export async function deviceRoutes(
  app: FastifyInstance,
  router: Router,
  options: Pick<Services, 'devices'> & { readonly publicUrl: string },
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
  { devices, page }: Pick<Services, 'devices'> & { readonly page: string },
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
export async function oauthScope(app: FastifyInstance, routes: (scope: FastifyInstance) => void): Promise<void> {
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
