import { Type, type Static } from 'typebox'
import { Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'

/** The `client_id` of the command line. */
export const commandLineClient = 'quire-cli'
/** The `grant_type` of RFC 8628, 3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
/** The one scope: all that the account may do. */
export const accountScope = 'account'
/** Address of the page that approves, below the service’s origin. */
export const devicePage = '/dashboard/device'

const ClientId = Type.String({ maxLength: 100 })
const UserCode = Type.String({
  maxLength: 64,
  description: 'As the terminal shows it; capital letters and the hyphen do not matter',
})

/** RFC 8628, 3.2. */
export const DeviceAuthorization = Type.Object({
  device_code: Type.String(),
  user_code: Type.String({ description: 'Such as BCDF-GHJK' }),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds' }),
  interval: Type.Integer({ description: 'Seconds to wait between two polls, at least' }),
})
export type DeviceAuthorization = Static<typeof DeviceAuthorization>

/** RFC 6749, 5.1. */
export const DeviceToken = Type.Object({
  access_token: Type.String({ description: 'The token of a session; it ends 30 days after its last use' }),
  token_type: Type.Literal('Bearer'),
  scope: Type.String(),
})
export type DeviceToken = Static<typeof DeviceToken>

/** A terminal that waits to be signed in, or waited until this account decided a moment ago. */
export const DeviceRequest = Type.Object({
  decision: Type.Optional(
    Type.Union([Type.Literal('approved'), Type.Literal('denied')], {
      description: 'What this account has decided; absent while the terminal waits',
    }),
  ),
  user_code: Type.String(),
  client: Type.String({ description: 'The program’s name' }),
  hostName: Type.Optional(Type.String({ description: 'What the machine calls itself: nobody has checked it' })),
  address: Type.String({ description: 'IP address that asked' }),
  sameAddress: Type.Boolean({ description: 'It is the address of this request, too' }),
  scopes: Type.Array(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type DeviceRequest = Static<typeof DeviceRequest>

const Decision = Type.Object({ user_code: UserCode })

export const device = {
  authorize: endpoint({
    method: 'POST',
    path: '/api/auth/device',
    summary: 'Begin the sign-in of a terminal',
    description: 'Device authorization request (RFC 8628, 3.1).',
    access: 'public',
    oauth: true,
    limit: 'device',
    body: Type.Object({
      client_id: ClientId,
      scope: Type.Optional(Type.String({ maxLength: 200, description: `\`${accountScope}\`, which is the default` })),
      host_name: Type.Optional(Type.String({ maxLength: 255, description: 'Shown to whoever approves' })),
    }),
    reply: DeviceAuthorization,
    status: 200,
    failures: ['invalid_client', 'invalid_scope'],
  }),
  token: endpoint({
    method: 'POST',
    path: '/api/auth/device/token',
    summary: 'Ask whether a terminal is signed in',
    description: 'Device access token request (RFC 8628, 3.4): repeated until the person has decided.',
    access: 'public',
    oauth: true,
    limit: 'device',
    body: Type.Object({
      grant_type: Type.String({ maxLength: 200, description: deviceGrant }),
      client_id: ClientId,
      device_code: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    reply: DeviceToken,
    status: 200,
    failures: [
      'authorization_pending',
      'slow_down',
      'access_denied',
      'expired_token',
      'invalid_grant',
      'invalid_client',
      'unsupported_grant_type',
    ],
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/auth/device/request',
    summary: 'Read what a terminal asks for',
    access: 'account',
    limit: 'device',
    query: Decision,
    reply: DeviceRequest,
    status: 200,
    failures: ['not_found'],
  }),
  approve: endpoint({
    method: 'POST',
    path: '/api/auth/device/approve',
    summary: 'Sign a terminal in to your account',
    description: 'Done again by the same account it changes nothing.',
    access: 'account',
    limit: 'device',
    body: Decision,
    status: 204,
    failures: ['not_found'],
  }),
  deny: endpoint({
    method: 'POST',
    path: '/api/auth/device/deny',
    summary: 'Refuse a terminal',
    description: 'Done again by the same account it changes nothing.',
    access: 'account',
    limit: 'device',
    body: Decision,
    status: 204,
    failures: ['not_found'],
  }),
}
