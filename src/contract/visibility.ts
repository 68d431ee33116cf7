import { Type, type Static } from 'typebox'
import { NewPassword } from './accounts.ts'
import { Id, SlugParams, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import { patterns } from './patterns.ts'

export const visibilityLimits = {
  /** Share links of a project. */
  links: 50,
  /** Days for which a browser is let in, without a new sign-in, link or password. */
  grantDays: 30,
} as const

export const ShareLink = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
})
export type ShareLink = Static<typeof ShareLink>

const Shown = Type.Union([Type.Literal('public'), Type.Literal('private')], {
  description: '`private`: members, and whoever has a share link or the password',
})

export const Visibility = Type.Object({
  visibility: Shown,
  privateSince: Type.Optional(Timestamp),
  passwordSetAt: Type.Optional({ ...Timestamp, description: 'Absent: there is no password' }),
  links: Type.Array(ShareLink, { description: 'The newest first' }),
})
export type Visibility = Static<typeof Visibility>

const NewShareLink = Type.Object({
  name: Type.String({
    maxLength: 100,
    pattern: patterns.line.pattern,
    description: 'For whom it is; its readers do not see it',
    examples: ['Reviewers'],
  }),
  expiresAt: Type.Optional(Timestamp),
})
export type NewShareLink = Static<typeof NewShareLink>

const path = '/api/projects/:slug/visibility'
const links = '/api/projects/:slug/share-links'

/** Who can see the site of a project, its previews and its changelog. */
export const visibility = {
  read: endpoint({
    method: 'GET',
    path,
    summary: 'Read who can see the site',
    access: 'admin',
    params: SlugParams,
    reply: Visibility,
    status: 200,
  }),
  set: endpoint({
    method: 'PUT',
    path,
    summary: 'Make the site private, or public',
    description:
      'A private site, with its domains, previews and changelog, is shown to members who are signed in, to keys with ' +
      'the scope `read` (`Authorization: Bearer`), and to whoever has a share link or the password. From the next ' +
      'request on; no cache on the way may keep it. Made public, it forgets its password and links.',
    access: 'admin',
    params: SlugParams,
    body: Type.Object({ visibility: Shown }),
    reply: Visibility,
    status: 200,
  }),
  setPassword: endpoint({
    method: 'PUT',
    path: `${path}/password`,
    summary: 'Set the password of a private site',
    description: 'Whoever came in by the password before has to enter the new one.',
    access: 'admin',
    limit: 'enter',
    params: SlugParams,
    body: Type.Object({ password: NewPassword }),
    reply: Visibility,
    status: 200,
  }),
  removePassword: endpoint({
    method: 'DELETE',
    path: `${path}/password`,
    summary: 'Remove the password of a private site',
    description: 'Whoever came in by it is let in no more.',
    access: 'admin',
    whileSuspended: true,
    params: SlugParams,
    status: 204,
  }),
  createLink: endpoint({
    method: 'POST',
    path: links,
    summary: 'Create a share link to a private site',
    description:
      'Whoever opens it reads the site and its previews, in that browser, for ' +
      `${visibilityLimits.grantDays} days at a time, until it expires or is revoked. A site has at most ` +
      `${visibilityLimits.links}.`,
    access: 'admin',
    params: SlugParams,
    body: NewShareLink,
    reply: Type.Object({
      ...ShareLink.properties,
      url: Type.String({ description: 'The link, with its token. Shown once' }),
    }),
    status: 201,
  }),
  revokeLink: endpoint({
    method: 'DELETE',
    path: links,
    summary: 'Revoke a share link',
    description: 'Whoever came in by it is let in no more, from the next request on.',
    access: 'admin',
    whileSuspended: true,
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
  }),
}
