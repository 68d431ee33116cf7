import type { FastifyReply } from 'fastify'
import { contract } from '../../../contract/index.ts'
import { sendEncoded } from '../encoded.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

/** Entries of the changelog as JSON. Everybody may read what is published, members the rest. */
export function changelogRoutes(router: Router, { changelog, lists }: Services): void {
  const endpoints = contract.changelog
  router.route(endpoints.create, async ({ project, body, request }) => {
    const entry = await changelog.create(project, body)
    request.audit = { target: entry.id, detail: entry.status }
    return entry
  })
  router.route(endpoints.update, async ({ project, body, request }) => {
    const entry = await changelog.update(project, body)
    // No words of the entry: they must be gone when it is deleted.
    request.audit = { target: entry.id, detail: entry.status }
    return entry
  })
  router.route(endpoints.remove, async ({ project, query }) => {
    await changelog.remove(project, query.id)
    return undefined
  })
  router.route(endpoints.list, async ({ project, query, request, reply }) => {
    differs(reply)
    const list = await lists.read(project, query, request.isMember ? 'members' : 'public')
    return sendEncoded(list, { media: 'application/json; charset=utf-8' }, { request, reply })
  })
  router.route(endpoints.read, async ({ project, params, request, reply }) => {
    differs(reply)
    return changelog.read(project, params.id, request.isMember ? 'members' : 'public')
  })
}

/** Members see more than everybody: no cache may give to one what another one got. */
function differs(reply: FastifyReply): void {
  void reply.header('cache-control', 'private, no-cache')
}
