import { contract } from '#contract/index.ts'
import { Failure } from '#contract/failure.ts'
import type { Domains } from '#domains/domains.ts'
import type { Router } from '../route.ts'

export interface DomainServices {
  readonly domains: Domains
}

export function domainRoutes(router: Router, { domains }: DomainServices): void {
  const endpoints = contract.domains
  router.route(endpoints.create, async ({ projectId, body, request }) => {
    const added = await domains.add(projectId, body.domain)
    request.audit = { target: added.domain }
    return added
  })
  router.route(endpoints.list, async ({ projectId }) => ({ items: await domains.list(projectId) }))
  router.route(endpoints.setPrimary, async ({ projectId, body, request }) => {
    const name = await domains.setPrimary(projectId, body.domain)
    request.audit = name === null ? {} : { target: name }
    return { items: await domains.list(projectId) }
  })
  router.route(endpoints.verify, async ({ projectId, params, request }) => {
    const looked = await domains.verify(projectId, params.domain)
    // A look that finds nothing changes nothing, and a page looks again and again until it is there.
    request.audit = looked.verified ? { target: looked.domain, detail: 'verified' } : { projectIds: [] }
    return looked
  })
  router.route(endpoints.remove, async ({ projectId, query, request }) => {
    request.audit = { target: await domains.remove(projectId, query.domain) }
    return undefined
  })
  router.route(endpoints.ask, async ({ query: { domain } }) => {
    if (domains.isServed(domain)) return { domain }
    throw new Failure('not_found', 'No site is served on this domain.', {
      hint: 'A project’s owner can add and verify it.',
    })
  })
}
