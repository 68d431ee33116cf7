import { Type, type Static } from 'typebox'
import { ListQuery, SlugParams, Timestamp, listOf } from './common.ts'
import { endpoint } from './endpoint.ts'

export const AuditActor = Type.Object({
  kind: Type.Union([Type.Literal('account'), Type.Literal('key'), Type.Literal('operator'), Type.Literal('service')], {
    description: '`service`: nobody did it, such as a domain whose record is gone',
  }),
  id: Type.String(),
  name: Type.String({ description: 'As it was then: an account’s email address, a key’s name' }),
})
export type AuditActor = Static<typeof AuditActor>

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  action: Type.String({
    description: 'The operation, such as `keys.create`; `git.push` for a push; `admin.plan` for `quire admin plan`',
  }),
  actor: AuditActor,
  address: Type.String({
    description: 'IP address; `local` for the operator, who works on the service’s machine, and for the service itself',
  }),
  client: Type.Optional(Type.String({ description: 'What the client calls itself' })),
  target: Type.Optional(Type.String({ description: 'What it was done to: an id, a branch, a path' })),
  detail: Type.Optional(Type.String()),
})
export type AuditEntry = Static<typeof AuditEntry>

export const audit = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/audit',
    summary: 'Read the audit log',
    description:
      'Who changed what, from where; newest first. Requests that were refused are not in it. A page looks at 5000 ' +
      'entries: with filters it may have few or none and a `nextCursor`, behind which older ones are.',
    access: 'admin',
    params: SlugParams,
    query: Type.Object({
      ...ListQuery.properties,
      action: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only this operation, or all of a noun: `keys.create`, `keys`' }),
      ),
      actor: Type.Optional(Type.String({ maxLength: 100, description: 'Only what the account or key of this id did' })),
      since: Type.Optional({ ...Timestamp, description: 'Only what was done then or later. RFC 3339' }),
      until: Type.Optional({ ...Timestamp, description: 'Only what was done before. RFC 3339' }),
    }),
    reply: listOf(AuditEntry),
    status: 200,
  }),
}
