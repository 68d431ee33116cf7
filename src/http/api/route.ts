import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { Type, type TSchema } from 'typebox'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from '../../contract/endpoint.ts'
import { limits, type RateLimitName } from '../../contract/limits.ts'
import { anyOrigin, anyOriginPreflight } from '../../lib/any-origin.ts'
import { goneSignal } from '../../lib/client-gone.ts'
import { forOwner } from '../../lib/slices.ts'
import type { ProjectInfo } from '../../projects/projects.ts'
import type { FreeSpace } from '../../storage/free-space.ts'
import type { StorageQuota } from '../../usage/storage-quota.ts'
import { accessCheck, identification, payerOf, type AccessOptions } from '../auth/authenticate.ts'
import { announcedBytes, saidBytes } from '../auth/announced-bytes.ts'
import type { RateLimiter } from '../auth/rate-limiter.ts'
import { expandBody } from './content-coding.ts'
import { validatorOf } from './validate.ts'

/** A checked request to an endpoint. */
export interface Call<E> {
  /** The project that it is about, as it was when the access was checked; throws where the endpoint names none. */
  readonly project: ProjectInfo
  /** Its id. */
  readonly projectId: string
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Aborted with a Failure when the client goes away before it is answered. */
  readonly gone: AbortSignal
}

type Handler<E> = (call: Call<E>) => Promise<ReplyOf<E> | FastifyReply>

export interface RouteOptions {
  /** The scope of the application whose parsers and error handler hold for it; the application itself without. */
  readonly scope?: FastifyInstance
}

/** Lets a request in or throws a Failure, before its body is read. */
type Admission = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

export interface RouterOptions {
  /** Who may call an endpoint. */
  readonly admit: (endpoint: Endpoint) => Admission
  /** Told of what was answered, before that is sent. */
  readonly onAnswer?: (endpoint: Endpoint, request: FastifyRequest, answer: unknown) => Promise<void>
}

/** A last `:name*` in the path of an endpoint. */
const restOfPath = /:([A-Za-z]+)\*$/

/** Parameters by the contract’s names: Fastify calls the rest of a path `*`. */
function named(path: string, params: unknown): unknown {
  const name = restOfPath.exec(path)?.[1]
  if (name === undefined) return params
  const { '*': rest, ...others } = params as Record<string, string>
  return { ...others, [name]: rest }
}

function projectOf({ project, url }: FastifyRequest): ProjectInfo {
  if (project === null) throw new Error(`${url} has no project`)
  return project
}

/** Id of the project that the access check found. */
export function projectIdOf(request: FastifyRequest): string {
  return projectOf(request).id
}

/** Of an endpoint that takes none: an empty object is as good. */
const Nothing = Type.Object({}, { additionalProperties: false })

/** Checks of the parts of a request; OAuth wants parameters ignored that it does not know. */
function checksOf({ method, params, query, body, oauth }: Endpoint) {
  const nothing = oauth === true ? undefined : Nothing
  const schemas = { params, query: query ?? nothing, body: body ?? (method === 'GET' ? undefined : nothing) }
  return {
    params: schemas.params === undefined ? null : validatorOf(schemas.params, 'params'),
    query: schemas.query === undefined ? null : validatorOf(schemas.query, 'query'),
    body: schemas.body === undefined ? null : validatorOf(schemas.body, 'body'),
    // A body of which nothing is required may be left out.
    absent: requiresNothing(schemas.body) ? {} : undefined,
  }
}

/**
 * Lets scripts of all origins read the answer, refusals too. Not that to a member, who sees more: browsers send cookies
 * by themselves.
 */
function forAnyOrigin(admit: Admission): Admission {
  return async (request, reply) => {
    reply.headers(anyOrigin)
    const answer = await admit(request, reply)
    if (request.caller !== null) reply.removeHeader('access-control-allow-origin')
    return answer
  }
}

function requiresNothing(schema: TSchema | undefined): boolean {
  const { type, required } = (schema ?? {}) as { type?: string; required?: readonly string[] }
  return type === 'object' && (required === undefined || required.length === 0)
}

/** What a request leads to is done in the turns of who pays for it. The rest of the hooks runs within `done`. */
function inTurnOfOwner(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  forOwner(payerOf(request) ?? '', done)
}

