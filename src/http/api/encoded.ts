import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CachedResponse } from '../../changelog/response-cache.ts'
import { acceptedEncoding } from '../../hosting/serving/negotiate.ts'
import { isUnmodified } from './conditions.ts'

/**
 * Sends what is held in memory, in the coding that the client likes best; 304 when the client has it already.
 *
 * @param about.media With the character set.
 */
export async function sendEncoded(
  answer: CachedResponse,
  { media, modifiedAt }: { readonly media: string; readonly modifiedAt?: Date },
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const coding = acceptedEncoding(request.headers['accept-encoding'])
  reply.headers({
    // A coding is a representation of its own (RFC 9110, 8.8.3.3).
    etag: coding === 'identity' ? `"${answer.tag}"` : `"${answer.tag}-${coding}"`,
    ...(modifiedAt === undefined ? {} : { 'last-modified': modifiedAt.toUTCString() }),
    vary: 'accept-encoding',
  })
  const tags = ['', '-br', '-gzip'].map((suffix) => `"${answer.tag}${suffix}"`)
  if (isUnmodified(request, { tags, ...(modifiedAt === undefined ? {} : { modifiedAt }) }))
    return reply.code(304).send()
  if (coding !== 'identity') reply.header('content-encoding', coding)
  return reply.type(media).send(await answer.encoded(coding))
}
