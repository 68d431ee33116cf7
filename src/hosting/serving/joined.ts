import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { limits } from '../../contract/limits.ts'
import type { FileRoute, JoinedPages, JoinedRoute, Sha256 } from '../../contract/release.ts'
import { parseOwnJson } from '../../lib/own-json.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import { encodePath } from '../../lib/url-path.ts'
import { always, head, type RawHeaders } from './answer.ts'
import { acceptedEncoding, matchingTag } from './negotiate.ts'
import type { ServedRelease } from './served.ts'

/** Between two pages, and before the first. */
const between = '\n'
/** Bytes of a page that are read at once: what one slow reader holds in memory. */
const chunkBytes = 256 * 1024
/** Texts that are compressed at a time, for as long as their readers take; whoever comes then gets it as it is. */
const mostCompressed = 8

let compressed = 0

/** A text that is not put together yet: what is in it, and how long it will be. */
interface Plan {
  readonly text: JoinedPages
  /** Pages that find room. */
  readonly count: number
  readonly tail: string
  readonly bytes: number
  readonly tag: string
}

/** The texts of a release that have been asked for, of all who read them at the same time. */
const plans = new WeakMap<ServedRelease, Map<Sha256, Promise<Plan>>>()

/** Sends pages as one text, each with its address, as they are read: a slow reader holds a part of one in memory. */
export async function sendJoined(
  request: IncomingMessage,
  response: ServerResponse,
  {
    served,
    route,
    headers,
  }: { readonly served: ServedRelease; readonly route: JoinedRoute; readonly headers: RawHeaders },
): Promise<void> {
  const plan = await planOf(served, route)
  const isCompressed = compressed < mostCompressed && acceptsGzip(request)
  const tags = [`"${plan.tag}"`, `"${plan.tag}-gzip"`] as const
  const known = matchingTag(request.headers['if-none-match'] ?? '', tags)
  const caching = [
    'ETag',
    known ?? tags[isCompressed ? 1 : 0],
    'Cache-Control',
    'public, max-age=0, must-revalidate',
    'Vary',
    'Accept-Encoding',
  ]
  if (known !== undefined) {
    head(response, 304, caching)
    response.end()
    return
  }
  const length = isCompressed ? ['Content-Encoding', 'gzip'] : ['Content-Length', String(plan.bytes)]
  head(response, 200, ['Content-Type', 'text/plain; charset=utf-8', ...length, ...caching, ...always, ...headers])
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const text = Readable.from(parts(served, plan), { objectMode: false, highWaterMark: chunkBytes })
  if (!isCompressed) return pipeline(text, response)
  compressed += 1
  try {
    await pipeline(text, createGzip({ level: 5 }), response)
  } finally {
    compressed -= 1
  }
  return undefined
}

/** Whether gzip is welcome. Brotli would send nothing before it has read nearly all, and save three percent. */
function acceptsGzip({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && acceptedEncoding(headers['accept-encoding']?.replaceAll(/\bbr\b/g, '')) !== 'identity'
}

function planOf(served: ServedRelease, { blob }: JoinedRoute): Promise<Plan> {
  const known = plans.get(served) ?? new Map<Sha256, Promise<Plan>>()
  plans.set(served, known)
  let plan = known.get(blob)
  if (plan === undefined) {
    plan = served.project.blob(blob).then((bytes) => inSlices(makePlan(served, bytes)))
    plan.catch(() => known.delete(blob))
    known.set(blob, plan)
  }
  return plan
}

function* makePlan(served: ServedRelease, bytes: Buffer): Steps<Plan> {
  const text = (yield* parseOwnJson(bytes)) as JoinedPages
  const hash = createHash('sha256').update(text.head)
  let size = Buffer.byteLength(text.head)
  let count = 0
  for (const url of text.pages) {
    yield
    const markdown = markdownOf(served, url)
    const more = markdown === undefined ? 0 : markdown.size + Buffer.byteLength(between + sourceLine(text, url))
    if (size + more > limits.llmsFullBytes) break
    hash.update(`${url}\0${markdown?.blob ?? ''}\0`)
    size += more
    count += 1
  }
  const left = text.pages.length - count
  const tail = left === 0 ? '' : leftOut(text, left)
  return { text, count, tail, bytes: size + Buffer.byteLength(tail), tag: hash.update(tail).digest('hex').slice(0, 32) }
}

function leftOut({ origin, pages }: JoinedPages, left: number): string {
  const megabytes = limits.llmsFullBytes >> 20
  return `${between}---\n\nThe last ${left} of ${pages.length} pages are left out: this text has at most ${megabytes} MB. ${origin}/llms.txt names all of them, each with the address of its Markdown.\n`
}

function markdownOf({ routes }: ServedRelease, url: string): FileRoute | undefined {
  const page = routes[url]
  const markdown = page?.kind === 'page' && page.markdown !== undefined ? routes[page.markdown] : undefined
  return markdown?.kind === 'file' ? markdown : undefined
}

/** Stands below the title of each page. */
const sourceLine = ({ origin }: JoinedPages, url: string): string => `\nSource: ${origin}${encodePath(url)}\n`

async function* parts(served: ServedRelease, { text, count, tail }: Plan): AsyncGenerator<Buffer> {
  yield Buffer.from(text.head)
  for (const url of text.pages.slice(0, count)) {
    const markdown = markdownOf(served, url)
    if (markdown === undefined) continue
    const { blob, size } = markdown
    for (let at = 0; at < size; at += chunkBytes) {
      // Whole where that can be: then it is checked.
      const range = size <= chunkBytes ? undefined : { start: at, end: Math.min(at + chunkBytes, size) }
      const part = await served.project.blob(blob, range)
      yield at === 0 ? begun(part, sourceLine(text, url)) : part
    }
  }
  if (tail !== '') yield Buffer.from(tail)
}

/** The beginning of a page with its address below the title, which is its first line. */
function begun(part: Buffer, source: string): Buffer {
  const end = part.indexOf('\n') + 1
  return Buffer.concat([Buffer.from(between), part.subarray(0, end), Buffer.from(source), part.subarray(end)])
}
