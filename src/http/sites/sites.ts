import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hosting } from '../../hosting/hosting.ts'
import { anyOrigin } from '../../lib/any-origin.ts'
import { withoutBase } from '../../lib/base-path.ts'
import { KnownRequest, requestIdOf } from '../requests/known.ts'
import { hostDecider, isAbsoluteForm, originForm, type HostSettings } from './hosts.ts'
import { sendNotice, type Notice } from './notice.tsx'

/** What a host stands for: a label under the preview domain, or a domain of a project’s. */
export interface SiteTarget {
  readonly project: string
  readonly release: string
  readonly preview: boolean
  /** Where the project’s changelog is, when there is one. */
  readonly changelog?: string | undefined
  /** Of a preview: where its files are edited. */
  readonly editor?: string
  /** Of a preview: what its host begins with. */
  readonly label?: string
  /** Of a preview: the name of its branch. */
  readonly branch?: string
  /** Of a preview: the live site, where there is one, by its origin and the release that it shows. */
  readonly live?: { readonly url: string; readonly release: string } | undefined
  /** The project’s domain that it is asked for by; absent: the host is its own one here. */
  readonly domain?: string
}

type Found = SiteTarget | SiteResponder | null

/** What answers by itself, in the place of a release. */
export interface SiteResponder {
  /** Whose it is; null where it tells nothing of a project: it answers anybody, also where the project is private. */
  readonly project: string | null
  /** Leads who asks to another address, which is for that to answer; undefined where it does not. */
  leads?(request: IncomingMessage): SiteResponder | undefined
  answer(request: IncomingMessage, response: ServerResponse): void
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Without a query. */
  readonly path: string
}

export interface SiteHandlerOptions {
  readonly hosting: Pick<Hosting, 'respond'>
  readonly hosts: HostSettings
  /**
   * Finds what a label shows; null when there is no such site. Answer without a promise where you can.
   * @param path of the target, as it was sent.
   */
  readonly resolve: (label: string, path: string) => Found | Promise<Found>
  /** As `resolve`, for a domain; undefined when no project has it: the host is not served here. */
  readonly resolveDomain: (domain: string, path: string) => Found | Promise<Found> | undefined
  /** Whether a project’s site may answer; false: somebody else does. Before everything that shows anything of a project. */
  readonly admit: (
    exchange: Exchange,
    site: { readonly name: string; readonly project: string },
  ) => boolean | Promise<boolean>
  /**
   * The path that a host’s site stands below; empty where that is the root, or nobody knows. Answer without a promise
   * where you can.
   */
  readonly baseOf: (host: { readonly label?: string; readonly domain?: string }) => string | Promise<string>
  /** Told whom a request is for, before it is answered. */
  readonly onSite: (request: IncomingMessage, site: { readonly name: string; readonly project?: string }) => void
  readonly onError: (
    error: unknown,
    failed: { readonly site: string; readonly path: string; readonly requestId: string },
  ) => void
}

/** Answer on any host: a load balancer does not know ours. */
const healthPaths = new Set(['/healthz', '/readyz'])

/**
 * Decides by the Host header whom a request is for, before any routing, and answers those for sites and those for
 * nobody. For Fastify’s `serverFactory`: `createServer((req, res) => sites(req, res) || handler(req, res))`.
 *
 * @returns A function that is true when it took the request, false when it is for the service.
 */
