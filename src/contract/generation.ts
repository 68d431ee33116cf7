import { Type, type Static } from 'typebox'
import type { Problem } from './common.ts'
import { Id, Slug } from './common.ts'
import { endpoint } from './endpoint.ts'
import { limits } from './limits.ts'
import { patterns } from './patterns.ts'

/** A model of the router, such as `anthropic/claude-sonnet-4.5`. */
const ModelId = Type.String({ minLength: 1, maxLength: 100, pattern: patterns.model.pattern })

export const TokenUsage = Type.Object({
  inputTokens: Type.Integer({ minimum: 0 }),
  outputTokens: Type.Integer({ minimum: 0 }),
  costUsd: Type.Optional(Type.Number({ minimum: 0, description: 'Absent where the price of the model is not known' })),
  estimated: Type.Optional(Type.Boolean({ description: 'The model did not say; counted by the length of the texts' })),
})
export type TokenUsage = Static<typeof TokenUsage>

export const FinishReason = Type.Union([Type.Literal('stop'), Type.Literal('length'), Type.Literal('refused')], {
  description: '`length`: cut off at `maxTokens`; `refused`: the model or its provider would not go on',
})
export type FinishReason = Static<typeof FinishReason>

export const PromptMessage = Type.Object({
  role: Type.Union([Type.Literal('system'), Type.Literal('user'), Type.Literal('assistant')]),
  content: Type.String({ minLength: 1, maxLength: limits.promptBytes }),
})
export type PromptMessage = Static<typeof PromptMessage>

export const GenerationRequest = Type.Object({
  prompt: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.promptBytes, description: 'Short for one message of the user' }),
  ),
  messages: Type.Optional(Type.Array(PromptMessage, { minItems: 1, maxItems: limits.promptMessages })),
  model: Type.Optional({
    ...ModelId,
    description: 'One of the service’s models; without it the default, and its fallback',
  }),
  maxTokens: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'At most what the service allows' }),
  ),
  stream: Type.Optional(Type.Boolean({ description: 'Answers with server-sent events' })),
  generation: Type.Optional({
    ...Id,
    pattern: patterns.generation.pattern,
    description:
      'Requests with the same id, chosen by the caller, are one generation of the plan, within the bounds that ' +
      '`GET /api/proxy/models` tells. Without it each request is one.',
  }),
})
export type GenerationRequest = Static<typeof GenerationRequest>

export const Generation = Type.Object({
  id: Type.String({ description: 'Of the request' }),
  generation: Type.String({ description: 'That it counts for' }),
  content: Type.String(),
  model: Type.String({ description: 'That answered: the fallback where the first could not' }),
  finishReason: FinishReason,
  usage: TokenUsage,
})
export type Generation = Static<typeof Generation>

/** The `data:` of a server-sent event named by `type`. The last is `done` or `error`. */
export type GenerationEvent =
  | { readonly type: 'delta'; readonly text: string }
  | ({ readonly type: 'done' } & Generation)
  | { readonly type: 'error'; readonly problem: Problem }

export const ModelList = Type.Object({
  configured: Type.Boolean({ description: 'Whether this service has a model router' }),
  demo: Type.Optional(Type.Boolean({ description: 'Answers are made up: the service runs with the demo’s router' })),
  default: ModelId,
  models: Type.Array(
    Type.Object({
      id: ModelId,
      inputUsd: Type.Optional(Type.Number({ description: 'For a million tokens' })),
      outputUsd: Type.Optional(Type.Number()),
    }),
  ),
  maxTokens: Type.Integer({ description: 'Longest answer' }),
  promptBytes: Type.Integer({ description: 'Longest messages of a request, together, UTF-8' }),
  generation: Type.Object(
    { requests: Type.Integer(), tokens: Type.Integer() },
    { description: 'What one may comprise' },
  ),
})
export type ModelList = Static<typeof ModelList>

/** A key has its project; a session of an account must name one. */
const ProjectQuery = Type.Object({
  project: Type.Optional({ ...Slug, description: 'Whose plan it counts for. Needed with a session.' }),
})

export const generation = {
  create: endpoint({
    method: 'POST',
    path: '/api/proxy/generate',
    summary: 'Ask a language model',
    description:
      'Takes `prompt` or `messages`. With `stream: true` answers with events `delta`, and last `done` or `error`. Counts ' +
      'as a generation of the plan unless nothing was produced.',
    access: 'generate',
    limit: 'generate',
    audit: false,
    query: ProjectQuery,
    body: GenerationRequest,
    bodyLimit: limits.promptBytes * 2,
    reply: Generation,
    status: 200,
    streams: true,
    idempotent: true,
    failures: [
      'generation_not_configured',
      'generation_failed',
      'generation_rejected',
      'generation_unavailable',
      'request_too_large',
      'quota_exceeded',
      'idempotency_conflict',
    ],
  }),
  models: endpoint({
    method: 'GET',
    path: '/api/proxy/models',
    summary: 'List the models',
    access: 'account',
    keys: true,
    reply: ModelList,
    status: 200,
  }),
}
