import { Type, type Static } from 'typebox'
import { BranchParams, branchesPath, branchFiles, branchPath, branchWriting } from './branch-files.ts'
import { Id, ListQuery, Message, Oid, SlugParams, Timestamp, listOf } from './common.ts'
import { CommitComparison, HistoryCommit, HistoryQuery, Resolutions } from './comparisons.ts'
import { Deploy } from './deploys.ts'
import { endpoint } from './endpoint.ts'
import { FilePath } from './files.ts'
import { limits } from './limits.ts'

export type { BranchChange, BranchFileContent, BranchRender, SavedFile } from './branch-files.ts'
export type {
  CommitComparison,
  Conflict,
  DiffHunk,
  FileDiff,
  HistoryCommit,
  HistoryQuery,
  Resolution,
} from './comparisons.ts'

const { number: _number, ...deploy } = Deploy.properties

/** The latest build of a branch's preview. One that fails leaves the last good one in place. */
export const Preview = Type.Object({
  ...deploy,
  served: Type.Optional({
    ...Oid,
    description: 'The commit that the preview shows now; absent before the first build',
  }),
})
export type Preview = Static<typeof Preview>

export const BranchChanges = Type.Object(
  { added: Type.Integer(), modified: Type.Integer(), deleted: Type.Integer() },
  { description: 'Files that the branch changed since it left main' },
)
export type BranchChanges = Static<typeof BranchChanges>

export const Branch = Type.Object({
  id: Type.String(),
  name: Type.String(),
  previewUrl: Type.String({
    description:
      'On the host `{slug}--{name}.{preview_domain}`. A name that DNS cannot carry (a slash, an underscore), or that ' +
      'makes the label longer than 63 characters, gives a readable part and a hash of 12 characters: `feature/search` ' +
      'of `docs` gives `docs--feature-search--quubmbxpk9sb`',
  }),
  liveUrl: Type.String({
    description:
      'A document on the same host for pages that are not built, which only the dashboard may frame and fill, with what ' +
      '`render` answers',
  }),
  head: Oid,
  base: Type.Optional({
    ...Oid,
    description: 'Last commit that the branch has in common with main; absent without one',
  }),
  upToDate: Type.Boolean({ description: 'Main has nothing that the branch lacks' }),
  changes: BranchChanges,
  preview: Preview,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Branch = Static<typeof Branch>

const listing = {
  create: endpoint({
    method: 'POST',
    path: branchesPath,
    grows: true,
    summary: 'Create a branch',
    description:
      'A copy of main, or of `from`: another branch (its name or id) or a commit. Spaces in the name become hyphens. ' +
      'Counts as a generation of the plan.',
    access: 'write',
    limit: 'branches',
    params: SlugParams,
    body: Type.Object({
      name: Type.String({ maxLength: 1000, examples: ['new-api'] }),
      from: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['main'] })),
    }),
    reply: Branch,
    status: 201,
    failures: ['branch_exists', 'branch_name_conflict', 'invalid_branch_name', 'quota_exceeded'],
  }),
  list: endpoint({
    method: 'GET',
    path: branchesPath,
    summary: 'List branches',
    access: 'read',
    params: SlugParams,
    query: Type.Object({
      ...ListQuery.properties,
      name: Type.Optional(Type.String({ maxLength: 200, description: 'Only the branch of this name' })),
    }),
    reply: listOf(Branch),
    status: 200,
  }),
  read: endpoint({
    method: 'GET',
    path: branchPath,
    summary: 'Read a branch',
    access: 'read',
    forDeploys: true,
    params: BranchParams,
    reply: Branch,
    status: 200,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: branchesPath,
    summary: 'Delete a branch with its files and preview',
    description: 'Cannot be undone.',
    access: 'write',
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
    failures: ['stale_ref'],
  }),
}

const comparing = {
  diff: endpoint({
    method: 'GET',
    path: `${branchPath}/diff`,
    summary: 'What a branch changed since it left main',
    access: 'read',
    params: BranchParams,
    query: Type.Object({
      path: Type.Optional(FilePath),
      commit: Type.Optional({ ...Oid, description: 'Only what this commit of the branch changed' }),
    }),
    reply: CommitComparison,
    status: 200,
  }),
  history: endpoint({
    method: 'GET',
    path: `${branchPath}/history`,
    summary: 'Commits of a branch or of one of its files',
    description: 'With `path`, also from when the file had another name.',
    access: 'read',
    params: BranchParams,
    query: HistoryQuery,
    reply: listOf(HistoryCommit),
    status: 200,
  }),
  update: endpoint({
    method: 'POST',
    path: `${branchPath}/update`,
    grows: true,
    summary: 'Merge main into a branch',
    access: 'write',
    params: BranchParams,
    body: Type.Object({ resolutions: Resolutions }),
    bodyLimit: limits.requestBytes,
    reply: Branch,
    status: 200,
    failures: ['merge_conflict', 'stale_ref', 'invalid_path'],
  }),
  publish: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/publish',
    grows: true,
    summary: 'Publish a branch, or main again',
    description:
      'Merges the branch into main, builds, goes live and deletes the branch. Conflicts refuse it and keep the branch: ' +
      'the problem document lists them as `conflicts`; `resolutions` settle them. Waits until the site is live; with ' +
      '`Prefer: respond-async` answers 202 at once.',
    access: 'deploy',
    limit: 'deploy',
    params: SlugParams,
    body: Type.Object({
      branchId: Type.Optional(Id),
      resolutions: Resolutions,
      message: Type.Optional(Message),
    }),
    bodyLimit: limits.requestBytes,
    reply: Deploy,
    status: 201,
    respondAsync: true,
    idempotent: true,
    failures: [
      'merge_conflict',
      'deploy_in_progress',
      'stale_ref',
      'build_failed',
      'invalid_path',
      'quota_exceeded',
      'idempotency_conflict',
    ],
  }),
}

export const branches = { ...listing, ...branchFiles, ...branchWriting, ...comparing }
