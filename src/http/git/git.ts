import { PassThrough, pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principal.ts'
import { advertisementHeader, type Transport } from '../../content/git/transport.ts'
import type { MovedRef } from '../../content/push/delivery.ts'
import { maxPackBytes } from '../../content/push/pack-input.ts'
import type { ReceivePack } from '../../content/push/receive-pack.ts'
import type { Author, BareRepository } from '../../content/repository.ts'
import type { Scope } from '../../contract/endpoint.ts'
import { Failure } from '../../contract/failure.ts'
import { ClientGone, isClientGone } from '../../lib/client-gone.ts'
import type { FreeSpace } from '../../storage/free-space.ts'
import type { Growth } from '../../usage/storage-quota.ts'
import { announcedBytes } from '../auth/announced-bytes.ts'
import type { RateLimiter } from '../auth/rate-limiter.ts'

/** How long a client may go on sending after its answer, so that it reads the answer instead of a reset connection. */
const lingerMs = 60_000

/** The holder of an API key, and what the key may do in one project. */
export interface GitCaller {
  readonly caller: Principal
  readonly projectId: string
  readonly may: (scope: Scope) => boolean
  /** Who pushes, as Git names people; the commits of a push have authors of their own. */
  readonly author: Author
  /** Throws Failure `project_suspended` where nothing of the project may change. */
  readonly requireActive: () => void
}

/** `unknown`: the key is good, but there is no such project for it. */
export type GitRefusal = 'unauthenticated' | 'unknown'

export interface GitRoutesOptions {
  readonly transport: Transport
  readonly receivePack: ReceivePack
  /** What an API key may do in a project. Asked for every request, before its body is read. */
  readonly authorize: (key: string, slug: string) => Promise<GitCaller | GitRefusal>
  /** A push counts toward the limit of deploys, every other request toward the limit of all requests of its caller. */
  readonly limiter: Pick<RateLimiter, 'count' | 'countFailure'>
  readonly space: Pick<FreeSpace, 'admit'>
  /** Begins what the owner of a project pays for. */
  readonly grow: (projectId: string) => Promise<Growth>
  /** Told of every branch that a push has moved, before the client is. */
  readonly onMoved: (
    projectId: string,
    request: FastifyRequest,
    moved: MovedRef & Pick<GitCaller, 'caller'>,
  ) => Promise<void>
  /** The repository of a project. Throws Failure `not_found`. */
  readonly open: (projectId: string) => Promise<BareRepository>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request of the Git transport. */
    gitCaller: GitCaller
  }
}

type Params = { repository: string }
type Request = FastifyRequest<{ Params: Params }>

const uploadPackRequest = 'application/x-git-upload-pack-request'
const receivePackRequest = 'application/x-git-receive-pack-request'
const noRead = 'The key lacks the scope read, which clone and fetch need.\n'
const noPush = 'The key may not push: it lacks the scopes write (for branches) and deploy (for main).\n'

/**
 * Clone, fetch and push over smart HTTP at `/git/<slug>.git`, Basic authentication with an API key as the password.
 * Refusals are plain text: that is what git shows to people.
 */
export async function gitRoutes(app: FastifyInstance, options: GitRoutesOptions): Promise<void> {
  // In its own scope: the parsers hand the body on as a stream and must hold for these routes only.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([uploadPackRequest, receivePackRequest], (_request, payload, done) =>
      done(null, payload),
    )
    scope.decorateRequest('gitCaller')
    scope.addHook<{ Params: Params }>('onRequest', (request, reply) => admit(options, request, reply))
    scope.addHook('onResponse', async (request) => lingerAfter(request))
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      if (isClientGone(error, request.raw)) return refuse(reply, 499, '')
      if (error instanceof Failure) {
        if (error.retryAfter !== undefined) void reply.header('retry-after', String(error.retryAfter))
        return refuse(
          reply,
          error.status,
          [error.message, error.hint, ''].filter((line) => line !== undefined).join('\n'),
        )
      }
      const { statusCode = 500 } = error
      if (statusCode < 500) return refuse(reply, statusCode, `${error.message}\n`)
      request.log.error({ err: error }, 'git transport')
      return refuse(reply, 500, `The service made a mistake; it is in the log under ${request.id}.\n`)
    })

    scope.get<{ Params: Params; Querystring: { service?: string } }>(
      '/git/:repository/info/refs',
      async (request, reply) => {
        const { service } = request.query
        if (service === 'git-receive-pack') return advertisePush(options, request, reply)
        if (service !== 'git-upload-pack')
          return refuse(reply, 403, 'Only the smart HTTP protocol is served: use git 1.6.6 or newer.\n')
        if (!request.gitCaller.may('read')) return refuse(reply, 403, noRead)
        const output = await answer(options, request, reply, null)
        return reply.type('application/x-git-upload-pack-advertisement').send(output)
      },
    )
    scope.post<{ Params: Params }>('/git/:repository/git-upload-pack', async (request, reply) => {
      if (!request.gitCaller.may('read')) return refuse(reply, 403, noRead)
      const output = await answer(options, request, reply, bodyOf(request, uploadPackRequest))
      return reply.type('application/x-git-upload-pack-result').send(output)
    })
    scope.post<{ Params: Params }>('/git/:repository/git-receive-pack', (request, reply) =>
      takePush(options, request, reply),
    )
  })
}

