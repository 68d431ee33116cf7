import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'

/** Where the command line can be fetched, below the service’s origin: a package that npm installs. */
export const commandLinePackage = '/quire.tgz'
/** How to install it, for people; leads npm to the package. */
export const commandLine = '/cli'

export const service = {
  health: endpoint({
    method: 'GET',
    path: '/healthz',
    summary: 'Is the service up',
    access: 'public',
    reply: Type.Object({ status: Type.Literal('ok'), version: Type.String() }),
    status: 200,
  }),
  ready: endpoint({
    method: 'GET',
    path: '/readyz',
    summary: 'Should requests be sent here',
    description:
      'For load balancers: 503 from the moment in which the service begins to end, unless another one takes its place, and, with the reason, while the data directory that it began with is gone or takes no more writes. No connection is taken before the service is ready.',
    access: 'public',
    reply: Type.Object({ status: Type.Literal('ready') }),
    status: 200,
    failures: ['unavailable'],
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/service',
    summary: 'How to sign in here',
    access: 'public',
    reply: Type.Object({
      version: Type.String(),
      signup: Type.Union([Type.Literal('open'), Type.Literal('closed')], { description: 'Who may create an account' }),
      siteUrl: Type.String({
        description: 'Where the site of a project is; `{slug}` stands for its slug',
        examples: ['https://{slug}.example-docs.net'],
      }),
      mail: Type.Boolean({
        description:
          'Whether the service sends mail; without, its operator gives new passwords to those who forgot theirs',
      }),
      slugReservedDays: Type.Integer({
        description: 'Days for which the slug of a removed or renamed project is kept for its owner, and redirects',
      }),
      identityProvider: Type.Optional(
        Type.Object({ name: Type.String(), url: Type.String({ description: 'Where a browser begins to sign in' }) }),
      ),
      contact: Type.Optional(Type.String({ description: 'Where people reach the operator: `https:` or `mailto:`' })),
      planChange: Type.Optional(
        Type.Object(
          {
            text: Type.Optional(Type.String({ description: 'One line of plain text' })),
            url: Type.Optional(Type.String({ description: '`https:` or `mailto:`' })),
          },
          { description: 'How to get another plan, in the operator’s words; absent where they say nothing of it' },
        ),
      ),
    }),
    status: 200,
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This API as OpenAPI 3.1',
    access: 'public',
    reply: Type.Unknown(),
    status: 200,
  }),
}
