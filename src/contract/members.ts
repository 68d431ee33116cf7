import { Type, type Static } from 'typebox'
import { Email, Id, SlugParams, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'

/** What an account is to a project. */
export const Role = Type.Union([Type.Literal('owner'), Type.Literal('writer')])
export type Role = Static<typeof Role>

export const Member = Type.Object({
  id: Type.String({ description: 'Of the account' }),
  name: Type.String({ description: 'As commits show it: the address up to its @' }),
  email: Type.Optional({ ...Email, description: 'For those who administer the project, and of yourself' }),
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
  remove: endpoint({
    method: 'DELETE',
    path,
    summary: 'Remove a writer, or leave',
    description: 'The owner removes anybody, a writer only themselves. The owner cannot be removed.',
    access: 'write',
    whileSuspended: true,
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
  }),
}
