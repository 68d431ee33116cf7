import type { FastifyReply } from 'fastify'
import { contract } from '../../../contract/index.ts'
import { noProject } from '../../../projects/projects.ts'
import { sendEncoded } from '../encoded.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

/** Entries of the changelog as JSON. Everybody may read what is published, members the rest. */
export function changelogRoutes(router: Router, { changelog, lists, projects }: Services): void {
  const endpoints = contract.changelog
  const requireProject = async (slug: string): Promise<void> => {
    if ((await projects.find(slug)) === null) throw noProject(slug)
  }

  router.route(endpoints.create, async ({ params, body, request }) => {
    const entry = await changelog.create(params.slug, body)
    request.audit = { target: entry.id, detail: entry.status }
    return entry
  })
  router.route(endpoints.update, async ({ params, body, request }) => {
    const entry = await changelog.update(params.slug, body)
    // No words of the entry: they must be gone when it is deleted.
    request.audit = { target: entry.id, detail: entry.status }
    return entry
  })
  router.route(endpoints.remove, async ({ params, query }) => {
    await changelog.remove(params.slug, query.id)
    return undefined
  })
  router.route(endpoints.list, async ({ params, query, request, reply }) => {
    differs(reply)
    await requireProject(params.slug)
    const list = await lists.read(params.slug, query, request.isMember ? 'members' : 'public')
    return sendEncoded(list, { media: 'application/json; charset=utf-8' }, { request, reply })
  })
  router.route(endpoints.read, async ({ params, request, reply }) => {
    differs(reply)
    await requireProject(params.slug)
    return changelog.read(params.slug, params.id, request.isMember ? 'members' : 'public')
  })
}

/** Members see more than everybody: no cache may give to one what another one got. */
function differs(reply: FastifyReply): void {
  void reply.header('cache-control', 'private, no-cache')
}
