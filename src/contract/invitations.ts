import { Type, type Static } from 'typebox'
import { Email, Id, Slug, SlugParams, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import { Member, Role } from './members.ts'

export const invitationLimits = {
  /** Days until it expires. */
  days: 14,
  /** Open ones of a project. */
  ofProject: 50,
} as const

const role = {
  ...Role,
  description:
    '`writer`, which is the default; or `owner`, who takes the project over: who owns it becomes a writer, the plan of ' +
    'the new owner counts, and API keys with the scope `admin` are revoked',
}

export const Invitation = Type.Object({
  id: Id,
  email: Email,
  role: Role,
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type Invitation = Static<typeof Invitation>

export const CreatedInvitation = Type.Object({
  ...Invitation.properties,
  code: Type.String({ description: 'Opens the invitation. Shown once' }),
  url: Type.String({ description: 'Has the code. Give it to the person where it is not mailed. Shown once' }),
  mailed: Type.Boolean({ description: 'The URL was also mailed to the address; not where the service sends no mail' }),
})
export type CreatedInvitation = Static<typeof CreatedInvitation>

/** As whoever is invited sees it. */
export const ReceivedInvitation = Type.Object({
  id: Id,
  project: Slug,
  title: Type.String(),
  role: Role,
  needsCode: Type.Boolean({ description: 'Nobody vouches for the address of the account: accepting takes the code' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type ReceivedInvitation = Static<typeof ReceivedInvitation>

const path = '/api/projects/:slug/invitations'
const InvitationParams = Type.Object({ id: Id })

export const invitations = {
  create: endpoint({
    method: 'POST',
    path,
    summary: 'Invite somebody to a project',
    description:
      `By an email address, whether it has an account or not: the answer does not tell. Good for ${invitationLimits.days} ` +
      'days. The person finds it at `GET /api/invitations` after signing in with that address; an account whose address ' +
      'nobody vouches for (it signed itself up by password) also needs the code, which is in the URL: it is ' +
      'mailed where the service sends mail, else hand it over yourself. A new invitation takes the place of an open one for the same address. To invite an owner takes a ' +
      'session of the owner: no API key can give a project away.',
    access: 'admin',
    limit: 'signIn',
    params: SlugParams,
    body: Type.Object({ email: Email, role: Type.Optional(role) }),
    reply: CreatedInvitation,
    status: 201,
  }),
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List the open invitations of a project',
    description: `The newest first; at most ${invitationLimits.ofProject}.`,
    access: 'admin',
    params: SlugParams,
    reply: Type.Object({ items: Type.Array(Invitation) }),
    status: 200,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path,
    summary: 'Take an invitation back',
    access: 'admin',
    whileSuspended: true,
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
  }),
  received: endpoint({
    method: 'GET',
    path: '/api/invitations',
    summary: 'List the invitations to you',
    description: 'The newest first; at most 50.',
    access: 'account',
    reply: Type.Object({ items: Type.Array(ReceivedInvitation) }),
    status: 200,
  }),
  accept: endpoint({
    method: 'POST',
    path: '/api/invitations/:id/accept',
    summary: 'Accept an invitation',
    description:
      'Whoever becomes the owner takes the project on their plan: it is refused where they own as many projects as they may, or where it does not fit into the storage of their plan.',
    access: 'account',
    limit: 'signIn',
    params: InvitationParams,
    body: Type.Object({ code: Type.Optional(Type.String({ maxLength: 100 })) }),
    reply: Type.Object({ project: Slug, member: Member }),
    status: 201,
    failures: ['not_found', 'forbidden', 'too_many_projects', 'quota_exceeded', 'project_suspended'],
  }),
  decline: endpoint({
    method: 'POST',
    path: '/api/invitations/:id/decline',
    summary: 'Decline an invitation',
    access: 'account',
    params: InvitationParams,
    status: 204,
    failures: ['not_found'],
  }),
}
