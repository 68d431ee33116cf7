import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Branches } from '#branching/branches.ts'
import type { Author } from '#content/repository.ts'
import type { DeployEvent, Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import type { DeployTrigger } from '#deploying/content-source.ts'
import type { Checks } from '#deploying/checks.ts'
import { failureOfDeploy, type Deploys } from '#deploying/deploys.ts'
import type { AcceptedDeploy } from '#deploying/ports.ts'
import type { DeployListener } from '#deploying/run.ts'
import { EventStream } from '#lib/event-stream.ts'
import { authorOf } from '../../auth/authenticate.ts'
import { idempotencyOf } from '../idempotency-key.ts'
import { projectIdOf, type Router } from '../route.ts'

export interface DeployServices {
  readonly deploys: Deploys
  readonly checks: Pick<Checks, 'upload'>
  readonly branches: Branches
}

/** Counts come with every page: this often is enough to watch. */
const progressEveryMs = 50

export function deployRoutes(router: Router, { deploys, checks, branches }: DeployServices): void {
  router.route(contract.deploys.create, async ({ body, request, reply, gone }) => {
    const { files, message, expectedHead, strict } = body
    const trigger = { ...triggerOf(request, message), signal: gone, ...(strict === true ? { strict } : {}) }
    return answerDeploy(await deploys.deploy(trigger, files, expectedHead), request, reply)
  })
  router.route(contract.checks.create, ({ projectId, body, gone }) => checks.upload(projectId, body.files, gone))
  router.route(contract.deploys.putObjects, async ({ projectId, body }) => ({
    oids: [...(await deploys.putObjects(projectId, body.objects))],
  }))
  router.route(contract.deploys.list, ({ projectId, query }) => deploys.list(projectId, query))
  router.route(contract.deploys.read, ({ projectId, params }) => deploys.read(projectId, params.id))
  router.route(contract.deploys.diff, async ({ projectId, params: { id }, query: { against, path } }) => {
    const range = await deploys.compared(projectId, { id, against })
    return branches.contents.compare(projectId, range, path)
  })
  router.route(contract.deploys.events, async ({ projectId, params, reply }) => {
    await streamEvents(reply, (listener) => deploys.follow(projectId, params.id, listener))
    return reply
  })
  router.route(contract.deploys.rollback, async ({ body, request }) => {
    const { finished } = await deploys.rollback(triggerOf(request, undefined), body.deployId)
    return requireLive(await finished)
  })
}

/** Answers with events until one is `done` or the client goes. Refusals of `follow` are answered as usual. */
async function streamEvents(
  reply: FastifyReply,
  follow: (listener: DeployListener) => Promise<() => void>,
): Promise<void> {
  const early: DeployEvent[] = []
  let send: DeployListener = (event) => early.push(event)
  const stop = await follow((event) => send(event))
  reply.hijack()
  const stream = new EventStream(reply.raw, stop)
  let lastProgress = 0
  send = (event) => {
    if (event.type === 'progress') {
      const now = performance.now()
      // A slow reader misses counts, never stages or the end.
      if (event.done < event.total && (now - lastProgress < progressEveryMs || stream.isBehind)) return
      lastProgress = now
    }
    stream.send(event.type, event)
    if (event.type === 'done') stream.end()
  }
  for (const event of early) send(event)
}

/** Who stands as the author of what the request brings about. */
export function requestAuthor(request: FastifyRequest): Author {
  if (request.caller === null) throw new Error(`${request.url} has no caller`)
  return authorOf(request.caller)
}

/** A request for something to go live, with its Idempotency-Key. */
export function triggerOf(request: FastifyRequest, message: string | undefined): DeployTrigger {
  const idempotency = idempotencyOf(request)
  return {
    projectId: projectIdOf(request),
    author: requestAuthor(request),
    receivedAt: request.receivedAt,
    ...(message === undefined ? {} : { message }),
    ...(idempotency === undefined ? {} : { idempotency }),
  }
}

/** The deploy when it went live; else throws why not. */
export function requireLive(deploy: Deploy): Deploy {
  const failure = failureOfDeploy(deploy)
  if (failure !== null) throw failure
  return deploy
}

/**
 * RFC 7240: at once with 202 where the client prefers that, or after it waited, however the deploy went; else when the
 * site is live.
 */
export async function answerDeploy(
  accepted: AcceptedDeploy,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Deploy> {
  const { deploy, finished } = accepted
  const { isAsync, waitSeconds } = preferencesOf(request)
  if (!isAsync) return requireLive(await finished)
  // Its end is on record and in the log; nobody need wait for it here.
  finished.catch(() => undefined)
  request.heldBody?.during(finished)
  const shown = waitSeconds === 0 ? deploy : await endWithin(waitSeconds * 1000, accepted)
  reply
    .code(202)
    .header('location', `/api/projects/${deploy.project}/deploys/${deploy.id}`)
    .header('preference-applied', waitSeconds === 0 ? 'respond-async' : `respond-async, wait=${waitSeconds}`)
  return shown
}

/** A deploy that is to be answered with 202 is not waited for any longer. */
const longestWaitSeconds = 10

function preferencesOf(request: FastifyRequest): { readonly isAsync: boolean; readonly waitSeconds: number } {
  const prefer = [request.headers['prefer'] ?? []].flat().join(',').toLowerCase()
  const preferences = prefer.split(',').map((preference) => preference.split(';', 1)[0]?.trim() ?? '')
  const seconds = preferences.flatMap((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1] ?? [])[0]
  return {
    isAsync: preferences.includes('respond-async'),
    waitSeconds: Math.min(longestWaitSeconds, Number(seconds ?? 0)),
  }
}

/** The deploy at its end, or as it began when the time is up. Rejects with what broke it off. */
async function endWithin(milliseconds: number, { deploy, finished }: AcceptedDeploy): Promise<Deploy> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Deploy>((resolve) => {
    timer = setTimeout(() => resolve(deploy), milliseconds)
  })
  try {
    return await Promise.race([finished, late])
  } finally {
    clearTimeout(timer)
  }
}
