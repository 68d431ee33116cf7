import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Decider } from '../../../access/devices.ts'
import { accountScope, deviceGrant, devicePage } from '../../../contract/device.ts'
import { Failure } from '../../../contract/failure.ts'
import { contract } from '../../../contract/index.ts'
import { oauthScope } from '../../auth/oauth.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'
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
