import { Type, type Static } from 'typebox'
import { Id, ListQuery, SlugParams, Timestamp, listOf } from './common.ts'
import { endpoint, type Scope } from './endpoint.ts'
import { patterns } from './patterns.ts'

export const ScopeSchema = Type.Union([
  Type.Literal('read'),
  Type.Literal('write'),
  Type.Literal('deploy'),
  Type.Literal('generate'),
  Type.Literal('admin'),
])
export const defaultScopes: readonly Scope[] = ['read', 'write', 'deploy', 'generate']

const Name = Type.String({ maxLength: 100, pattern: patterns.line.pattern })

export const Key = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** The first characters, so that people recognise a key; not enough to use it. */
  prefix: Type.String(),
  scopes: Type.Array(ScopeSchema),
  created_at: Timestamp,
  last_used_at: Type.Optional(Timestamp),
  expiresAt: Type.Optional(Timestamp),
})
export type Key = Static<typeof Key>

export const CreatedKey = Type.Object({ ...Key.properties, key: Type.String({ description: 'Shown once' }) })
export type CreatedKey = Static<typeof CreatedKey>

export const keys = {
  create: endpoint({
    method: 'POST',
    path: '/api/projects/:slug/keys',
    summary: 'Create an API key',
    access: 'admin',
    params: SlugParams,
    body: Type.Object({
      name: Name,
      scopes: Type.Optional(
        Type.Array(ScopeSchema, { minItems: 1, maxItems: ScopeSchema.anyOf.length, uniqueItems: true }),
      ),
      expiresAt: Type.Optional(Timestamp),
    }),
    reply: CreatedKey,
    status: 201,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/keys',
    summary: 'List API keys',
    access: 'admin',
    params: SlugParams,
    query: ListQuery,
    reply: listOf(Key),
    status: 200,
  }),
  rename: endpoint({
    method: 'PATCH',
    path: '/api/projects/:slug/keys',
    summary: 'Rename an API key',
    description: 'What it may do stays.',
    access: 'admin',
    params: SlugParams,
    body: Type.Object({ id: Id, name: Name }),
    reply: Key,
    status: 200,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/projects/:slug/keys',
    summary: 'Revoke an API key',
    access: 'admin',
    whileSuspended: true,
    params: SlugParams,
    query: Type.Object({ id: Id }),
    status: 204,
  }),
}
