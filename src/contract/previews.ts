import { Type } from 'typebox'
import { Branch } from './branches.ts'
import { Message, Oid, Slug } from './common.ts'
import { DeployFile } from './deploys.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'

const Name = Type.String({ maxLength: 1000, description: 'Of the branch', examples: ['pr-12'] })
const Project = Type.Optional({ ...Slug, description: 'Needed with a session; a key’s own project otherwise.' })
const ExpectedHead = Type.Optional({
  ...Oid,
  description:
    'The branch’s commit that goes. Absent: what was sent this way last, and nothing that others saved since',
})

/** Branches that are made of whole folders, such as those of pull requests. */
export const previews = {
  create: endpoint({
    method: 'POST',
    path: '/api/preview',
    grows: true,
    summary: 'Make files a branch, with its preview',
    description:
      'Replaces all files of the branch; makes it, which counts as a generation of the plan, where there is none. The ' +
      'same files again change nothing. What others saved on the branch since is not replaced (409 `branch_edited`, with ' +
      'its `head`), unless `expectedHead` names it. Answers when that is durable; `preview` of the branch tells how its ' +
      'build goes.',
    access: 'deploy',
    limit: 'deploy',
    query: Type.Object({ project: Project }),
    body: Type.Object({
      branch: Name,
      files: Type.Array(DeployFile, { minItems: 1, maxItems: limits.files }),
      message: Type.Optional(Message),
      expectedHead: ExpectedHead,
    }),
    bodyLimit: limits.requestBytes,
    reply: Branch,
    status: 200,
    creates: true,
    failures: [
      'branch_edited',
      'branch_name_conflict',
      'invalid_branch_name',
      'stale_ref',
      'request_too_large',
      'file_too_large',
      'invalid_path',
      'missing_objects',
      'quota_exceeded',
    ],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/preview',
    summary: 'Delete a branch that was made of files',
    description:
      'With its preview. What others saved on it since is kept (409 `branch_edited`), unless `expectedHead` names it.',
    access: 'deploy',
    query: Type.Object({ project: Project, branch: Name, expectedHead: ExpectedHead }),
    status: 204,
    failures: ['branch_edited', 'stale_ref', 'invalid_branch_name'],
  }),
}
