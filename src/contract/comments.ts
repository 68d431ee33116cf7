import { Type, type Static } from 'typebox'
import { BranchParams, branchPath } from './branch-files.ts'
import { Id, ListQuery, Timestamp, listOf } from './common.ts'
import { endpoint } from './endpoint.ts'
import { FilePath } from './files.ts'
import { patterns } from './patterns.ts'

export const commentLimits = {
  /** Characters of a comment. */
  text: 10_000,
  /** Characters of the line that a comment is about, as it is kept. */
  quote: 500,
  /** Comments of a branch, and of all branches of a project. */
  ofBranch: 1_000,
  ofProject: 5_000,
  /** Bytes of the texts of one page of the list, about; a page ends early rather than hold more. */
  listBytes: 256 * 1024,
} as const

/** A line as comments keep it, to be told from another one. */
export function quoteOf(line: string): string {
  // Half a character cannot be kept.
  return line
    .slice(0, commentLimits.quote)
    .replace(/[\0\p{Surrogate}]/gu, '\uFFFD')
    .trimEnd()
}

const Text = Type.String({
  minLength: 1,
  maxLength: commentLimits.text,
  pattern: patterns.written.pattern,
  description: 'Plain text; line breaks are kept, and addresses in it can be followed',
})
const Line = Type.Object(
  {
    side: Type.Union([Type.Literal('branch'), Type.Literal('main')], {
      description: 'Whose lines are counted: the branch’s, or those of main where the branch left it',
    }),
    number: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    text: Type.String({
      maxLength: commentLimits.quote,
      pattern: patterns.text.pattern,
      description: `The line, its first ${commentLimits.quote} characters: whoever shows the comment sees by it whether it is still the same`,
    }),
  },
  { description: 'A line of the file. Absent: the comment is about the file' },
)
export type CommentLine = Static<typeof Line>

/** What is commented on: the branch, a file of it, a line of that. */
export interface CommentAnchor {
  readonly path?: string
  readonly line?: CommentLine
}

export const Comment = Type.Object({
  id: Type.String(),
  thread: Type.String({ description: 'The same for all comments that answer each other' }),
  path: Type.Optional(Type.String({ description: 'Absent: the comment is about the branch' })),
  line: Type.Optional(Line),
  text: Text,
  author: Type.Object({
    kind: Type.Union([Type.Literal('account'), Type.Literal('key')]),
    id: Type.String(),
    name: Type.Optional(Type.String({ description: 'As in the list of members; absent: the account was removed' })),
  }),
  resolved: Type.Boolean({ description: 'Of the thread' }),
  createdAt: Timestamp,
  editedAt: Type.Optional(Timestamp),
})
export type Comment = Static<typeof Comment>

export const NewComment = Type.Object({
  text: Text,
  thread: Type.Optional({ ...Id, description: 'To answer in; its place is the comment’s. Absent: a new one' }),
  path: Type.Optional(FilePath),
  line: Type.Optional(Line),
})
export type NewComment = Static<typeof NewComment>

export const CommentChange = Type.Object({
  text: Type.Optional(Text),
  resolved: Type.Optional(Type.Boolean({ description: 'Of its thread' })),
})
export type CommentChange = Static<typeof CommentChange>

export const CommentList = Type.Object({
  ...listOf(Comment).properties,
  openThreads: Type.Integer({ description: 'Threads of the branch that are not resolved' }),
})
export type CommentList = Static<typeof CommentList>

const CommentParams = Type.Object({ ...BranchParams.properties, comment: Id })
const path = `${branchPath}/comments` as const

/** What people say about the changes of a branch. */
export const comments = {
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List the comments on a branch',
    description: 'Newest first. A page may hold fewer than `limit`: `nextCursor` says whether there are more.',
    access: 'read',
    params: BranchParams,
    query: ListQuery,
    reply: CommentList,
    status: 200,
  }),
  create: endpoint({
    method: 'POST',
    path,
    grows: true,
    summary: 'Comment on a branch, a file or a line',
    description:
      `Or answer in a thread. A branch has at most ${commentLimits.ofBranch} comments, a project ` +
      `${commentLimits.ofProject}. They go with the branch.`,
    access: 'write',
    params: BranchParams,
    body: NewComment,
    reply: Comment,
    status: 201,
    failures: ['invalid_path'],
  }),
  update: endpoint({
    method: 'PATCH',
    path: `${path}/:comment`,
    grows: true,
    summary: 'Edit a comment, resolve or reopen its thread',
    description: 'Its author edits it; whoever may write resolves and reopens.',
    access: 'write',
    params: CommentParams,
    body: CommentChange,
    reply: Comment,
    status: 200,
    failures: ['forbidden'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:comment`,
    summary: 'Delete a comment for good',
    description: 'One’s own; those of others who administers the project. Answers to it stay.',
    access: 'write',
    params: CommentParams,
    status: 204,
    failures: ['forbidden'],
  }),
}
