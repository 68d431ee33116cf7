import { Type, type Static } from 'typebox'
import { Id, ListQuery, Oid, Problem, SlugParams, Timestamp, listOf } from './common.ts'
import { endpoint } from './endpoint.ts'
import { TokenUsage } from './generation.ts'
import { limits } from './limits.ts'

/** What the assistant did between two texts. */
export const AssistantStep = Type.Object({
  id: Type.String(),
  tool: Type.String({ description: 'Such as `read_file`; a name that is no tool was refused' }),
  about: Type.String({ description: 'For people: the file or the words it was about' }),
  outcome: Type.Union([Type.Literal('done'), Type.Literal('failed')]),
  detail: Type.Optional(Type.String({ description: 'What came of it, in a line' })),
})
export type AssistantStep = Static<typeof AssistantStep>

export const AssistantTurn = Type.Object({
  id: Type.String(),
  question: Type.String(),
  answer: Type.String({
    description: 'Markdown that a model wrote, for people to read: load nothing that it links to',
  }),
  steps: Type.Array(AssistantStep),
  status: Type.Union([
    Type.Literal('running'),
    Type.Literal('done'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ]),
  commit: Type.Optional({ ...Oid, description: 'Absent when it changed nothing' }),
  files: Type.Array(Type.String(), { description: 'That the commit changed' }),
  problem: Type.Optional({ ...Problem, description: 'Why it failed or was cut off, in the words of the service' }),
  undone: Type.Optional({ ...Oid, description: 'The commit that took it back' }),
  usage: TokenUsage,
  createdAt: Timestamp,
})
export type AssistantTurn = Static<typeof AssistantTurn>

export const Conversation = Type.Object({
  id: Type.String(),
  title: Type.String({ description: 'The beginning of its first question' }),
  turns: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Conversation = Static<typeof Conversation>

/** The `data:` of a server-sent event named by `type`. The last is `done` or `error`. */
export type AssistantEvent =
  | { readonly type: 'started'; readonly conversation: string; readonly turn: string }
  | { readonly type: 'delta'; readonly text: string }
  | {
      readonly type: 'step'
      readonly step: Omit<AssistantStep, 'outcome'> & { readonly outcome?: AssistantStep['outcome'] }
    }
  | { readonly type: 'done'; readonly turn: AssistantTurn }
  | { readonly type: 'error'; readonly problem: Problem }

const BranchParams = Type.Object({ ...SlugParams.properties, id: Id })
const ConversationParams = Type.Object({ ...BranchParams.properties, conversation: Id })
const path = '/api/projects/:slug/branches/:id/assistant' as const

export const assistant = {
  send: endpoint({
    method: 'POST',
    path,
    grows: true,
    summary: 'Ask the assistant',
    description:
      'Works on the branch alone: lists, reads and searches its files, checks links and pages, and edits. What a turn ' +
      'changed is one commit, made only when the site builds. Events `started`, `delta`, `step`, and last `done` or ' +
      '`error`. Counts as a message to the assistant unless nothing was produced.',
    access: 'write',
    limit: 'generate',
    params: BranchParams,
    body: Type.Object({
      messages: Type.Array(
        Type.Object({
          role: Type.Literal('user'),
          content: Type.String({ minLength: 1, maxLength: limits.assistantMessage }),
        }),
        { minItems: 1, maxItems: 10, description: 'What is new; the service remembers what was said before' },
      ),
      conversation: Type.Optional({ ...Id, description: 'To go on with; absent: a new one' }),
    }),
    bodyLimit: limits.promptBytes,
    status: 200,
    stream: true,
    failures: [
      'generation_not_configured',
      'generation_failed',
      'generation_rejected',
      'generation_unavailable',
      'quota_exceeded',
      'stale_ref',
    ],
  }),
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List conversations with the assistant',
    access: 'write',
    params: BranchParams,
    query: ListQuery,
    reply: listOf(Conversation),
    status: 200,
  }),
  read: endpoint({
    method: 'GET',
    path: `${path}/:conversation`,
    summary: 'Read a conversation',
    access: 'write',
    params: ConversationParams,
    reply: Type.Object({ ...Conversation.properties, turns: Type.Array(AssistantTurn) }),
    status: 200,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:conversation`,
    summary: 'Forget a conversation',
    description: 'Its commits stay.',
    access: 'write',
    params: ConversationParams,
    status: 204,
  }),
  undo: endpoint({
    method: 'POST',
    path: `${path}/:conversation/undo`,
    summary: 'Take back what a turn changed',
    description: 'As a new commit. Refused when the files have changed since.',
    access: 'write',
    params: ConversationParams,
    body: Type.Object({ turn: Id }),
    reply: AssistantTurn,
    status: 200,
    failures: ['stale_file', 'stale_ref'],
  }),
}
