import type { FastifyReply } from 'fastify'
import type { DeployEvent } from '../../../contract/deploys.ts'
import { contract } from '../../../contract/index.ts'
import type { DeployListener } from '../../../deploying/run.ts'
import { EventStream } from '../../../lib/event-stream.ts'
import { answer, triggerOf, settled } from '../deploy-requests.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

/** Counts come with every page: this often is enough to watch. */
const progressEveryMs = 50

export function deployRoutes(router: Router, { deploys }: Services): void {
  router.route(contract.deploys.create, async ({ body, request, reply }) => {
    const { files, message } = body
    const trigger = triggerOf(request, message)
    return answer(await deploys.deploy(trigger, files), request, reply)
  })
  router.route(contract.deploys.putObjects, async ({ project, body }) => ({
    oids: [...(await deploys.putObjects(project, body.objects))],
  }))
  router.route(contract.deploys.list, ({ project, query }) => deploys.list(project, query))
  router.route(contract.deploys.read, ({ project, params }) => deploys.read(project, params.id))
  router.route(contract.deploys.events, async ({ project, params, reply }) => {
    await streamEvents(reply, (listener) => deploys.follow(project, params.id, listener))
    return reply
  })
  router.route(contract.deploys.rollback, async ({ body, request }) => {
    const { finished } = await deploys.rollback(triggerOf(request, undefined), body.deployId)
    return settled(await finished)
  })
  router.route(contract.files.list, async ({ project }) => ({ items: [...(await deploys.files(project))] }))
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
