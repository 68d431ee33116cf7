import { contract } from '../../../contract/index.ts'
import { streamEvents } from '../event-stream.ts'
import { answer, orderOf, projectOf, settled } from '../order.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

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
