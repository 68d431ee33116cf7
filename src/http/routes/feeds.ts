import type { FastifyReply, FastifyRequest } from 'fastify'
import { feedFormats, type Feed } from '../../changelog/feed-cache.ts'
import { feedMinutes } from '../../changelog/feeds.ts'
import { contract } from '../../contract/index.ts'
import { Failure } from '../../contract/failure.ts'
import { acceptedEncoding } from '../../hosting/serving/negotiate.ts'
import { isUnmodified } from '../conditions.ts'
import type { Router } from '../route.ts'
import type { Services } from '../services.ts'

/** The changelog for feed readers, who ask every few minutes for what has not changed. */
export function feedRoutes(router: Router, { projects, feeds }: Pick<Services, 'projects' | 'feeds'>): void {
  for (const format of feedFormats) {
    const endpoint = contract.feeds[format]
    router.route(endpoint, async ({ params, request, reply }) => {
      const project = await projects.find(params.slug)
      if (project === null) throw new Failure('not_found', `There is no project ${params.slug}.`)
      return send(await feeds.read(project, format), endpoint.media, { request, reply })
    })
  }
}

async function send(
  feed: Feed,
  media: string | undefined,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const coding = acceptedEncoding(request.headers['accept-encoding'])
  reply.headers({
    'cache-control': `public, max-age=${feedMinutes * 60}`,
    // A coding is a representation of its own (RFC 9110, 8.8.3.3).
    etag: coding === 'identity' ? `"${feed.tag}"` : `"${feed.tag}-${coding}"`,
    'last-modified': feed.modifiedAt.toUTCString(),
    vary: 'accept-encoding',
  })
  const tags = ['', '-br', '-gzip'].map((suffix) => `"${feed.tag}${suffix}"`)
  if (isUnmodified(request, { tags, modifiedAt: feed.modifiedAt })) return reply.code(304).send()
  if (coding !== 'identity') reply.header('content-encoding', coding)
  return reply.type(`${media}; charset=utf-8`).send(await feed.encoded(coding))
}
