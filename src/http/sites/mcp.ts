import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SiteSearch } from '../../answers/site-search.ts'
import type { Changelog } from '../../changelog/changelog.ts'
import { changelogPath } from '../../changelog/site-page.tsx'
import type { EntrySearch } from '../../changelog/search.ts'
import { Failure } from '../../contract/failure.ts'
import type { RateLimitName } from '../../contract/limits.ts'
import type { Hosting } from '../../hosting/hosting.ts'
import { sendText } from '../../hosting/serving/answer.ts'
import { goneSignal } from '../../lib/client-gone.ts'
import { withoutBase } from '../../lib/base-path.ts'
import { parseUrl } from '../../lib/parse-url.ts'
import { encodePath } from '../../lib/url-path.ts'
import { baseOf } from '../requests/known.ts'
import { assertOwnPage } from './own-page.ts'
import { SitePosts } from './posts.ts'
import type { SiteResponder, SiteTarget } from './sites.ts'

/** Path of the server on the host of a site, where the site itself has no page. */
export const mcpPath = '/mcp'

/** Bytes of a message: a search has a few hundred. */
const bodyLimit = 64 * 1024
const longestQuery = 200
const longestPath = 2000
/** Pages that a search answers with. */
const mostPages = 8

export interface SiteMcpOptions {
  readonly search: Pick<SiteSearch, 'search'>
  readonly entries: Pick<EntrySearch, 'search'>
  readonly changelog: Pick<Changelog, 'read'>
  readonly hosting: Pick<Hosting, 'respond' | 'answersAt' | 'markdown' | 'settings'>
  readonly titleOf: (projectId: string) => Promise<string>
  /** Origin of a site, as it is asked for. */
  readonly originOf: (site: SiteTarget) => string
  /** Of the service. */
  readonly version: string
  readonly onError: (error: unknown, projectId: string) => void
}

interface Limiter {
  count(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName | undefined): Promise<void>
}

/**
 * A server of the Model Context Protocol for each site and preview (Streamable HTTP, without sessions: each message is answered
 * by itself).
 */
export class SiteMcp {
  readonly #options: SiteMcpOptions
  readonly #posts = new SitePosts()

  constructor(options: SiteMcpOptions) {
    this.#options = options
  }

