import { Type, type Static } from 'typebox'
import { Encoding, ErrorDetail, Id, ListQuery, Message, Oid, Slug, SlugParams, Timestamp, listOf } from './common.ts'
import { CommitComparison } from './comparisons.ts'
import { endpoint } from './endpoint.ts'
import { FilePath } from './files.ts'
import { limits } from './limits.ts'

export const DeployStatus = Type.Union([
  Type.Literal('queued'),
  Type.Literal('building'),
  Type.Literal('live'),
  Type.Literal('failed'),
  Type.Literal('superseded'),
])
export type DeployStatus = Static<typeof DeployStatus>

export const DeployKind = Type.Union([
  Type.Literal('deploy'),
  Type.Literal('publish'),
  Type.Literal('push'),
  Type.Literal('rollback'),
  Type.Literal('preview'),
])
export type DeployKind = Static<typeof DeployKind>

/** Stages of the pipeline in their order; the keys of `stages`. */
export const deployStages = ['receive', 'commit', 'build', 'release', 'point'] as const
export type DeployStage = (typeof deployStages)[number]

export const DeployAuthor = Type.Object({
  kind: Type.Union([Type.Literal('account'), Type.Literal('key')]),
  name: Type.String({ description: 'As commits show it: an account’s address up to its @, a key’s name' }),
})
export type DeployAuthor = Static<typeof DeployAuthor>

export const Deploy = Type.Object({
  id: Type.String(),
  number: Type.Integer({
    minimum: 1,
    description: 'Counts up within the project; `refs/deploys/<number>` in its repository',
  }),
  project: Slug,
  status: DeployStatus,
  kind: DeployKind,
  branch: Type.Optional(Type.String()),
  url: Type.String({ description: 'Where the site is, or will be, live' }),
  message: Type.Optional(Type.String()),
  by: Type.Optional({ ...DeployAuthor, description: 'Who wanted it; absent for deploys of earlier versions' }),
  commit: Type.Optional(Oid),
  mergeCommit: Type.Optional({ ...Oid, description: 'The commit that joins main and the branch that was published' }),
  tree: Type.Optional(Oid),
  rollbackOf: Type.Optional(Type.String({ description: 'Id of the deploy whose release a rollback serves again' })),
  pages: Type.Object({ total: Type.Integer(), built: Type.Integer(), reused: Type.Integer() }),
  errors: Type.Array(ErrorDetail),
  warnings: Type.Array(ErrorDetail),
  counts: Type.Object(
    { errors: Type.Integer(), warnings: Type.Integer() },
    { description: 'All there were; lists of deploys carry only the first few' },
  ),
  stages: Type.Record(Type.String(), Type.Number(), {
    description: 'Milliseconds by stage: receive, commit, build, release, point',
  }),
  durationMs: Type.Optional(Type.Number()),
  createdAt: Timestamp,
  finishedAt: Type.Optional(Timestamp),
})
export type Deploy = Static<typeof Deploy>

/** A file with its content, or with the Git blob id of content that the service already has. */
export const DeployFile = Type.Object({
  path: Type.String({ maxLength: limits.pathBytes, examples: ['index.mdx'] }),
  content: Type.Optional(Type.String({ examples: ['# Hello'] })),
  encoding: Type.Optional(Encoding),
  oid: Type.Optional(Oid),
})
export type DeployFile = Static<typeof DeployFile>

export const DeployRequest = Type.Object({
  files: Type.Array(DeployFile, { minItems: 1, maxItems: limits.files }),
  message: Type.Optional(Message),
  expectedHead: Type.Optional(
    Type.Union([Oid, Type.Null()], {
      description:
        'Main’s commit that the files were compared with, `head` of the list of its files; null: there is none. Refuses ' +
        'with 409 when main is another one. Absent: whatever is there',
    }),
  ),
  strict: Type.Optional(Type.Boolean({ description: 'Warnings are errors: with one, nothing goes live' })),
})
export type DeployRequest = Static<typeof DeployRequest>

