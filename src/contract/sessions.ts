import { Type, type Static } from 'typebox'
import { Id, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'

export const SessionKind = Type.Union([Type.Literal('browser'), Type.Literal('terminal')])
export type SessionKind = Static<typeof SessionKind>

export const Session = Type.Object({
  id: Type.String(),
  kind: SessionKind,
  client: Type.String({ description: 'What it called itself when it signed in; empty where that is not known' }),
  address: Type.String({ description: 'Where it signed in from; empty where that is not known' }),
  createdAt: Timestamp,
  usedAt: Type.String({ format: 'date-time', description: 'Its last use, noted at most once an hour' }),
  current: Type.Boolean({ description: 'The session that this request was made with' }),
})
export type Session = Static<typeof Session>

const path = '/api/auth/sessions'

export const sessions = {
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List your sessions',
    description: 'The browsers and terminals that are signed in, the last used first; at most 50.',
    access: 'account',
    reply: Type.Object({ items: Type.Array(Session) }),
    status: 200,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path,
    summary: 'End a session',
    access: 'account',
    query: Type.Object({ id: Id }),
    status: 204,
  }),
  revokeOthers: endpoint({
    method: 'DELETE',
    path: `${path}/others`,
    summary: 'Sign out everywhere else',
    description: 'Ends all your sessions but the one of this request.',
    access: 'account',
    status: 204,
  }),
}