  /** Who answers at the path: the application for messages, and the site for readers. */
  at(site: SiteTarget, application: RequestListener): SiteResponder {
    return this.#posts.responder(site, application, (request, response) => {
      void this.#answerReader(request, response, site)
    })
  }

  async #answerReader(request: IncomingMessage, response: ServerResponse, site: SiteTarget): Promise<void> {
    const { hosting, onError } = this.#options
    const { method, headers } = request
    try {
      const isClient = method === 'DELETE' || headers.accept?.includes('text/event-stream') === true
      const isPage = !isClient || (await hosting.answersAt(site.project, site.release, mcpPath))
      // There are no sessions to end, and no stream of messages that nobody asked for.
      if (isPage) hosting.respond(request, response, site)
      else sendText(response, 405, 'Messages of the Model Context Protocol are sent with POST', ['Allow', 'POST'])
    } catch (error) {
      onError(error, site.project)
      sendText(response, 500, 'The service made a mistake')
    }
  }

  routes(app: FastifyInstance, limiter: Limiter): void {
    app.post(
      mcpPath,
      { bodyLimit, onRequest: async (request, reply) => this.#admit(request, reply, limiter) },
      (request, reply) => this.#answer(request, reply),
    )
  }

  async #admit(request: FastifyRequest, reply: FastifyReply, limiter: Limiter): Promise<void> {
    const site = this.#posts.siteOf(request)
    await limiter.count(request, reply, undefined)
    assertOwnPage(request, this.#options.originOf(site), 'Only pages of this site may ask it.')
  }

  async #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const site = this.#posts.siteOf(request)
    // One message may be one search. The protocol has had no batches since 2025-06-18.
    if (Array.isArray(request.body)) throw new Failure('invalid_request', 'Send one message at a time, not a list.')
    // Loaded with the first message: most services never get one.
    const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
    const gone = goneSignal(reply.raw)
    const server = await this.#serverFor(site, baseOf(request.raw), gone)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    reply.hijack()
    reply.raw.setHeader('X-Robots-Tag', 'noindex')
    reply.raw.setHeader('Cache-Control', 'no-store')
    reply.raw.once('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
    return reply
  }

  async #serverFor(site: SiteTarget, base: string, gone: AbortSignal): Promise<McpServer> {
    const { search, entries, hosting, titleOf, originOf, version } = this.#options
    const [{ McpServer: Server }, { z }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/mcp.js'),
      import('zod'),
    ])
    const { project, release, preview } = site
    const title = await titleOf(project)
    const origin = originOf(site)
    const shown = base === '' || preview ? undefined : (await hosting.settings(project, release))?.url
    const home = shown ?? origin + base
    const server = new Server(
      { name: `${title} documentation`, version },
      {
        instructions: `Documentation of ${title}. Search it first, then read the pages that were found.`,
      },
    )
    const readOnly = { readOnlyHint: true, openWorldHint: false }
    server.registerTool(
      'search',
      {
        title: `Search ${title}`,
        description: `Finds the sections of the documentation of ${title} that say most about a query.`,
        inputSchema: { query: z.string().trim().min(1).max(longestQuery).describe('Words or a question') },
        annotations: readOnly,
      },
      ({ query }) =>
        this.#reply(site, async () => {
          const pages = await search.search({ project, release }, query, { limit: mostPages }, gone)
          const hits = preview ? pages : [...pages, ...(await entries.search(project, query))]
          if (hits.length === 0) return `Nothing in this documentation says anything about “${query}”.`
          return hits
            .map(({ title: page, heading, path, anchor, excerpt }) => {
              const name = heading.text === '' ? page : `${page} › ${heading.text}`
              const fragment = anchor === undefined || anchor === '' ? '' : `#${encodeURIComponent(anchor)}`
              return `## ${name}\n\n${home}${encodePath(path)}${fragment}\n\n${excerpt.text}`
            })
            .join('\n\n')
        }),
    )
    server.registerTool(
      'read_page',
      {
        title: 'Read a page',
        description: `A page of the documentation of ${title} as Markdown.`,
        inputSchema: {
          path: z.string().min(1).max(longestPath).describe('Its path or address, such as /guide/start'),
        },
        annotations: readOnly,
      },
      ({ path }) =>
        this.#reply(site, async () => {
          const at = withoutBase(pathIn(path, [origin, home]), base)
          const page = await hosting.markdown(project, release, at)
          const text = page ?? (preview ? null : await this.#entry(project, at))
          if (text === null)
            throw new Failure('not_found', `There is no page at ${path}.`, {
              hint: 'Search for it, or read /llms.txt.',
            })
          return text.toString()
        }),
    )
    return server
  }

  /** An entry of the changelog, as it was written; null where there is none. */
  async #entry(project: string, path: string): Promise<string | null> {
    if (!path.startsWith(`${changelogPath}/`)) return null
    try {
      const id = path.slice(changelogPath.length + 1)
      const { title, content } = await this.#options.changelog.read(project, id, 'public')
      return `# ${title}\n\n${content}`
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') return null
      throw error
    }
  }

  /** Bugs stay in the log. */
  async #reply({ project }: SiteTarget, textOf: () => Promise<string>) {
    try {
      return { content: [{ type: 'text' as const, text: await textOf() }] }
    } catch (error) {
      const isKnown = error instanceof Failure && error.code !== 'internal'
      if (!isKnown) this.#options.onError(error, project)
      const hint = isKnown && error.hint !== undefined ? ` ${error.hint}` : ''
      const text = isKnown ? error.message + hint : 'The service made a mistake.'
      return { content: [{ type: 'text' as const, text }], isError: true }
    }
  }
}

/** The path of an address on the site, as browsers write it; whatever else is asked for leads nowhere. */
function pathIn(text: string, homes: readonly string[]): string {
  const address = text.startsWith('/') || text.includes('://') ? text : `/${text}`
  const url = parseUrl(address, homes[0])
  if (url === undefined) return ''
  return homes.some((home) => url.origin === new URL(home).origin) ? url.pathname : ''
}
