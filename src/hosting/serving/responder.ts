import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { DocumentContext, Composer, FeedRoute, FileRoute, PageRoute } from '../../contract/release.ts'
import {
  allowAnyOrigin,
  fileCaching,
  fileHeaders,
  fileTag,
  isCompressible,
  isForPrograms,
  isRead,
  noindex,
  pageCaching,
  pageHeaders,
  sendMarkdownNotFound,
  sendPreflight,
  sendRedirect,
  sendText,
  streamFile,
  type RawHeaders,
} from './answer.ts'
import { Body, documentBody, sendBody, type Compressed } from './body.ts'
import type { SiteCards } from './cards.ts'
import { sendJoined } from './joined.ts'
import { acceptedEncoding, matchingTag, prefersMarkdown, type Encoding } from './negotiate.ts'
import { parseTarget, resolveTarget, type Target } from './resolve.ts'
import { sha256 } from '../../lib/digest.ts'
import { withBase, withoutBase } from '../../lib/base-path.ts'
import { encodePath } from '../../lib/url-path.ts'
import type { ServedRelease, ServedReleases } from './served.ts'

export interface SiteRequest {
  readonly project: string
  readonly release: string
  readonly preview: boolean
  /** Where the project’s changelog is, when there is one. */
  readonly changelog?: string | undefined
  /** Of a preview: where its files are edited. */
  readonly editor?: string | undefined
  /** Of a preview: the name of its branch. */
  readonly branch?: string | undefined
  /** Of a preview: the live site, where there is one, by its origin and the release that it shows. */
  readonly live?: { readonly url: string; readonly release: string } | undefined
}

export interface ResponderOptions {
  readonly composer: Composer
  readonly releases: Pick<ServedReleases, 'peek' | 'load'>
  /** Blobs that somebody has compressed before. */
  readonly compressed?: ReadonlyMap<string, Compressed> | undefined
  /** Absent: pages have none. */
  readonly cards?: SiteCards | undefined
  /** Bytes of answers held in memory. */
  readonly bodyBytes: number
  /** Told about every failure, whole; the reader learns nothing of it. No request where the failure is in the background. */
  onError(error: unknown, failed: { readonly site: SiteRequest; readonly request: IncomingMessage } | null): void
}

/** Larger files are read from disk for each request: compressible ones above the first, others above the second. */
const heldTextBytes = 8 << 20
const heldBinaryBytes = 256 << 10
/** Answers to paths that do not exist: a scan must not push pages out of memory. */
const missingBytes = 4 << 20

interface OwnPage {
  readonly path: string
  readonly route: PageRoute
}

/** Answers in memory. What is not there is made, once for all who ask for it at the same time. */
type Bodies = LRUCache<string, Body, () => Promise<Body>>

/** Where an answer is held. */
interface CacheSlot {
  readonly cache: Bodies
  readonly key: string
}

/** Answers requests for sites. What is in memory is answered at once, without a wait. */
export class Responder {
  readonly #options: ResponderOptions
  readonly #bodies: Bodies
  readonly #missing: Bodies

  constructor(options: ResponderOptions) {
    this.#options = options
    this.#bodies = createBodies(options.bodyBytes)
    this.#missing = createBodies(Math.min(missingBytes, options.bodyBytes))
  }

  /** Answers; never throws, and never says more than it should. */
  respond(request: IncomingMessage, response: ServerResponse, site: SiteRequest): void {
    const target = this.#accept(request, response, site)
    if (target === null) return
    try {
      const served = this.#options.releases.peek(site.project, site.release)
      const done =
        served === undefined
          ? this.#load(request, response, site, target)
          : this.#serve(request, response, { site, served, target })
      done?.catch((error: unknown) => this.#fail(error, request, response, site))
    } catch (error) {
      this.#fail(error, request, response, site)
    }
  }

  #accept(request: IncomingMessage, response: ServerResponse, { preview }: SiteRequest): Target | null {
    // Few are told of a preview.
    const isShared = !preview && isForPrograms(request.url ?? '')
    if (isShared && request.method === 'OPTIONS') {
      sendPreflight(response)
      return null
    }
    if (isShared) allowAnyOrigin(response)
    if (!isRead(request, response)) return null
    const target = parseTarget(request.url ?? '')
    if (target === null) sendText(response, 400, 'The address is not valid')
    return target
  }