/** Registers endpoints of the contract: who may call, what may come, what goes out. */
export class Router {
  readonly #app: FastifyInstance
  readonly #options: RouterOptions
  readonly #paths: { readonly pattern: RegExp; readonly method: string }[] = []

  constructor(app: FastifyInstance, options: RouterOptions) {
    this.#app = app
    this.#options = options
  }

  /** Methods that a path takes, for the answer to another one. */
  allowed(path: string): readonly string[] {
    const methods = this.#paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort()
  }

  route<E extends Endpoint>(endpoint: E, handler: Handler<E>, options: RouteOptions = {}): void {
    const { method, path } = endpoint
    const pattern = path.replace(/:[A-Za-z]+(\*?)/g, (_, rest: string) => (rest === '' ? '[^/]+' : '.+'))
    this.#paths.push({ pattern: new RegExp(`^${pattern}/?$`), method })
    const { params, query, body, absent } = checksOf(endpoint)
    const admit = this.#options.admit(endpoint)
    const settings: RouteShorthandOptions = {
      bodyLimit: endpoint.bodyLimit ?? limits.bodyBytes,
      onRequest: [endpoint.anyOrigin === true ? forAnyOrigin(admit) : admit, inTurnOfOwner],
      ...(body === null ? {} : { preParsing: expandBody }),
    }
    const app = options.scope ?? this.#app
    if (endpoint.anyOrigin === true)
      app.options(path, (_request, reply) => reply.code(204).headers(anyOriginPreflight).send())
    app.route({
      method,
      url: path.replace(restOfPath, '*'),
      ...settings,
      handler: async (request, reply) => {
        const call = {
          get project() {
            return projectOf(request)
          },
          get projectId() {
            return projectIdOf(request)
          },
          get gone() {
            return goneSignal(reply.raw)
          },
          params: await params?.(named(path, request.params)),
          query: await query?.(request.query),
          body: await body?.(request.body ?? absent),
          request,
          reply,
        } as Call<E>
        // What a tenant sent may be large, and the handler decides how long it lives.
        request.body = undefined
        if (endpoint.stream !== true) reply.code(endpoint.status)
        // Of one caller, and some of it secret; an endpoint that may be kept says so.
        reply.header('cache-control', 'no-store')
        const work = handler(call)
        // It goes on when its client has gone.
        request.heldBody?.during(work)
        const answer = await work
        await this.#options.onAnswer?.(endpoint, request, answer)
        if (answer === reply) return reply
        return endpoint.status === 204 ? reply.send() : answer
      },
    })
  }
}

/** The limit that a request is in, beside the general one. */
function limitOf({ limit, limitWith }: Endpoint, { query }: FastifyRequest): RateLimitName | undefined {
  return limitWith === undefined || Object.hasOwn(query as object, limitWith) ? limit : undefined
}

interface AdmissionGuards {
  readonly limiter: RateLimiter
  readonly space: Pick<FreeSpace, 'admit'>
  readonly storage: Pick<StorageQuota, 'begin'>
}

/** Counts what a request brings on the storage of its account: at once where it says how much, else as it comes. */
async function admitGrowth(
  request: FastifyRequest,
  reply: FastifyReply,
  storage: Pick<StorageQuota, 'begin'>,
): Promise<void> {
  const owner = payerOf(request)
  if (owner === null) return
  const growth = await storage.begin(owner)
  reply.raw.once('close', growth.end)
  if (reply.raw.destroyed) growth.end()
  const bytes = saidBytes(request)
  growth.add(bytes ?? 0)
  if (bytes === undefined) request.growth = growth
}

/**
 * Who calls, how often, whether they may, and whether there is room: in this order, so that refusals are counted too.
 */
export function admission(endpoint: Endpoint, access: AccessOptions, guards: AdmissionGuards): Admission {
  const { limiter, space, storage } = guards
  const identify = identification(endpoint, access)
  const check = accessCheck(endpoint, access)
  return async (request, reply) => {
    try {
      await identify(request)
    } catch (error) {
      await limiter.countFailure(request, reply)
      throw error
    }
    if (endpoint.uncounted !== true) await limiter.count(request, reply, limitOf(endpoint, request))
    const answer = await check(request, reply)
    if (endpoint.grows === true && answer === undefined) {
      await space.admit(announcedBytes(request, endpoint.bodyLimit ?? limits.bodyBytes))
      await admitGrowth(request, reply, storage)
    }
    return answer
  }
}
