import { Type, type Static } from 'typebox'
import { Check } from './checks.ts'
import { Encoding, ErrorDetail, Id, Message, Oid, SlugParams } from './common.ts'
import { endpoint } from './endpoint.ts'
import { AsOf, FileContent, FilePath, FileStatus, ProjectFile } from './files.ts'
import { limits } from './limits.ts'
import { SearchQuery, SearchResult } from './searches.ts'

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

export const BranchParams = Type.Object({ ...SlugParams.properties, id: Id })
const FileParams = Type.Object({ ...BranchParams.properties, path: FilePath })
export const branchesPath = '/api/projects/:slug/branches'
export const branchPath = `${branchesPath}/:id` as const
const filePath = `${branchPath}/files/:path*` as const

const saveFailures = ['stale_file', 'stale_ref', 'invalid_path', 'file_too_large', 'request_too_large'] as const

/** The files of a branch. */
export const branchFiles = {
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
    query: AsOf,
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

/** A page with what is not saved of it. */
export const BranchRender = Type.Object({
  html: Type.Optional(
    Type.String({
      description:
        'What the page has in its `main`, sanitised; not its place in navigation, which is of the whole site. Absent ' +
        'with errors: show the one before',
    }),
  ),
  title: Type.Optional(Type.String()),
  mode: Type.Optional(Type.Enum(['default', 'wide', 'custom', 'frame', 'center'])),
  styles: Type.Optional(Type.String({ description: 'CSS of the utility classes that it names' })),
  headings: Type.Optional(
    Type.Array(Type.Object({ id: Type.String(), level: Type.Integer(), text: Type.String() }), {
      description: 'Of the levels 2 to 4, in the order of the page',
    }),
  ),
  errors: Type.Array(ErrorDetail, { description: 'Why it cannot be shown, with line and column' }),
  warnings: Type.Array(ErrorDetail, { description: 'Of this page alone; a check also finds dead links' }),
})
export type BranchRender = Static<typeof BranchRender>

/** What the editor of a branch asks while somebody writes. */
export const branchWriting = {
  check: endpoint({
    method: 'POST',
    path: `${branchPath}/check`,
    summary: 'Check changes of a branch without saving them',
    description:
      'What its preview would say with these changes on its head, dead links included; nothing is kept. Only pages that ' +
      'no build has had are rendered: meant to be asked while somebody writes.',
    access: 'write',
    limit: 'checks',
    audit: false,
    params: BranchParams,
    body: Type.Object({ changes: Type.Array(BranchChange, { maxItems: limits.files }) }),
    bodyLimit: limits.requestBytes,
    reply: Check,
    status: 200,
    failures: ['stale_file', 'invalid_path', 'file_too_large', 'request_too_large'],
  }),
  render: endpoint({
    method: 'POST',
    path: `${branchPath}/render`,
    summary: 'Render a page of a branch with what is not saved',
    description:
      'As its preview would show it with `content`, and with other unsaved `changes` such as those of a snippet. Costs ' +
      'that page and not the site, keeps nothing, uses none of the quota. Asked at every pause of a writer: end a request ' +
      'whose text is not the newest any more. A page that cannot be shown answers 200 with `errors`. Images have the ' +
      'addresses that they have in the preview, which has them once they are saved and built. What needs JavaScript of the ' +
      'page itself is shown as in the preview, without it.',
    access: 'write',
    limit: 'renders',
    audit: false,
    params: BranchParams,
    body: Type.Object({
      path: FilePath,
      content: Type.String({ description: 'Source of the page, UTF-8' }),
      changes: Type.Optional(Type.Array(BranchChange, { maxItems: limits.files })),
    }),
    bodyLimit: limits.requestBytes,
    reply: BranchRender,
    status: 200,
    failures: ['stale_file', 'invalid_path', 'file_too_large', 'request_too_large'],
  }),
  search: endpoint({
    method: 'GET',
    path: `${branchPath}/search`,
    summary: 'Search the text files of a branch',
    access: 'read',
    limit: 'searches',
    params: BranchParams,
    query: SearchQuery,
    reply: SearchResult,
    status: 200,
  }),
}