export const ObjectsRequest = Type.Object({
  objects: Type.Array(Type.Object({ content: Type.String(), encoding: Type.Optional(Encoding) }), {
    minItems: 1,
    maxItems: limits.files,
  }),
})
export type ObjectsRequest = Static<typeof ObjectsRequest>

/** Progress of a deploy, as `data:` of a server-sent event named by `type`. */
export type DeployEvent =
  | { readonly type: 'stage'; readonly stage: DeployStage; readonly at: string }
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'done'; readonly deploy: Deploy }

/** A key has its project; a session of an account must name one. */
const ProjectQuery = Type.Object({
  project: Type.Optional({
    ...Slug,
    description: 'Project to deploy to. Needed with a session; a key’s own project otherwise.',
  }),
})

export const DeployQuery = Type.Object({
  ...ListQuery.properties,
  status: Type.Optional({ ...DeployStatus, description: 'Only deploys in this state' }),
})
export type DeployQuery = Static<typeof DeployQuery>

const DeployParams = Type.Object({ slug: Slug, id: Id })

export const deploys = {
  create: endpoint({
    method: 'POST',
    path: '/api/deploy',
    grows: true,
    summary: 'Deploy files',
    description:
      'Replaces all files of the key’s project. Waits until the site is live; with `Prefer: respond-async` (RFC 7240) ' +
      'answers 202 at once with the deploy under way; with `wait=<seconds>`, too, as it is when it has ended or the time is ' +
      'up. Files that are live already use none of the quota, and need none.',
    access: 'deploy',
    limit: 'deploy',
    query: ProjectQuery,
    body: DeployRequest,
    bodyLimit: limits.requestBytes,
    reply: Deploy,
    status: 201,
    respondAsync: true,
    idempotent: true,
    failures: [
      'deploy_in_progress',
      'request_too_large',
      'file_too_large',
      'invalid_path',
      'build_failed',
      'missing_objects',
      'quota_exceeded',
      'idempotency_conflict',
      'stale_ref',
    ],
  }),
  putObjects: endpoint({
    method: 'POST',
    path: '/api/deploy/objects',
    grows: true,
    summary: 'Send content ahead of a deploy',
    description:
      'So that a site may be larger than one request. Kept for at least a day. A project may send 512 MB within a day; ' +
      'an object counts for at least 4 KB.',
    access: 'deploy',
    limit: 'objects',
    audit: false,
    query: ProjectQuery,
    body: ObjectsRequest,
    bodyLimit: limits.requestBytes,
    reply: Type.Object({ oids: Type.Array(Oid) }),
    status: 201,
    failures: ['request_too_large', 'file_too_large'],
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/deploys',
    summary: 'List deploys',
    description:
      'Newest first. With `status` a page looks at `limit` deploys: it may have fewer, or none, and a `nextCursor` ' +
      'behind which older ones are.',
    access: 'read',
    forDeploys: true,
    params: SlugParams,
    query: DeployQuery,
    reply: listOf(Deploy),
    status: 200,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/deploys/:id',
    summary: 'Read a deploy',
    access: 'read',
    forDeploys: true,
    params: DeployParams,
    reply: Deploy,
    status: 200,
  }),
  diff: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/deploys/:id/diff',
    summary: 'What a deploy changed',
    description:
      'The files that differ between the commits of two deploys. Without `against`, from what was live before; the ' +
      'first one that went live added everything.',
    access: 'read',
    params: DeployParams,
    query: Type.Object({
      against: Type.Optional({ ...Id, description: 'The deploy to compare with, of any age' }),
      path: Type.Optional(FilePath),
    }),
    reply: CommitComparison,
    status: 200,
  }),
  events: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/deploys/:id/events',
    summary: 'Follow a deploy',
    description: 'Server-sent events `stage`, `progress` and, last, `done` with the final deploy.',
    access: 'read',
    forDeploys: true,
    params: DeployParams,
    status: 200,
    stream: true,
  }),
  rollback: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/rollback',
    summary: 'Serve an earlier deploy again',
    access: 'deploy',
    limit: 'deploy',
    params: SlugParams,
    body: Type.Object({ deployId: Id }),
    reply: Deploy,
    status: 201,
    failures: ['deploy_in_progress', 'release_gone'],
  }),
}