const mayPush = ({ may }: GitCaller): boolean => may('write') || may('deploy')

async function advertisePush(options: GitRoutesOptions, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  if (!mayPush(request.gitCaller)) return refuse(reply, 403, noPush)
  request.gitCaller.requireActive()
  const refs = await options.receivePack.advertise(await options.open(request.gitCaller.projectId))
  return uncached(reply).type('application/x-git-receive-pack-advertisement').send(refs)
}

async function takePush(options: GitRoutesOptions, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { gitCaller, log } = request
  if (!mayPush(gitCaller)) return refuse(reply, 403, noPush)
  gitCaller.requireActive()
  await options.space.admit(announcedBytes(request, maxPackBytes))
  const repository = await options.open(request.gitCaller.projectId)
  const growth = await options.grow(repository.projectId)
  reply.raw.once('close', growth.end)
  if (reply.raw.destroyed) growth.end()
  const output = await options.receivePack.receive({
    ...gitCaller,
    onBytes: (bytes) => growth.add(bytes),
    onMoved: (moved) => options.onMoved(repository.projectId, request, { ...moved, caller: gitCaller.caller }),
    repository,
    input: bodyOf(request, receivePackRequest),
    signal: goneSignal(reply),
    onError: (error) => log.error({ err: error, repository: repository.projectId }, 'a push failed'),
  })
  return uncached(reply).type('application/x-git-receive-pack-result').send(output)
}

async function admit(
  options: GitRoutesOptions,
  request: Request,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const key = passwordOf(request.headers.authorization)
  const caller = key === null ? 'unauthenticated' : await options.authorize(key, slugOf(request))
  const { limiter } = options
  if (typeof caller === 'object') {
    request.gitCaller = caller
    request.caller = caller.caller
    await limiter.count(request, reply, isPush(request) ? 'deploy' : undefined)
    return undefined
  }
  // Git asks without a credential first: that is no wrong one.
  if (key !== null && caller === 'unauthenticated') await limiter.countFailure(request, reply)
  else await limiter.count(request, reply, undefined)
  if (caller === 'unknown') return refuse(reply, 404, 'There is no such project, or the key is for another one.\n')
  return refuse(
    reply.header('www-authenticate', 'Basic realm="Quire", charset="UTF-8"'),
    401,
    'Sign in with any user name and an API key as the password.\n',
  )
}

/** The request that moves refs; the one before it only asks what there is. */
function isPush({ method, routeOptions: { url } }: Request): boolean {
  return method === 'POST' && url?.endsWith('/git-receive-pack') === true
}

/** https://www.rfc-editor.org/rfc/rfc7617; the user name is not looked at. */
function passwordOf(header: string | undefined): string | null {
  const encoded = /^basic +([a-z0-9+/=_-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return null
  const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return password ?? null
}

function slugOf(request: Request): string {
  return request.params.repository.replace(/\.git$/, '')
}

async function answer(
  { transport, open }: GitRoutesOptions,
  request: Request,
  reply: FastifyReply,
  input: Readable | null,
): Promise<Readable> {
  const { directory } = await open(request.gitCaller.projectId)
  const header = request.headers['git-protocol']
  const protocol = typeof header === 'string' ? header : undefined
  const output = await transport.uploadPack({
    directory,
    protocol,
    input,
    signal: goneSignal(reply),
    onError: (message) => request.log.warn({ repository: directory }, message),
  })
  void uncached(reply).header('vary', 'Git-Protocol')
  if (input !== null || protocol === 'version=2') return output
  const headed = new PassThrough()
  headed.write(advertisementHeader)
  return pipeline(output, headed, (error) => {
    if (error) output.destroy()
  })
}

function uncached(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-cache, max-age=0, must-revalidate')
}

function refuse(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(text)
}

/** The body, unpacked. Its reader bounds it; what is not read does not end the connection. */
export function bodyOf(request: FastifyRequest, type: string): Readable {
  const body = streamOf(request, type)
  if (!isZipped(request)) return body
  const unzipped = createGunzip()
  body.once('error', (error) => unzipped.destroy(error))
  return body.pipe(unzipped)
}

/** Reads and drops what the client sends after its answer, for a limited time. */
function lingerAfter({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  const timer = setTimeout(() => raw.destroy(), lingerMs)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
  raw.once('end', () => clearTimeout(timer))
  raw.unpipe()
  raw.resume()
}

function streamOf(request: FastifyRequest, type: string): Readable {
  if (request.body instanceof Readable) return request.body
  throw new Failure('unsupported_media_type', `The body must be ${type}.`)
}

function isZipped(request: FastifyRequest): boolean {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding))
    throw new Failure('unsupported_media_type', `The content encoding ${encoding} is not supported.`)
  return encoding !== 'identity'
}

/** Aborted, with `ClientGone`, when the connection ends before the answer has. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (reply.raw.destroyed) gone.abort(new ClientGone())
  reply.raw.once('close', () => gone.abort(new ClientGone()))
  return gone.signal
}
