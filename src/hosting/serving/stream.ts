import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FileRoute } from '../../contract/release.ts'
import type { ByteRange } from '../../storage/blobs.ts'
import { always, fileCaching, fileHeaders, noindex } from './answer.ts'
import { matchingTag, requestedRange } from './negotiate.ts'

/** Bytes read at once: what one slow reader holds in memory. */
const chunkBytes = 256 * 1024

export interface StreamedFile {
  readonly route: FileRoute
  readonly negotiated: boolean
  readonly preview: boolean
  read(range: ByteRange): Promise<Buffer>
}

/** ETag of a file as it is, without encoding. */
export function fileTag(route: FileRoute): string {
  return route.blob.slice(0, 32)
}

/** Sends a file, or the range of it that was asked for, without holding it in memory. */
export async function streamFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: StreamedFile,
): Promise<void> {
  const { route, negotiated, preview } = file
  const etag = `"${fileTag(route)}"`
  const caching = ['ETag', etag, ...fileCaching(route, negotiated)]
  const condition = request.headers['if-none-match']
  if (condition !== undefined && matchingTag(condition, [etag]) !== undefined) {
    response.writeHead(304, caching)
    response.end()
    return
  }
  const range = wantsRange(request, etag) ? requestedRange(request.headers.range, route.size) : 'whole'
  const common = [...fileHeaders(route), ...caching, ...always, ...(preview ? noindex : [])]
  if (range === 'unsatisfiable') {
    response.writeHead(416, [...always, 'Content-Range', `bytes */${route.size}`, 'Content-Length', '0'])
    response.end()
    return
  }
  const part = range === 'whole' ? { start: 0, end: route.size } : range
  const length = String(part.end - part.start)
  if (range === 'whole') response.writeHead(200, [...common, 'Content-Length', length])
  else
    response.writeHead(206, [
      ...common,
      'Content-Length',
      length,
      'Content-Range',
      `bytes ${part.start}-${part.end - 1}/${route.size}`,
    ])
  if (request.method === 'HEAD') response.end()
  else await pipeline(Readable.from(chunks(file, part), { objectMode: false }), response)
}

/** If-Range lets a range through only when the client's part is of the same file (RFC 9110, 13.1.5). */
function wantsRange(request: IncomingMessage, etag: string): boolean {
  const condition = request.headers['if-range']
  return request.method === 'GET' && (condition === undefined || condition === etag)
}

async function* chunks(file: StreamedFile, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += chunkBytes) {
    yield await file.read({ start: at, end: Math.min(at + chunkBytes, end) })
  }
}
