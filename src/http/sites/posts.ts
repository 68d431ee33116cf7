import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../contract/failure.ts'
import type { SiteResponder, SiteTarget } from './sites.ts'

/**
 * What is posted to paths of sites and answered by the application, so that bodies, rates and the end of the service are
 * looked after in one place. Its routes know the site of no other request: there is no way to them from its own host.
 */
export class SitePosts {
  readonly #sites = new WeakMap<IncomingMessage, SiteTarget>()

  /** @param others answers what is not posted */
  responder(
    site: SiteTarget,
    application: RequestListener,
    others: (request: IncomingMessage, response: ServerResponse) => void,
  ): SiteResponder {
    return {
      project: site.project,
      answer: (request, response) => {
        if (request.method !== 'POST') return others(request, response)
        this.#sites.set(request, site)
        application(request, response)
      },
    }
  }

  /** The site that a request came to. Throws Failure `not_found` for one that came to none. */
  siteOf({ raw, url }: FastifyRequest): SiteTarget {
    const site = this.#sites.get(raw)
    if (site === undefined) throw new Failure('not_found', `There is nothing at ${url.split('?', 1)[0] ?? ''}.`)
    return site
  }
}
