import type { FastifyReply } from 'fastify'
import { feedFormats } from '../../../changelog/response-cache.ts'
import { feedMinutes } from '../../../changelog/feeds.ts'
import { contract } from '../../../contract/index.ts'
import type { Services } from '../../services.ts'
import { sendEncoded } from '../conditional.ts'
import type { Router } from '../route.ts'

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

/** The changelog for feed readers, who ask every few minutes for what has not changed. */
export function feedRoutes(router: Router, { projects, feeds }: Pick<Services, 'projects' | 'feeds'>): void {
  for (const format of feedFormats) {
    const endpoint = contract.feeds[format]
    router.route(endpoint, async ({ project, request, reply }) => {
      const feed = await feeds.read(await projects.read(project), format)
      const { modifiedAt } = feed
      reply.header('cache-control', `public, max-age=${feedMinutes * 60}`)
      return sendEncoded(feed, { media: `${endpoint.media}; charset=utf-8`, modifiedAt }, { request, reply })
    })
  }
}
