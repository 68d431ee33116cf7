import { PassThrough, Readable, Transform, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { advertisementHeader, type Transport } from '../content/transport.ts'
import { Failure } from '../contract/failure.ts'

/** `unknown`: the key is good, but there is no such project for it. */
export type GitAccess = 'granted' | 'unauthenticated' | 'unknown'

export interface GitRoutesOptions {
  readonly transport: Transport
  /** Whether an API key may read a project. Asked for every request, before its body is read. */
  readonly authorize: (key: string, slug: string) => Promise<GitAccess>
  /** The repository of a project. Throws Failure `not_found`. */
  readonly open: (slug: string) => Promise<{ readonly directory: string }>
}

type Params = { repository: string }

/** A fetch names what the client has; even for large histories that is far below this. Bytes, unpacked. */
const maxRequestBytes = 32 * 1024 * 1024
const uploadPackRequest = 'application/x-git-upload-pack-request'
const receivePackRequest = 'application/x-git-receive-pack-request'
const noPush = 'Pushing is not served yet. Publish with `quire deploy` or POST /api/deploy; clone and fetch work.\n'

/**
 * Clone and fetch over smart HTTP at `/git/<slug>.git`, Basic authentication with an API key as the password.
 * Refusals are plain text: that is what git shows to people.
 */
export async function gitRoutes(app: FastifyInstance, options: GitRoutesOptions): Promise<void> {
  // In its own scope: the parsers hand the body on as a stream and must hold for these routes only.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([uploadPackRequest, receivePackRequest], (_request, payload, done) =>
      done(null, payload),
    )
    scope.addHook<{ Params: Params }>('onRequest', (request, reply) => admit(options, request, reply))
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      if (error instanceof Failure) {
        if (error.retryAfter !== undefined) void reply.header('retry-after', String(error.retryAfter))
        return refuse(reply, error.status, `${error.message}\n`)
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
        if (service === 'git-receive-pack') return refuse(reply, 403, noPush)
        if (service !== 'git-upload-pack')
          return refuse(reply, 403, 'Only the smart HTTP protocol is served: use git 1.6.6 or newer.\n')
        const output = await answer(options, request, reply, null)
        return reply.type('application/x-git-upload-pack-advertisement').send(output)
      },
    )
    scope.post<{ Params: Params }>('/git/:repository/git-upload-pack', async (request, reply) => {
      const output = await answer(options, request, reply, decode(request))
      return reply.type('application/x-git-upload-pack-result').send(output)
    })
    scope.post('/git/:repository/git-receive-pack', async (_request, reply) => refuse(reply, 403, noPush))
  })
}

async function admit(
  options: GitRoutesOptions,
  request: FastifyRequest<{ Params: Params }>,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const key = passwordOf(request.headers.authorization)
  const access = key === null ? 'unauthenticated' : await options.authorize(key, slugOf(request))
  if (access === 'granted') return undefined
  if (access === 'unknown') return refuse(reply, 404, 'There is no such project, or the key is for another one.\n')
  return refuse(
    reply.header('www-authenticate', 'Basic realm="Quire", charset="UTF-8"'),
    401,
    'Sign in with any user name and an API key as the password.\n',
  )
}

/** https://www.rfc-editor.org/rfc/rfc7617; the user name is not looked at. */
function passwordOf(header: string | undefined): string | null {
  const encoded = /^basic +([a-z0-9+/=_-]+) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return null
  const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return password ?? null
}

function slugOf(request: FastifyRequest<{ Params: Params }>): string {
  return request.params.repository.replace(/\.git$/, '')
}

async function answer(
  { transport, open }: GitRoutesOptions,
  request: FastifyRequest<{ Params: Params }>,
  reply: FastifyReply,
  input: Readable | null,
): Promise<Readable> {
  const { directory } = await open(slugOf(request))
  const header = request.headers['git-protocol']
  const protocol = typeof header === 'string' ? header : undefined
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const output = await transport.uploadPack({
    directory,
    protocol,
    input,
    signal: gone.signal,
    onError: (message) => request.log.warn({ repository: directory }, message),
  })
  void reply.header('cache-control', 'no-cache, max-age=0, must-revalidate').header('vary', 'Git-Protocol')
  if (input !== null || protocol === 'version=2') return output
  const headed = new PassThrough()
  headed.write(advertisementHeader)
  return pipeline(output, headed, (error) => {
    if (error) output.destroy()
  })
}

/** The body of a request, unpacked and bounded: a few compressed bytes may stand for gigabytes. */
function decode(request: FastifyRequest): Readable {
  const body = request.body
  if (!(body instanceof Readable)) throw new Failure('unsupported_media_type', `The body must be ${uploadPackRequest}.`)
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding))
    throw new Failure('unsupported_media_type', `The content encoding ${encoding} is not supported.`)
  let bytes = 0
  const bound = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxRequestBytes) done(new Failure('request_too_large', 'The request of this fetch is too large.'))
      else done(null, chunk)
    },
  })
  const ended = (error: Error | null | undefined) => {
    if (error) request.log.warn({ err: error }, 'a fetch sent a bad request')
  }
  return encoding === 'identity' ? pipeline(body, bound, ended) : pipeline(body, createGunzip(), bound, ended)
}

function refuse(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(text)
}