  async #load(request: IncomingMessage, response: ServerResponse, site: SiteRequest, target: Target): Promise<void> {
    const served = await this.#options.releases.load(site.project, site.release)
    if (served === null) throw new Error(`Release ${site.release} of ${site.project} should be served and is not kept`)
    await this.#serve(request, response, { site, served, target })
  }

  #serve(
    request: IncomingMessage,
    response: ServerResponse,
    {
      site,
      served,
      target: asked,
    }: { readonly site: SiteRequest; readonly served: ServedRelease; readonly target: Target },
  ): Promise<void> | undefined {
    const target = { ...asked, path: withoutBase(asked.path, served.base) }
    const { cards } = this.#options
    const wantsMarkdown = prefersMarkdown(request.headers.accept)
    const found = resolveTarget(served, target, wantsMarkdown)
    const mark = site.preview ? 'p' : 'l'
    const documentMark = documentMarkOf(site)
    if (found.kind === 'redirect') {
      sendRedirect(response, { ...found, location: withBase(found.location, served.base) }, site.preview)
    } else if (found.kind === 'page') {
      const { updated = 0, ending = '', images } = found.route
      const sizes = images === undefined ? '' : JSON.stringify(images)
      const key = `${documentMark}${served.shell}${found.route.blob}${updated} ${ending} ${target.path}${sizes}`
      return this.#answer(request, response, { cache: this.#bodies, key }, () =>
        this.#page(served, found.route, target.path, {
          site,
          context: {
            ...contextOf(site),
            ...factsOf(found.route, target.path),
            ...(images === undefined ? {} : { images }),
          },
        }),
      )
    } else if (found.kind === 'file') {
      const { route, negotiated } = found
      if (negotiated && !site.preview) allowAnyOrigin(response)
      const text = isCompressible(route.type)
      if (route.size > (text ? heldTextBytes : heldBinaryBytes) || (!text && request.headers.range !== undefined)) {
        const read = (range: { start: number; end: number }): Promise<Buffer> => served.project.blob(route.blob, range)
        return streamFile(request, response, { route, negotiated, preview: site.preview, read })
      }
      const key = `${mark}${negotiated ? 'n' : 'f'}${route.immutable === true || route.hashed === true ? 'i' : ''}${route.blob}${route.type}`
      return this.#answer(request, response, { cache: this.#bodies, key }, () =>
        this.#file(served, route, { negotiated, preview: site.preview }),
      )
    } else if (found.kind === 'joined') {
      return sendJoined(request, response, { served, route: found.route, headers: marked(site.preview) })
    } else if (found.kind === 'feed') {
      const tags = feedTags(target.query)
      const key = `${mark}r${served.shell}${found.route.blob}${found.route.updated ?? 0} ${found.route.page} ${JSON.stringify(tags)}`
      // Nobody counts the choices of tags: they must not push pages out of memory.
      const cache = tags.length === 0 ? this.#bodies : this.#missing
      return this.#answer(request, response, { cache, key }, () => this.#feed(served, found.route, tags, site.preview))
    } else if (cards?.isAt(target.path) === true) {
      return cards.respond(request, response, {
        project: site.project,
        served,
        path: target.path,
        headers: marked(site.preview),
      })
    } else if (wantsMarkdown || target.path.endsWith('.md')) {
      if (!site.preview) allowAnyOrigin(response)
      sendMarkdownNotFound(response, target.path, marked(site.preview))
    } else if (isPageLike(target.path, request.headers.accept)) {
      return this.#miss(request, response, { site, served, path: target.path })
    } else {
      sendText(response, 404, 'There is nothing here', marked(site.preview))
    }
    return undefined
  }

  /** From memory at once; else made, once for all who wait for it. */
  #answer(
    request: IncomingMessage,
    response: ServerResponse,
    slot: CacheSlot,
    make: () => Promise<Body>,
  ): Promise<void> | undefined {
    const { cache, key } = slot
    const body = cache.get(key)
    if (body === undefined) {
      return cache.forceFetch(key, { context: make }).then((made) => this.#send(request, response, slot, made))
    }
    return this.#send(request, response, slot, body)
  }

  /** At once, unless the encoding that the client accepts is soon made: then that is waited for. */
  #send(request: IncomingMessage, response: ServerResponse, slot: CacheSlot, body: Body): Promise<void> | undefined {
    const wanted = acceptedEncoding(request.headers['accept-encoding'])
    const compressed = body.lacks(wanted) ? this.#compress(slot, body, wanted) : undefined
    const condition = request.headers['if-none-match']
    const isKnown = condition !== undefined && matchingTag(condition, body.tags) !== undefined
    if (compressed !== undefined && body.compressesSoon && !isKnown)
      return compressed.then(() => sendBody(request, response, body))
    sendBody(request, response, body)
    return undefined
  }

  /** Never rejects: without the variant, the body goes as it is. */
  async #compress({ cache, key }: CacheSlot, body: Body, wanted: Encoding): Promise<void> {
    try {
      await body.compress(wanted)
      if (cache.peek(key) !== body) return
      // The cache does not count what it has anew.
      cache.delete(key)
      cache.set(key, body)
    } catch (error) {
      this.#options.onError(error, null)
    }
  }

  async #page(
    served: ServedRelease,
    route: PageRoute,
    path: string,
    { site, context }: { readonly site: SiteRequest; readonly context: DocumentContext },
  ): Promise<Body> {
    const [shell, artifact, live] = await Promise.all([
      served.openShell(this.#options.composer),
      served.project.blob(route.blob),
      this.#livePage(site, path),
    ])
    const document = shell.page(artifact, path, live === undefined ? context : { ...context, live })
    return documentBody(document, [
      ...pageHeaders(document, route.markdown === undefined ? undefined : served.base + route.markdown),
      ...marked(context.preview !== undefined),
    ])
  }

  /** URL of the page that a preview shows on the live site; undefined where that has none at its path. */
  async #livePage({ project, live }: SiteRequest, path: string): Promise<string | undefined> {
    if (live === undefined) return undefined
    const served = await this.#options.releases.load(project, live.release)
    const route = served !== null && Object.hasOwn(served.routes, path) ? served.routes[path] : undefined
    return route?.kind === 'page' ? live.url + encodePath(path) : undefined
  }

  /** Where a page was asked for that is not there: that, or the first page of a site that wants it so. */
  async #miss(
    request: IncomingMessage,
    response: ServerResponse,
    { site, served, path }: { readonly site: SiteRequest; readonly served: ServedRelease; readonly path: string },
  ): Promise<void> {
    const { settings } = await served.openShell(this.#options.composer)
    if (settings.lost !== undefined && settings.lost !== path)
      return sendRedirect(response, { status: 307, location: withBase(settings.lost, served.base) }, site.preview)
    const own = ownNotFound(served.routes, path)
    const key = `${documentMarkOf(site)}${served.shell}${own?.route.blob ?? ''} ${path}`
    await this.#answer(request, response, { cache: this.#missing, key }, () =>
      this.#notFound(served, { path, own, context: contextOf(site) }),
    )
  }

  async #notFound(
    served: ServedRelease,
    {
      path,
      own,
      context,
    }: { readonly path: string; readonly own: OwnPage | undefined; readonly context: DocumentContext },
  ): Promise<Body> {
    const shell = await served.openShell(this.#options.composer)
    const document =
      own === undefined
        ? shell.notFound(path, context)
        : shell.page(await served.project.blob(own.route.blob), own.path, context)
    const headers = [...pageHeaders(document), ...marked(context.preview !== undefined)]
    return new Body({
      status: 404,
      bytes: Buffer.from(document.html),
      headers,
      caching: pageCaching(),
      compressible: true,
    })
  }

  async #file(
    served: ServedRelease,
    route: FileRoute,
    kind: { readonly negotiated: boolean; readonly preview: boolean },
  ): Promise<Body> {
    const bytes = await served.project.blob(route.blob)
    return new Body({
      status: 200,
      bytes,
      tag: fileTag(route),
      headers: [...fileHeaders(route), ...marked(kind.preview)],
      caching: fileCaching(route, kind.negotiated),
      compressible: isCompressible(route.type),
      compressed: this.#options.compressed?.get(route.blob),
    })
  }

  async #feed(
    served: ServedRelease,
    { blob, page, updated }: FeedRoute,
    tags: readonly string[],
    preview: boolean,
  ): Promise<Body> {
    const [shell, artifact] = await Promise.all([served.openShell(this.#options.composer), served.project.blob(blob)])
    const about = { tags, ...(updated === undefined ? {} : { updated }) }
    const bytes = Buffer.from(await shell.feed(artifact, page, about))
    const route = { kind: 'file', blob: sha256(bytes), size: bytes.length, type: feedType } as const
    return new Body({
      status: 200,
      bytes,
      tag: fileTag(route),
      headers: [...fileHeaders(route), ...marked(preview)],
      caching: fileCaching(route, false),
      compressible: true,
    })
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, site: SiteRequest): void {
    const gone = response.destroyed || request.destroyed
    // A reader who hangs up in the middle of a file is no failure of ours.
    if (!gone) this.#options.onError(error, { site, request })
    if (response.headersSent) response.destroy()
    else sendText(response, 500, 'The service made a mistake')
  }
}

function createBodies(maxBytes: number): Bodies {
  return new LRUCache({
    maxSize: maxBytes,
    sizeCalculation: (body) => body.size,
    // Whoever asked gets the answer, also when there is no room to keep it.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _before, { context: make }) => make(),
  })
}

/** What names a site's documents in memory: all that they show beside their page. */
function documentMarkOf({ preview, release, editor = '', changelog = '', branch = '', live }: SiteRequest): string {
  return preview ? `p${release} ${editor} ${branch} ${live?.release ?? ''} ${live?.url ?? ''} ` : `l${changelog} `
}

function contextOf({ preview, release, changelog, editor, branch }: SiteRequest): DocumentContext {
  if (preview)
    return {
      preview: release,
      ...(editor === undefined ? {} : { editor }),
      ...(branch === undefined ? {} : { branch }),
    }
  return changelog === undefined ? {} : { changelog }
}

/** What a document shows of its source. */
function factsOf({ ending = '.mdx', updated, tagged }: PageRoute, path: string): DocumentContext {
  if (tagged === true) return {}
  return { source: path.slice(1) + ending, ...(updated === undefined ? {} : { updated }) }
}

const feedType = 'application/rss+xml; charset=utf-8'
const mostTags = 10
const longestQuery = 500

/** The tags that the entries of a feed are to have: `?tags=api,cli`, as pages have them in their address. */
function feedTags(query: string): readonly string[] {
  const asked = new URLSearchParams(query.slice(0, longestQuery)).get('tags') ?? ''
  const tags = asked.split(',').map((tag) => tag.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))].slice(0, mostTags).sort()
}

function marked(preview: boolean): RawHeaders {
  return preview ? noindex : []
}

/** The page that a project has for those that are not there: `404` beside the folder that was asked for, or of the site. */
function ownNotFound(routes: ServedRelease['routes'], path: string): OwnPage | undefined {
  for (const folder of new Set([path.split('/', 2).join('/'), ''])) {
    const route = Object.hasOwn(routes, `${folder}/404`) ? routes[`${folder}/404`] : undefined
    if (route?.kind === 'page') return { path: `${folder}/404`, route }
  }
  return undefined
}

/** Whoever misses a picture or a script gets a line of text, not a page. */
function isPageLike(path: string, accept: string | undefined): boolean {
  return !/\.[A-Za-z0-9]{1,10}$/.test(path) || (accept?.includes('text/html') ?? false)
}
