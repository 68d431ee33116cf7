import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'

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
    description: 'For load balancers: 503 from the moment in which the service begins to end.',
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
      identityProvider: Type.Optional(
        Type.Object({ name: Type.String(), url: Type.String({ description: 'Where a browser begins to sign in' }) }),
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
