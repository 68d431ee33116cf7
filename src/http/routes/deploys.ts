import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deploy } from '../../contract/deploys.ts'
import { Failure } from '../../contract/failure.ts'
import { contract } from '../../contract/index.ts'
import { failureOfDeploy } from '../../deploying/deploys.ts'
import type { AcceptedDeploy, DeployOrder } from '../../deploying/ports.ts'
import { authorOf } from '../author.ts'
import { streamEvents } from '../event-stream.ts'
import type { Router } from '../route.ts'
import type { Services } from '../services.ts'

const maxKeyLength = 255

export function deployRoutes(router: Router, { deploys }: Services): void {
  router.route(contract.deploys.create, async ({ body, request, reply }) => {
    const { files, message } = body
    const order = orderOf(request, message)
    return answer(await deploys.deploy(order, files), request, reply)
  })
  router.route(contract.deploys.putObjects, async ({ body, request }) => ({
    oids: [...(await deploys.putObjects(projectOf(request), body.objects))],
  }))
  router.route(contract.deploys.list, ({ params, query }) => deploys.list(params.slug, query))
  router.route(contract.deploys.read, ({ params }) => deploys.read(params.slug, params.id))
  router.route(contract.deploys.events, async ({ params, request, reply }) => {
    await streamEvents({ request, reply }, (listener) => deploys.follow(params.slug, params.id, listener))
    return reply
  })
  router.route(contract.deploys.rollback, async ({ body, request }) => {
    const { finished } = await deploys.rollback(orderOf(request, undefined), body.deployId)
    return settled(await finished)
  })
  router.route(contract.files.list, async ({ params }) => ({ items: [...(await deploys.files(params.slug))] }))
}

/** The project that the access check found. */
function projectOf(request: FastifyRequest): string {
  if (request.project === null) throw new Error(`${request.url} has no project`)
  return request.project
}

function orderOf(request: FastifyRequest, message: string | undefined): DeployOrder {
  if (request.caller === null) throw new Error(`${request.url} has no caller`)
  const key = request.headers['idempotency-key']
  if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > maxKeyLength)) {
    throw new Failure('invalid_request', `The Idempotency-Key must have 1 to ${maxKeyLength} characters.`)
  }
  return {
    slug: projectOf(request),
    author: authorOf(request.caller),
    receivedAt: request.receivedAt,
    ...(message === undefined ? {} : { message }),
    ...(key === undefined || request.bodyHash === null ? {} : { idempotency: { key, body: request.bodyHash } }),
  }
}

function settled(deploy: Deploy): Deploy {
  const failure = failureOfDeploy(deploy)
  if (failure !== null) throw failure
  return deploy
}

/** RFC 7240: at once with 202 where the client prefers that, else when the site is live. */
async function answer(accepted: AcceptedDeploy, request: FastifyRequest, reply: FastifyReply): Promise<Deploy> {
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
