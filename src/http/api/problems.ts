import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../../contract/common.ts'
import { Failure } from '../../contract/failure.ts'
import { limits } from '../../contract/limits.ts'
import { problemOf } from '../../contract/problem.ts'
import { isClientGone } from '../../lib/client-gone.ts'
import { diskRefusal, takesNoChanges } from '../../lib/disk.ts'
import { shortageOf } from '../../lib/processes.ts'

export const problemType = 'application/problem+json; charset=utf-8'

/** How long a client may go on sending a body that was refused. */
const lingerMs = 15_000

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_')
}

/** The refusal of a body with more than so many bytes. */
export function tooLarge(bodyLimit: number): Failure {
  if (bodyLimit < limits.requestBytes) {
    return new Failure(
      'request_too_large',
      `The request has more than ${bodyLimit / 1024} KB, the most it takes here.`,
      {
        hint: 'Only requests with the content of files may be larger: see /api/docs.',
      },
    )
  }
  return new Failure('request_too_large', `The request has more than ${bodyLimit / 1024 / 1024} MB.`, {
    hint: 'Send content ahead with POST /api/deploy/objects, then deploy with object ids.',
  })
}

/** What Fastify itself refuses, in our words; null for a bug. */
function failureOfFastify(error: FastifyError, bodyLimit: number): Failure | null {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(bodyLimit)
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Failure('unsupported_media_type', 'The body must be application/json.', {
      hint: 'Set Content-Type: application/json.',
    })
  }
  if (error.code === 'FST_ERR_BAD_URL') {
    return new Failure('invalid_request', 'The address is not valid: a % in it does not begin a byte of UTF-8 text.', {
      hint: 'Write % itself as %25.',
    })
  }
  if (error.code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new Failure('invalid_request', 'A part of the address is longer than anything here has for a name.')
  const { statusCode } = error
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null
  return new Failure('invalid_request', error.message.replace(/\.?$/, '.'))
}

/** The failure to show, and whether it hides a bug that belongs in the log. */
function failureFor(error: unknown, bodyLimit: number): { readonly failure: Failure; readonly bug: boolean } {
  if (error instanceof Failure) return { failure: error, bug: error.code === 'internal' }
  const own = isFastifyError(error) ? failureOfFastify(error, bodyLimit) : null
  if (own !== null) return { failure: own, bug: false }
  const refusal = diskRefusal(error)
  // No mistake of ours, and the operator must hear of it.
  if (refusal !== null) return { failure: takesNoChanges(refusal, error), bug: true }
  const shortage = shortageOf(error)
  if (shortage !== null) return { failure: shortage, bug: true }
  return { failure: new Failure('internal', 'The service made a mistake.', { cause: error }), bug: true }
}

/** What a person is told of a failure: of a mistake of the service, how its operator finds it. */
function problemWith({ failure, bug }: ReturnType<typeof failureFor>, { id }: FastifyRequest): Problem {
  const problem = problemOf(failure, bug ? id : undefined)
  if (failure.code !== 'internal' || failure.hint !== undefined) return problem
  return { ...problem, hint: `Tell the operator of the service the request id ${id}: the log has it.` }
}

/** The problem of a request whose answer has begun already; a bug goes to the log. */
export function problemFor(error: unknown, request: FastifyRequest): Problem {
  const found = failureFor(error, request.routeOptions.bodyLimit)
  if (found.bug) request.log.error({ err: error, requestId: request.id }, 'a request failed')
  return problemWith(found, request)
}

/**
 * Lets a refused client finish sending, so that it reads the answer instead of a reset connection, but not for ever:
 * Node reads and drops what comes after the answer.
 */
function linger(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection')
  const { raw } = request
  if (raw.complete) return
  const timer = setTimeout(() => raw.destroy(), lingerMs)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
  raw.resume()
}

/** The answer to an error that a request ended with. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Nobody reads it; by this number whoever counts answers knows.
  if (isClientGone(error, request.raw)) return reply.code(499).send()
  const found = failureFor(error, request.routeOptions.bodyLimit)
  const { failure, bug } = found
  if (bug) request.log.error({ err: error, requestId: request.id }, 'a request failed')
  linger(request, reply)
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(failure.retryAfter)))
  if (failure.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer realm="quire"')
  return reply
    .code(failure.status)
    .header('cache-control', 'no-store')
    .type(problemType)
    .send(JSON.stringify(problemWith(found, request)))
}

/** What somebody reads in a browser whose address leads nowhere. */
export interface NotFoundPage {
  readonly html: string
  /** Its Content-Security-Policy. */
  readonly policy: string
}

/** Every refusal of the API goes through here. @param page for addresses beside the API; without it programs are answered alone. */
export function useProblems(
  app: FastifyInstance,
  allowed: (path: string) => readonly string[],
  page?: NotFoundPage,
): void {
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const methods = allowed(path)
    if (methods.length === 0 && page !== undefined && isVisit(request, path))
      return reply
        .code(404)
        .headers({ 'cache-control': 'no-store', 'content-security-policy': page.policy })
        .type('text/html; charset=utf-8')
        .send(page.html)
    if (methods.length === 0)
      return sendFailure(new Failure('not_found', `There is nothing at ${path}.`), request, reply)
    const failure = new Failure('method_not_allowed', `${path} does not take ${request.method}.`, {
      hint: `It takes ${methods.join(', ')}.`,
    })
    return sendFailure(failure, request, reply.header('allow', methods.join(', ')))
  })
}

/** Whether a browser asks for a page, and not a program for an endpoint or a repository. */
function isVisit({ method, headers }: FastifyRequest, path: string): boolean {
  const reads = method === 'GET' || method === 'HEAD'
  return reads && headers.accept?.includes('text/html') === true && !/^\/(?:api|git)\//.test(path)
}
