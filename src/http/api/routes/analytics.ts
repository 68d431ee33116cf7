import type { Analytics } from '#analytics/analytics.ts'
import type { Feedback } from '#analytics/feedback.ts'
import { contract } from '#contract/index.ts'
import type { Router } from '../route.ts'

export interface AnalyticsServices {
  readonly analytics: Analytics
  readonly feedback: Feedback
}

/** What readers of a site did and wrote. */
export function analyticsRoutes(router: Router, { analytics, feedback }: AnalyticsServices): void {
  router.route(contract.analytics.read, ({ projectId, query }) => analytics.read(projectId, query.days ?? 30))
  router.route(contract.feedback.list, ({ projectId, query }) => feedback.list(projectId, query))
  router.route(contract.feedback.remove, async ({ projectId, query, request }) => {
    await feedback.remove(projectId, query.id)
    request.audit = { target: query.id }
    return undefined
  })
}
