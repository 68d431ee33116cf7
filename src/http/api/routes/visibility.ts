import { contract } from '#contract/index.ts'
import { wideNetworkOf } from '#lib/network.ts'
import type { Visibility } from '#visibility/visibility.ts'
import type { Router } from '../route.ts'

export interface VisibilityServices {
  readonly visibility: Visibility
  /** A share link, of its token. */
  readonly shareUrl: (projectId: string, token: string) => string
}

export function visibilityRoutes(router: Router, { visibility, shareUrl }: VisibilityServices): void {
  const endpoints = contract.visibility
  router.route(endpoints.read, ({ projectId }) => visibility.read(projectId))
  router.route(endpoints.set, ({ projectId, body, request }) => {
    request.audit = { detail: body.visibility }
    return visibility.set(projectId, body.visibility)
  })
  router.route(endpoints.setPassword, ({ projectId, body, request }) =>
    visibility.setPassword(projectId, body.password, { name: wideNetworkOf(request.ip), isKnown: true }),
  )
  router.route(endpoints.removePassword, async ({ projectId }) => {
    await visibility.removePassword(projectId)
    return undefined
  })
  router.route(endpoints.createLink, async ({ projectId, body, request }) => {
    const { link, token } = await visibility.createLink(projectId, body)
    request.audit = { target: link.id, detail: link.name }
    return { ...link, url: shareUrl(projectId, token) }
  })
  router.route(endpoints.revokeLink, async ({ projectId, query, request }) => {
    request.audit = { target: query.id, detail: await visibility.revokeLink(projectId, query.id) }
    return undefined
  })
}
