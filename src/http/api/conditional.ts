import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CachedResponse } from '../../changelog/response-cache.ts'
import { Failure } from '../../contract/failure.ts'
import { acceptedEncoding } from '../../hosting/serving/negotiate.ts'

/** What a client knows of the file that it changes. */
export type Condition =
  | { readonly kind: 'oid'; readonly oid: string }
  | { readonly kind: 'present' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'none' }

/** `If-Match` and `If-None-Match` (RFC 9110, 13.1) of a request that changes a file. The tags are ids of blobs. */
export function conditionOf(request: FastifyRequest): Condition {
  const match = request.headers['if-match']
  const noneMatch = request.headers['if-none-match']
  if (match !== undefined && noneMatch !== undefined) throw wrong('Send either `If-Match` or `If-None-Match`.')
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === '*') return { kind: 'absent' }
    throw wrong('`If-None-Match` of a save can only be `*`: there must be no such file.')
  }
  if (match === undefined) return { kind: 'none' }
  if (match.trim() === '*') return { kind: 'present' }
  const oid = /^\s*"?([0-9a-f]{40})"?\s*$/.exec(match)?.[1]
  if (oid !== undefined) return { kind: 'oid', oid }
  throw wrong('`If-Match` must be the id of the file’s content in quotes, as its `ETag` and `oid` say, or `*`.')
}

/** True when the client has this very content: answer 304. Sets the `ETag`. */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, oid: string): boolean {
  void reply.header('etag', `"${oid}"`).header('cache-control', 'private, no-cache')
  return tagsOf(request)?.some((tag) => tag === '*' || tag === `"${oid}"`) === true
}

/**
 * Whether a client’s copy is still right: by its tag, and without one by its date (RFC 9110, 13.2.2). Another date than
 * ours, even a later one, is that of another copy: what is withdrawn, restored or renamed may take the date back.
 */
function isUnmodified(
  request: FastifyRequest,
  current: { readonly tags: readonly string[]; readonly modifiedAt?: Date },
): boolean {
  const tags = tagsOf(request)
  if (tags !== undefined) return tags.some((tag) => tag === '*' || current.tags.includes(tag))
  return current.modifiedAt?.getTime() === Date.parse(request.headers['if-modified-since'] ?? '')
}

/** Those of `If-None-Match`, compared weakly. */
function tagsOf(request: FastifyRequest): readonly string[] | undefined {
  return request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
}

function wrong(message: string): Failure {
  return new Failure('invalid_request', message)
}

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
