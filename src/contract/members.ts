import { Type, type Static } from 'typebox'
import { Email, Id, SlugParams, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'

/** What an account is to a project. */
export const Role = Type.Union([Type.Literal('owner'), Type.Literal('writer')])
export type Role = Static<typeof Role>

export const Member = Type.Object({
  id: Type.String({ description: 'Of the account' }),
  email: Email,
  role: Role,
  addedAt: Timestamp,
})
export type Member = Static<typeof Member>

const path = '/api/projects/:slug/members'

export const members = {
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List the members of a project',
    description: 'The owner, then the writers in the order in which they came; at most 101.',
    access: 'read',
    params: SlugParams,
    reply: Type.Object({ items: Type.Array(Member) }),
    status: 200,
  }),
  add: endpoint({
    method: 'POST',
    path,
    summary: 'Add a writer',
    description:
      'By the email address of an existing account. A writer reads, writes, deploys and sets up webhooks; keys, members and the project itself stay the owner’s. Who is a writer already stays one.',
    access: 'admin',
    // It tells whether an address has an account, as signing up does.
    limit: 'signIn',
    params: SlugParams,
    body: Type.Object({ email: Email }),
    reply: Member,
    status: 201,
  }),
  update: endpoint({
    method: 'PATCH',
    path,
    summary: 'Give the project to a writer',
    description:
      'The writer becomes the owner, whose plan counts from now on, and the owner becomes a writer. API keys with the scope `admin` are revoked, others stay. Takes a session of the owner: no API key can give a project away.',
    access: 'admin',
    params: SlugParams,
    body: Type.Object({ id: Id, role: Type.Literal('owner') }),
    reply: Member,
    status: 200,
    failures: ['too_many_projects'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path,
    summary: 'Remove a writer, or leave',
    description: 'The owner removes anybody, a writer only themselves. The owner cannot be removed.',
    access: 'write',
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
  }),
}
