import { Type, type Static } from 'typebox'
import { ErrorDetail, Slug } from './common.ts'
import { DeployFile } from './deploys.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'

/** What a build would say of files. */
export const Check = Type.Object({
  errors: Type.Array(ErrorDetail, { description: 'None: the files could go live' }),
  warnings: Type.Array(ErrorDetail, { description: 'Dead links, unknown components and the like' }),
  counts: Type.Object({ errors: Type.Integer(), warnings: Type.Integer() }, { description: 'All there were' }),
  pages: Type.Object({ total: Type.Integer(), built: Type.Integer(), reused: Type.Integer() }),
})
export type Check = Static<typeof Check>

export const checks = {
  create: endpoint({
    method: 'POST',
    path: '/api/check',
    summary: 'Check files without deploying them',
    description: 'Builds what a deploy of the same files would build, and keeps nothing of it. Uses none of the quota.',
    access: 'deploy',
    limit: 'deploy',
    audit: false,
    query: Type.Object({ project: Type.Optional({ ...Slug, description: 'Needed with a session.' }) }),
    body: Type.Object({ files: Type.Array(DeployFile, { minItems: 1, maxItems: limits.files }) }),
    bodyLimit: limits.requestBytes,
    reply: Check,
    status: 200,
    failures: ['request_too_large', 'file_too_large', 'invalid_path', 'missing_objects'],
  }),
}
