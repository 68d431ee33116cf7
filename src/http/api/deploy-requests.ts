import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Author } from '../../content/repository.ts'
import type { Deploy } from '../../contract/deploys.ts'
import { Failure } from '../../contract/failure.ts'
import type { DeployTrigger } from '../../deploying/content-source.ts'
import { failureOfDeploy } from '../../deploying/deploys.ts'
import type { AcceptedDeploy } from '../../deploying/ports.ts'
import { authorOf } from '../auth/authenticate.ts'
import { projectOf } from './route.ts'

const maxKeyLength = 255

/** Who stands as the author of what the request brings about. */
export function callerOf(request: FastifyRequest): Author {
  if (request.caller === null) throw new Error(`${request.url} has no caller`)
  return authorOf(request.caller)
}

/** A request for something to go live, with its Idempotency-Key. */
export function triggerOf(request: FastifyRequest, message: string | undefined): DeployTrigger {
  const key = request.headers['idempotency-key']
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > maxKeyLength)) {
    throw new Failure('invalid_request', `The Idempotency-Key must have 1 to ${maxKeyLength} characters.`)
  }
  return {
    projectId: projectOf(request),
    author: callerOf(request),
    receivedAt: request.receivedAt,
    ...(message === undefined ? {} : { message }),
    ...(key === undefined || request.bodyHash === null ? {} : { idempotency: { key, body: request.bodyHash } }),
  }
}

/** The deploy when it went live; else throws why not. */
export function settled(deploy: Deploy): Deploy {
  const failure = failureOfDeploy(deploy)
  if (failure !== null) throw failure
  return deploy
}

/** RFC 7240: at once with 202 where the client prefers that, else when the site is live. */
export async function answer(accepted: AcceptedDeploy, request: FastifyRequest, reply: FastifyReply): Promise<Deploy> {
  const { deploy, finished } = accepted
  if (!prefersAsync(request)) return settled(await finished)
  // Its end is on record and in the log; nobody waits for it here.
  finished.catch(() => undefined)
  reply
    .code(202)
    .header('location', `/api/projects/${deploy.project}/deploys/${deploy.id}`)
    .header('preference-applied', 'respond-async')
  return deploy
}

function prefersAsync(request: FastifyRequest): boolean {
  const prefer = [request.headers['prefer'] ?? []].flat().join(',')
  return prefer.split(',').some((preference) => preference.split(';', 1)[0]?.trim().toLowerCase() === 'respond-async')
}
