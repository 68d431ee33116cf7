import { Type, type Static } from 'typebox'
import { ListQuery, Slug, SlugParams, Timestamp, listOf } from './common.ts'
import { Deploy } from './deploys.ts'
import { endpoint } from './endpoint.ts'
import { ScopeSchema } from './keys.ts'
import { Role } from './members.ts'
import { patterns } from './patterns.ts'

export const Plan = Type.Union([Type.Literal('free'), Type.Literal('pro')])
export type Plan = Static<typeof Plan>

export const OnError = Type.Union([Type.Literal('refuse'), Type.Literal('keep-old-page')], {
  description:
    'What becomes of a page that cannot be compiled: `refuse`, nothing goes live; `keep-old-page`, readers get the page as it was when it last could be (one that was never live is left out), and everything else goes live, with the errors in the report of the deploy',
})
export type OnError = Static<typeof OnError>

const Title = Type.String({ minLength: 1, maxLength: 200 })
const NewTitle = Type.String({ maxLength: 200, pattern: patterns.line.pattern })

/** By the operator of the service: shown to members alone, and not changed. */
export const Suspended = Type.Object({
  since: Timestamp,
  reason: Type.Optional(Type.String({ description: 'In the operator’s words' })),
})

export const Project = Type.Object({
  slug: Slug,
  title: Title,
  url: Type.String({ description: 'The live site' }),
  plan: Plan,
  cloneUrl: Type.String(),
  createdAt: Timestamp,
  role: Type.Optional(Role),
  scopes: Type.Optional(
    Type.Array(ScopeSchema, {
      description: 'What you may do with it: what your role allows, or the scopes of your key',
    }),
  ),
  suspended: Type.Optional({
    ...Suspended,
    description:
      'By the operator of the service: its members read and clone it, nobody else sees it, and changes are refused with `project_suspended`',
  }),
  onError: Type.Optional(OnError),
  privateSince: Type.Optional({
    ...Timestamp,
    description: 'Since when not everybody sees its site; absent for one that is public',
  }),
  live: Type.Optional(Deploy),
  latest: Type.Optional({ ...Deploy, description: 'The newest deploy, whatever became of it' }),
})
export type Project = Static<typeof Project>

export const projects = {
  create: endpoint({
    method: 'POST',
    path: '/api/projects',
    grows: true,
    summary: 'Create a project',
    access: 'account',
    body: Type.Object({ slug: Slug, title: Type.Optional(NewTitle) }),
    reply: Project,
    status: 201,
    failures: ['project_exists', 'too_many_projects'],
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/projects',
    summary: 'List your projects',
    description: 'With a key: the key’s project.',
    access: 'account',
    keys: true,
    query: ListQuery,
    reply: listOf(Project),
    status: 200,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/projects/:slug',
    summary: 'Read a project',
    access: 'read',
    params: SlugParams,
    reply: Project,
    status: 200,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/projects/:slug',
    summary: 'Change a project: its title, its slug, or what becomes of pages that cannot be compiled',
    description:
      'With another slug the site has another host, and the API and Git other paths. For as long as the service keeps the old slug (`SLUG_RESERVED_DAYS`) sites, previews, feeds and `GET` requests redirect from it, other requests are refused with a hint, and Git takes it as before.',
    access: 'admin',
    params: SlugParams,
    body: Type.Object(
      { title: Type.Optional(NewTitle), slug: Type.Optional(Slug), onError: Type.Optional(OnError) },
      { minProperties: 1 },
    ),
    reply: Project,
    status: 200,
    failures: ['project_exists'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:slug',
    summary: 'Delete a project with its repository and site',
    description: 'Its slug is kept for its owner for a while (`SLUG_RESERVED_DAYS`).',
    access: 'admin',
    audit: false,
    params: SlugParams,
    status: 204,
    failures: ['deploy_in_progress'],
  }),
  fsck: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/fsck',
    summary: 'Check the repository',
    description:
      'Reads every object, as `git fsck --full --strict` does: seconds on a large repository. One at a time and four an hour for each project; more are refused with `rate_limited`.',
    access: 'admin',
    audit: false,
    params: SlugParams,
    reply: Type.Object({
      problems: Type.Array(Type.String(), { description: 'Git’s complaints; empty when it is sound' }),
    }),
    status: 200,
  }),
}
