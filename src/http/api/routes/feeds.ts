import { feedFormats } from '../../../changelog/feed-cache.ts'
import { feedMinutes } from '../../../changelog/feeds.ts'
import { contract } from '../../../contract/index.ts'
import { sendEncoded } from '../encoded.ts'
import type { Router } from '../route.ts'
import type { Services } from '../../services.ts'

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
