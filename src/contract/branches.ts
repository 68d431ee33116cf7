import { Type, type Static } from 'typebox'
import { Encoding, Id, ListQuery, Message, Oid, SlugParams, Timestamp, listOf } from './common.ts'
import { FileDiff, HistoryCommit, Resolutions } from './comparisons.ts'
import { Deploy } from './deploys.ts'
import { endpoint } from './endpoint.ts'
import { FileContent, FilePath, FileStatus, ProjectFile } from './files.ts'
import { limits } from './limits.ts'

export type { Conflict, DiffHunk, FileDiff, HistoryCommit, Resolution } from './comparisons.ts'

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

export const BranchFileContent = Type.Object({ ...FileContent.properties, status: FileStatus, commit: Oid })
export type BranchFileContent = Static<typeof BranchFileContent>

export const SavedFile = Type.Object({
  path: Type.String(),
  oid: Type.Union([Oid, Type.Null()], { description: 'Null: there is no such file now' }),
  commit: Oid,
})
export type SavedFile = Static<typeof SavedFile>

/** A change of one file. `content: null` deletes it; `expectedOid: null` wants that there is none yet. */
export const BranchChange = Type.Object({
  path: FilePath,
  content: Type.Union([Type.String(), Type.Null()]),
  encoding: Type.Optional(Encoding),
  expectedOid: Type.Optional(
    Type.Union([Oid, Type.Null()], {
      description: 'Refuses with 412 when the file is another one. Absent: whatever is there',
    }),
  ),
})
export type BranchChange = Static<typeof BranchChange>

const BranchParams = Type.Object({ ...SlugParams.properties, id: Id })
const FileParams = Type.Object({ ...BranchParams.properties, path: FilePath })
const base = '/api/projects/:slug/branches'
const branchPath = `${base}/:id` as const
const filePath = `${branchPath}/files/:path*` as const

const saveFailures = ['stale_file', 'stale_ref', 'invalid_path', 'file_too_large', 'request_too_large'] as const
const listing = {
  create: endpoint({
    method: 'POST',
    path: base,
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
    path: base,
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
    params: BranchParams,
    reply: Branch,
    status: 200,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: base,
    summary: 'Delete a branch with its files and preview',
    description: 'Cannot be undone.',
    access: 'write',
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
    failures: ['stale_ref'],
  }),
}

const fileEndpoints = {
  files: endpoint({
    method: 'GET',
    path: `${branchPath}/files`,
    summary: 'List the files of a branch',
    description: 'With what the branch changed since it left main; deleted files are listed, too.',
    access: 'read',
    params: BranchParams,
    reply: Type.Object({ head: Oid, items: Type.Array(ProjectFile) }),
    status: 200,
  }),
  readFile: endpoint({
    method: 'GET',
    path: filePath,
    summary: 'Read a file of a branch',
    description: 'The `ETag` is the id of its blob: send it as `If-Match` with a save.',
    access: 'read',
    params: FileParams,
    reply: BranchFileContent,
    status: 200,
  }),
  saveFile: endpoint({
    method: 'PUT',
    path: filePath,
    grows: true,
    summary: 'Save a file',
    description:
      'Over an existing file only with `If-Match`: its id in quotes, or `*` for whatever is there. ' +
      '`If-None-Match: *` saves only a new file. Answers when the commit is durable: with 201 where there was no such file.',
    access: 'write',
    params: FileParams,
    body: Type.Object({ content: Type.String(), encoding: Type.Optional(Encoding), message: Type.Optional(Message) }),
    bodyLimit: limits.requestBytes,
    reply: SavedFile,
    status: 200,
    creates: true,
    failures: [...saveFailures, 'precondition_required'],
  }),
  removeFile: endpoint({
    method: 'DELETE',
    path: filePath,
    summary: 'Delete a file',
    description:
      'With `If-Match`, as a save: the id of what is to go in quotes, or `*` for whatever is there. Main keeps the file ' +
      'until the branch is published.',
    access: 'write',
    params: FileParams,
    reply: SavedFile,
    status: 200,
    failures: ['stale_file', 'stale_ref', 'precondition_required'],
  }),
  commit: endpoint({
    method: 'POST',
    path: `${branchPath}/commits`,
    grows: true,
    summary: 'Save several changes as one commit',
    access: 'write',
    params: BranchParams,
    body: Type.Object({
      message: Type.Optional(Message),
      changes: Type.Array(BranchChange, { minItems: 1, maxItems: limits.files }),
    }),
    bodyLimit: limits.requestBytes,
    reply: Type.Object({
      commit: Oid,
      files: Type.Array(Type.Object({ path: Type.String(), oid: Type.Union([Oid, Type.Null()]) })),
    }),
    status: 201,
    failures: saveFailures,
  }),
  restore: endpoint({
    method: 'POST',
    path: `${branchPath}/restore`,
    grows: true,
    summary: 'Take main’s version of a file back',
    description: 'A file that main does not have is deleted.',
    access: 'write',
    params: BranchParams,
    body: Type.Object({
      path: FilePath,
      expectedOid: Type.Optional(Type.Union([Oid, Type.Null()], { description: 'What it is on the branch now' })),
    }),
    reply: SavedFile,
    status: 200,
    failures: ['stale_file', 'stale_ref', 'invalid_path'],
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
    reply: Type.Object({ base: Type.Optional(Oid), head: Oid, files: Type.Array(FileDiff) }),
    status: 200,
  }),
  history: endpoint({
    method: 'GET',
    path: `${branchPath}/history`,
    summary: 'Commits of a branch or of one of its files',
    description: 'With `path`, also from when the file had another name.',
    access: 'read',
    params: BranchParams,
    query: Type.Object({ ...ListQuery.properties, path: Type.Optional(FilePath) }),
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

export const branches = { ...listing, ...fileEndpoints, ...comparing }
