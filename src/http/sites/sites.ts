import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hosting } from '../../hosting/hosting.ts'
import { anyOrigin } from '../../lib/any-origin.ts'
import { requestIdOf } from '../requests/known.ts'
import { hostDecider, isAbsoluteForm, originForm, type HostSettings } from './hosts.ts'

/** What a host stands for: a label under the preview domain, or a domain of a project’s. */
export interface SiteTarget {
  readonly project: string
  readonly release: string
  readonly preview: boolean
  /** Where the project’s changelog is, when there is one. */
  readonly changelog?: string | undefined
  /** The project’s domain that it is asked for by; absent: the host is its own one here. */
  readonly domain?: string
}

type Found = SiteTarget | SiteResponder | null

/** What answers by itself, in the place of a release. */
export interface SiteResponder {
  /** Whose it is, where it is a project’s. */
  readonly project?: string
  answer(request: IncomingMessage, response: ServerResponse): void
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
  const { hosting, resolve, resolveDomain, onSite, onError } = options
  const decide = hostDecider(options.hosts)

  const fail = (error: unknown, site: string, request: IncomingMessage, response: ServerResponse): void => {
    const requestId = requestIdOf(request)
    onError(error, { site, path: pathOf(request), requestId })
    if (response.headersSent) response.destroy()
    else refuse(response, 500, `The service made a mistake. Its operator finds it in the log under ${requestId}`)
  }

  const respond = (request: IncomingMessage, response: ServerResponse, site: Found, name: string): void => {
    onSite(request, site === null || site.project === undefined ? { name } : { name, project: site.project })
    if (site !== null && 'answer' in site) site.answer(request, response)
    else hosting.respond(request, response, site)
  }

  /** @returns false when nobody is found who answers. */
  const answer = (
    request: IncomingMessage,
    response: ServerResponse,
    site: string,
    find: (site: string, path: string) => Found | Promise<Found> | undefined,
  ): boolean => {
    try {
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
    if (decision.kind === 'site') return answer(request, response, decision.label, resolve)
    if (decision.kind === 'unknown') {
      const { domain } = decision
      if (domain !== undefined && answer(request, response, domain, resolveDomain)) return true
      if (healthPaths.has(pathOf(request))) return false
    }
    refuse(response, decision.status, decision.reason)
    return true
  }
}

/** Without a query, in which there may be what others must not see. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

function refuse(response: ServerResponse, status: number, reason: string): void {
  const text = reason + '\n'
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    // Whoever sends such a request may hide another one in it: nothing more is read from the connection.
    ...(status === 400 ? { Connection: 'close' } : {}),
  })
  response.end(text)
}

/** For the site of a project whose data is damaged. */
export const unavailableSite: SiteResponder = {
  answer: (_request, response) =>
    refuse(response, 503, 'This site is unavailable: its data is damaged, and its operator has been told'),
}

/**
 * Sends readers of a host that a project has left to its new one, for the same path and query.
 *
 * @param origin without a trailing slash.
 */
export function redirectTo(origin: string): SiteResponder {
  return {
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
