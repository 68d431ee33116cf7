import type { FastifyReply } from 'fastify'
import { feedFormats, type FeedCache, type ListCache } from '#changelog/response-cache.ts'
import { feedMinutes } from '#lib/feeds.ts'
import { contract } from '#contract/index.ts'
import type { Changelog } from '#changelog/changelog.ts'
import type { Visibility } from '#visibility/visibility.ts'
import { sendEncoded } from '../conditional.ts'
import type { Router } from '../route.ts'

export interface ChangelogServices {
  readonly changelog: Changelog
  /** Pages of its list. */
  readonly lists: ListCache
  readonly feeds: FeedCache
  readonly visibility: Visibility
}

/** A project's changelog: entries for whoever writes them, feeds for whoever follows it. */
export function changelogRoutes(router: Router, services: ChangelogServices): void {
  entryRoutes(router, services)
  feedRoutes(router, services)
}

/** Entries as JSON. Everybody may read what is published, members the rest. */
function entryRoutes(router: Router, { changelog, lists }: ChangelogServices): void {
  const endpoints = contract.changelog
  router.route(endpoints.create, async ({ projectId, body, request, gone }) => {
    const entry = await changelog.create(projectId, body, gone)
    request.audit = { target: entry.id, detail: entry.status }
    return entry
  })
  router.route(endpoints.update, async ({ projectId, body, request, gone }) => {
    const entry = await changelog.update(projectId, body, gone)
    // No words of the entry: they must be gone when it is deleted.
    request.audit = { target: entry.id, detail: entry.status }
    return entry
  })
  router.route(endpoints.preview, ({ projectId, body, gone }) => changelog.preview(projectId, body, gone))
  router.route(endpoints.remove, async ({ projectId, query }) => {
    await changelog.remove(projectId, query.id, query.if_updated_at)
    return undefined
  })
  router.route(endpoints.list, async ({ projectId, query, request, reply, gone }) => {
    differs(reply)
    const list = await lists.read(projectId, query, {
      audience: request.isMember ? 'members' : 'public',
      signal: gone,
    })
    return sendEncoded(list, { media: 'application/json; charset=utf-8' }, { request, reply })
  })
  router.route(endpoints.read, async ({ projectId, params, request, reply }) => {
    differs(reply)
    return changelog.read(projectId, params.id, request.isMember ? 'members' : 'public')
  })
}

/** Members see more than everybody: no cache may give to one what another one got. */
function differs(reply: FastifyReply): void {
  void reply.header('cache-control', 'private, no-cache')
}

/** The changelog for feed readers, who ask every few minutes for what has not changed. */
function feedRoutes(router: Router, { feeds, visibility }: ChangelogServices): void {
  for (const format of feedFormats) {
    const endpoint = contract.feeds[format]
    router.route(endpoint, async ({ project, request, reply }) => {
      const feed = await feeds.read(project, format)
      const { modifiedAt } = feed
      if (visibility.isPrivate(project.id)) differs(reply)
      else reply.header('cache-control', `public, max-age=${feedMinutes * 60}`)
      return sendEncoded(feed, { media: `${endpoint.media}; charset=utf-8`, modifiedAt }, { request, reply })
    })
  }
}
