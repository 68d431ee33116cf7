import { contract } from '../../../contract/index.ts'
import { streamEvents } from '../event-stream.ts'
import { answer, orderOf, settled } from '../order.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

export function deployRoutes(router: Router, { deploys }: Services): void {
  router.route(contract.deploys.create, async ({ body, request, reply }) => {
    const { files, message } = body
    const order = orderOf(request, message)
    return answer(await deploys.deploy(order, files), request, reply)
  })
  router.route(contract.deploys.putObjects, async ({ project, body }) => ({
    oids: [...(await deploys.putObjects(project, body.objects))],
  }))
  router.route(contract.deploys.list, ({ project, query }) => deploys.list(project, query))
  router.route(contract.deploys.read, ({ project, params }) => deploys.read(project, params.id))
  router.route(contract.deploys.events, async ({ project, params, request, reply }) => {
    await streamEvents({ request, reply }, (listener) => deploys.follow(project, params.id, listener))
    return reply
  })
  router.route(contract.deploys.rollback, async ({ body, request }) => {
    const { finished } = await deploys.rollback(orderOf(request, undefined), body.deployId)
    return settled(await finished)
  })
  router.route(contract.files.list, async ({ project }) => ({ items: [...(await deploys.files(project))] }))
}
