import cookie from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify'
import { limits, type RateLimits } from '../contract/limits.ts'
import type { Authenticator } from '../access/principal.ts'
import { AuditRecorder, useAudit } from './api/audit.ts'
import type { BodyBounds } from './api/held-body.ts'
import { useJsonBodies } from './api/json-body.ts'
import { sendFailure, useProblems } from './api/problems.ts'
import { UnreadableRequests } from './api/unreadable.ts'
import { Router, admission } from './api/route.ts'
import { accountChangeRoutes, type AccountChangeServices } from './api/routes/account-changes.ts'
import { accountRoutes, type AccountServices } from './api/routes/accounts.ts'
import { analyticsRoutes, type AnalyticsServices } from './api/routes/analytics.ts'
import { assistantRoutes, type AssistantServices } from './api/routes/assistant.ts'
import { branchRoutes, type BranchServices } from './api/routes/branches.ts'
import { changelogRoutes, type ChangelogServices } from './api/routes/changelog.ts'
import { commentRoutes, type CommentServices } from './api/routes/comments.ts'
import { deployRoutes, type DeployServices } from './api/routes/deploys.ts'
import { domainRoutes, type DomainServices } from './api/routes/domains.ts'
import { generationRoutes, type GenerationServices } from './api/routes/generation.ts'
import { visibilityRoutes, type VisibilityServices } from './api/routes/visibility.ts'
import { projectRoutes, type ProjectServices } from './api/routes/projects.ts'
import { serviceRoutes, type ServiceFacts } from './api/routes/service.ts'
import { webhookRoutes, type WebhookServices } from './api/routes/webhooks.ts'
import type { Presence } from '../storage/directory/presence.ts'
import type { FreeSpace } from '../storage/free-space.ts'
import { useAccess } from './auth/authenticate.ts'
import type { Drain } from './drain.ts'
import { RateLimiter } from './auth/rate-limiter.ts'
import type { Metrics } from './metrics/metrics.ts'
import { metricsRoute, type MetricsAccess } from './metrics/routes.ts'
import { KnownRequest, requestIdOf } from './requests/known.ts'
import { SessionCookie } from './auth/session-cookie.ts'
import { noticePage, ownPagePolicy } from './sites/notice.tsx'

const notFoundPage = {
  html: noticePage({
    title: 'There is nothing here',
    text: 'The address may have a typo, or what was here is gone.',
    link: { href: '/dashboard', label: 'Dashboard' },
  }),
  policy: ownPagePolicy,
}

/** What the routes need of the rooms below. */
export interface Services
  extends
    AccountServices,
    AccountChangeServices,
    ProjectServices,
    DeployServices,
    BranchServices,
    CommentServices,
    AssistantServices,
    ChangelogServices,
    WebhookServices,
    DomainServices,
    VisibilityServices,
    AnalyticsServices,
    GenerationServices,
    ServiceFacts {
  readonly authenticator: Authenticator
}

export interface AppOptions {
  readonly services: Services
  /** Origin of dashboard and API. */
  readonly publicUrl: string
  readonly rateLimits: RateLimits
  readonly trustProxy: boolean | string
  /** How much of bodies there may be at a time. */
  readonly bodies: BodyBounds
  /** Who may read the numbers of the process. */
  readonly metrics: Metrics
  readonly metricsAccess: MetricsAccess
  /** What of the disk is left. */
  readonly space: Pick<FreeSpace, 'admit'>
  /** Whether the data directory is still there. */
  readonly presence: Pick<Presence, 'problem' | 'admit'>
  /** Knows when the service comes to its end. */
  readonly drain: Drain
  readonly logger: FastifyBaseLogger
  /** Makes the server, with the sites in front of this app. */
  readonly serverFactory: FastifyServerFactory
  /** Further routes: Git transport and dashboard. */
  readonly extend: (app: FastifyInstance, guards: Guards) => void | Promise<void>
}

/** What routes outside the contract share with it. */
export interface Guards {
  readonly limiter: RateLimiter
  readonly recorder: AuditRecorder
}

const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The application behind the dashboard’s host: API, health, documentation, what `extend` adds. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { services, publicUrl, drain, presence } = options
  const unreadable = new UnreadableRequests()
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    clientErrorHandler: (error, socket) => unreadable.answer(error, socket),
    genReqId: requestIdOf,
    // `RequestLog` has a line for each, and all others name the request that they are about.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    forceCloseConnections: 'idle',
    // An address that cannot be read has no route, and so no hooks.
    frameworkErrors: (error, request, reply) => void sendFailure(error, request, reply.headers(securityHeaders)),
    loggerInstance: options.logger,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    serverFactory: options.serverFactory,
    trustProxy: options.trustProxy,
  })
  unreadable.follow(app.server)
  const { origin, protocol } = new URL(publicUrl)
  const sessions = new SessionCookie(protocol === 'https:')

  await app.register(cookie)
  await app.register(rateLimit, { global: false })
  const { authenticator, projects, visibility } = services
  app.addHook('onRequest', async (request) => {
    const { raw } = request
    if (raw instanceof KnownRequest) raw.handled = request
    if (drain.admit(raw) === 'change') await presence.admit()
  })
  app.addHook('preValidation', async ({ raw }) => drain.admitBody(raw))
  const limiter = new RateLimiter(app, options.rateLimits, projects)
  useHeaders(app, services.version)
  useJsonBodies(app, options.bodies)
  useAccess(app)
  useAudit(app)

  const recorder = new AuditRecorder(services.audit, options.logger)
  const isAdmitted = ({ raw }: FastifyRequest, projectId: string): boolean =>
    raw instanceof KnownRequest && raw.admittedTo === projectId
  const access = { authenticator, projects, visibility, isAdmitted, cookie: sessions, origin }
  const router = new Router(app, {
    admit: (endpoint) => admission(endpoint, access, { limiter, space: options.space, storage: services.storage }),
    onAnswer: (endpoint, request, answer) => recorder.endpoint(endpoint, request, answer),
  })
  useProblems(app, (path) => router.allowed(path), notFoundPage)
  await accountRoutes(app, router, services, { cookie: sessions, publicUrl })
  accountChangeRoutes(router, services, sessions)
  projectRoutes(router, services)
  deployRoutes(router, services)
  branchRoutes(router, services)
  commentRoutes(router, services)
  assistantRoutes(router, services)
  webhookRoutes(router, services)
  domainRoutes(router, services)
  visibilityRoutes(router, services)
  analyticsRoutes(router, services)
  changelogRoutes(router, services)
  generationRoutes(router, services)
  serviceRoutes(app, router, services, { url: publicUrl, cookie: sessions.name, drain, presence })
  metricsRoute(app, { metrics: options.metrics, limiter, access: options.metricsAccess })
  await options.extend(app, { limiter, recorder })
  return app
}

/** For every answer of the dashboard’s host; a page sets a policy of its own. No CORS: other sites read only what the contract says. */
function useHeaders(app: FastifyInstance, version: string): void {
  // The command line tells people that theirs is older.
  const headers = { ...securityHeaders, 'quire-version': version }
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers))
}