export function createSiteHandler(
  options: SiteHandlerOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { hosting, resolve, resolveDomain, baseOf, admit, onSite, onError } = options
  const decide = hostDecider(options.hosts)

  const fail = (error: unknown, site: string, request: IncomingMessage, response: ServerResponse): void => {
    const requestId = requestIdOf(request)
    onError(error, { site, path: pathOf(request), requestId })
    const text = `Its operator finds it in the log under ${requestId}`
    if (response.headersSent) response.destroy()
    else sendNotice(request, response, { status: 500, title: 'The service made a mistake', text })
  }

  const respond = (request: IncomingMessage, response: ServerResponse, site: Found, name: string): void => {
    const project = site?.project ?? null
    onSite(request, project === null ? { name } : { name, project })
    const show = (): void => {
      if (site === null) sendNotice(request, response, noSite)
      else if ('answer' in site) site.answer(request, response)
      else hosting.respond(request, response, site)
    }
    if (project === null) return show()
    const elsewhere = site !== null && 'answer' in site ? site.leads?.(request) : undefined
    if (elsewhere !== undefined) return elsewhere.answer(request, response)
    const admitted = admit({ request, response, path: pathOf(request) }, { name, project })
    if (admitted === true) return show()
    if (admitted !== false)
      admitted
        .then((isAdmitted) => (isAdmitted ? show() : undefined))
        .catch((error: unknown) => fail(error, name, request, response))
  }

  /** @returns false when nobody is found who answers. */
  const answer = (
    request: IncomingMessage,
    response: ServerResponse,
    site: string,
    find: (site: string, path: string) => Found | Promise<Found> | undefined,
    host: { readonly label?: string; readonly domain?: string },
  ): boolean => {
    try {
      // Who asks below the base is answered as the release knows its paths.
      const base = request.url?.startsWith('/_quire/') === true ? '' : baseOf(host)
      if (typeof base !== 'string') {
        const later = async (): Promise<void> => {
          takeBase(request, await base)
          if (!answer(request, response, site, find, {})) sendNotice(request, response, noSite)
        }
        later().catch((error: unknown) => fail(error, site, request, response))
        return true
      }
      takeBase(request, base)
      const found = find(site, pathOf(request))
      if (found === undefined) return false
      if (found instanceof Promise) {
        found
          .then((later) => respond(request, response, later, site))
          .catch((error: unknown) => fail(error, site, request, response))
      } else respond(request, response, found, site)
    } catch (error) {
      fail(error, site, request, response)
    }
    return true
  }

  return (request, response) => {
    const url = request.url ?? ''
    const { rawHeaders, httpVersion, socket } = request
    const decision = decide({ rawHeaders, httpVersion, url, localPort: socket.localPort })
    if (isAbsoluteForm(url)) request.url = originForm(url)
    if (decision.kind === 'service') return false
    if (decision.kind === 'site') return answer(request, response, decision.label, resolve, { label: decision.label })
    if (decision.kind === 'unknown') {
      const { domain } = decision
      if (domain !== undefined && answer(request, response, domain, resolveDomain, { domain })) return true
      if (healthPaths.has(pathOf(request))) return false
    }
    const { status, reason } = decision
    // Whoever sends what no honest client does may hide another request in it: nothing more is read from the connection.
    const headers = status === 400 ? { Connection: 'close' } : {}
    sendNotice(request, response, { status, title: reason, headers })
    return true
  }
}

/** Takes the base from the path of a request, which knows it from then on. */
function takeBase(request: IncomingMessage, base: string): void {
  if (base === '') return
  request.url = withoutBase(request.url ?? '', base)
  if (request instanceof KnownRequest) request.base = base
}

/** Without a query, in which there may be what others must not see. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

export const noSite: Notice = {
  status: 404,
  title: 'There is no site here',
  text: 'The address may have a typo, or nothing has been deployed to it yet.',
}

/** For the site of a project whose data is damaged. */
export const unavailableSite: SiteResponder = {
  project: null,
  answer: (request, response) =>
    sendNotice(request, response, {
      status: 503,
      title: 'This site is unavailable',
      text: 'Its data is damaged, and its operator has been told.',
    }),
}

/**
 * For all addresses of a project that the operator has suspended. 403: somebody has decided it. Behind 503 caches would go
 * on showing what they have (RFC 5861) and crawlers come back for it, 451 says that a law demands it, and 404 that there
 * is nothing.
 */
export const suspendedSite: SiteResponder = {
  project: null,
  answer: (request, response) =>
    sendNotice(
      request,
      response,
      { status: 403, title: 'This site is suspended', text: 'Its pages are not shown at the moment.' },
      { asPage: true },
    ),
}

/**
 * For an address of a site that is not its primary one: leads whoever opens a document to the same there, and shows the
 * site to frames of the dashboard, which may frame no domain of a project’s own, with all that those load.
 *
 * @param origin of the primary address, without a trailing slash.
 */
export function besidePrimary(
  shown: SiteTarget | SiteResponder,
  hosting: Pick<Hosting, 'respond'>,
  origin: string,
): SiteResponder {
  const elsewhere = redirectTo(origin)
  return {
    project: shown.project,
    // Programs say nothing of what they load for.
    leads: ({ headers: { 'sec-fetch-dest': destination = 'document' } }) =>
      destination === 'document' ? elsewhere : undefined,
    answer: (request, response) => {
      if ('answer' in shown) shown.answer(request, response)
      else hosting.respond(request, response, shown)
    },
  }
}

/**
 * Sends readers of a host that a project has left to its new one, for the same path and query.
 *
 * @param origin without a trailing slash.
 */
export function redirectTo(origin: string): SiteResponder {
  return {
    project: null,
    answer: (request, response) => {
      response.writeHead(308, {
        Location: origin + (request.url ?? '/'),
        // Who may read what it leads to must be able to follow it.
        ...anyOrigin,
        'Content-Length': '0',
        // The old slug may be taken for something else.
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
      })
      response.end()
    },
  }
}
