import type { Static, TSchema } from 'typebox'
import type { FailureCode } from './failure.ts'
import type { RateLimitName } from './limits.ts'

/** What a key or a member may do. */
export const scopes = ['read', 'write', 'deploy', 'generate', 'admin'] as const
export type Scope = (typeof scopes)[number]

/**
 * Who may call an endpoint: anybody; a signed-in account; whoever holds a credential of the project in the path (for
 * `/api/deploy`, of the key's project) with that scope; or the operator, who asks over a socket of the data directory.
 */
export type EndpointAccess = 'public' | 'account' | 'operator' | Scope

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * One HTTP operation as data. The Fastify route, the typed client and the OpenAPI document are all made of it, so they
 * cannot disagree.
 */
export interface Endpoint<
  P extends TSchema | undefined = TSchema | undefined,
  Q extends TSchema | undefined = TSchema | undefined,
  B extends TSchema | undefined = TSchema | undefined,
  R extends TSchema | undefined = TSchema | undefined,
> {
  readonly method: Method
  /** Path with `:name` parameters; a last `:name*` takes the rest of the path, slashes included. */
  readonly path: `/${string}`
  readonly summary: string
  readonly description?: string
  readonly access: EndpointAccess
  /** An endpoint of accounts that also takes keys. */
  readonly keys?: true
  /** A public endpoint that shows members more, as that a private project has it at all: a credential is optional, but a wrong one is refused. */
  readonly members?: true
  /** An endpoint with the scope `read` that a deploy needs: keys with the scope `deploy` may call it, too. */
  readonly forDeploys?: true
  /** Scripts of pages on any other origin may read what everybody sees (CORS), never with a credential. */
  readonly anyOrigin?: true
  /** A limit of its own, beside the general one. */
  readonly limit?: RateLimitName
  /** The parameter of the query that makes a request one of `limit`; without it, it is in the general one alone. */
  readonly limitWith?: string
  /** In no limit, whoever asks: one proxy asks for all its visitors, and an answer costs nothing. */
  readonly uncounted?: true
  /** Speaks OAuth: takes forms as well as JSON, and refuses as RFC 6749, 5.2 has it. */
  readonly oauth?: true
  /** Adds content, and is refused when the disk is nearly full. */
  readonly grows?: true
  /** Only takes access away: also where the project is suspended, of which nothing else changes. */
  readonly whileSuspended?: true
  /** A write to a project that its audit log leaves out. */
  readonly audit?: false
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Largest body, bytes; `limits.bodyBytes` without. */
  readonly bodyLimit?: number
  /** Shape of the reply; absent for 204 and event streams. */
  readonly reply?: R
  readonly status: 200 | 201 | 202 | 204
  /** Answers 201 instead where something is there that was not. */
  readonly creates?: true
  /** Media type of a reply that is not JSON, such as a feed. */
  readonly media?: string
  /** The reply is `text/event-stream`. */
  readonly stream?: true
  /** With `stream: true` in its body it is `text/event-stream` instead. */
  readonly streams?: true
  /** Codes that are special to this endpoint (beside invalid_request, unauthenticated, not_found, rate_limited, internal). */
  readonly failures?: readonly FailureCode[]
  /** With `Prefer: respond-async` (RFC 7240) answers 202 at once, with `wait`, too, after so many seconds at most. */
  readonly respondAsync?: true
  /** Honours an `Idempotency-Key` header. */
  readonly idempotent?: true
}

/**
 * Whether an endpoint refuses with `project_suspended` where its project is: what changes something, or shows it to
 * anybody. Members read on.
 */
export function isRefusedWhileSuspended({ method, access, path, whileSuspended }: Endpoint): boolean {
  if (access === 'account' || access === 'operator' || whileSuspended === true) return false
  return access === 'public' ? path.includes('/:slug') : method !== 'GET'
}

type StaticOr<T> = T extends TSchema ? Static<T> : undefined
export type ParamsOf<E> = E extends Endpoint<infer P, infer _Q, infer _B, infer _R> ? StaticOr<P> : never
export type QueryOf<E> = E extends Endpoint<infer _P, infer Q, infer _B, infer _R> ? StaticOr<Q> : never
export type BodyOf<E> = E extends Endpoint<infer _P, infer _Q, infer B, infer _R> ? StaticOr<B> : never
export type ReplyOf<E> = E extends Endpoint<infer _P, infer _Q, infer _B, infer R> ? StaticOr<R> : never

interface Composite {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** The schema with every object in it closed: members that it does not name are not taken. */
function closed<S extends TSchema>(schema: S): S {
  const { properties, items, anyOf } = schema as Composite
  // What the schema is, and that it is optional, stands in members that are not enumerable.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as S
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => [name, closed(member)])
    Object.assign(copy, { properties: Object.fromEntries(members), additionalProperties: false })
  }
  if (items !== undefined) Object.assign(copy, { items: closed(items) })
  if (anyOf !== undefined) Object.assign(copy, { anyOf: anyOf.map(closed) })
  return copy
}

/**
 * Keeps the literal types of an endpoint, and closes what it takes: a name that nobody knows is a mistake, not something
 * to pass over. OAuth wants unknown parameters ignored (RFC 6749, 3.1 and 3.2).
 */
export function endpoint<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
>(definition: Endpoint<P, Q, B, R>): Endpoint<P, Q, B, R> {
  const { body, query, oauth } = definition
  if (oauth === true) return definition
  return {
    ...definition,
    ...(body === undefined ? {} : { body: closed(body) }),
    ...(query === undefined ? {} : { query: closed(query) }),
  }
}
