import type { RequestListener } from 'node:http'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Logger } from 'pino'
import type { Analytics } from '../analytics/analytics.ts'
import type { Feedback } from '../analytics/feedback.ts'
import { OwnRemoval } from '../access/own-removal.ts'
import type { Assistant } from '../assistant/assistant.ts'
import type { Answers } from '../answers/answers.ts'
import { SiteSearch } from '../answers/site-search.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Branches } from '../branching/branches.ts'
import type { Changelog } from '../changelog/changelog.ts'
import { EntrySearch } from '../changelog/search.ts'
import { changelogPath } from '../changelog/site-page.tsx'
import { FeedCache, ListCache } from '../changelog/response-cache.ts'
import type { Comments } from '../comments/comments.ts'
import type { Config } from '../config.ts'
import type { Git } from '../content/git/git.ts'
import { Transport } from '../content/git/transport.ts'
import type { Maintenance } from '../content/maintenance.ts'
import { ReceivePack } from '../content/push/receive-pack.ts'
import type { Repositories } from '../content/repositories.ts'
import { RepositoryChecks } from '../content/repository-checks.ts'
import { limits } from '../contract/limits.ts'
import type { Checks } from '../deploying/checks.ts'
import type { Domains } from '../domains/domains.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { BodyBounds } from '../http/api/held-body.ts'
import { createApp } from '../http/app.ts'
import type { ConnectionBounds } from '../http/connections.ts'
import type { Drain } from '../http/drain.ts'
import { gitRoutes } from '../http/git/git.ts'
import type { Listener, RequestHandler } from '../http/listener.ts'
import { changelogPageRoutes } from '../http/pages/changelog-page.ts'
import { commandLineRoutes } from '../http/pages/command-line.ts'
import { dashboardRoutes } from '../http/pages/dashboard.ts'
import { homeRoute } from '../http/pages/home.tsx'
import { askPath, SiteQuestions } from '../http/sites/ask.ts'
import { SiteChangelog } from '../http/sites/changelog.ts'
import { mcpPath, SiteMcp } from '../http/sites/mcp.ts'
import { KnownRequest } from '../http/requests/known.ts'
import { RequestLog } from '../http/requests/request-log.ts'
import { inRequestSpan } from '../http/requests/request-span.ts'
import { LiveFrames } from '../http/sites/live.ts'
import { PreviewSites } from '../http/sites/previews.ts'
import { ReaderReports } from '../http/sites/reader-reports.ts'
import { SiteSearches } from '../http/sites/search.ts'
import type { PrivateSites } from '../http/sites/private.ts'
import {
  besidePrimary,
  createSiteHandler,
  redirectTo,
  suspendedSite,
  unavailableSite,
  type SiteHandlerOptions,
  type SiteTarget,
} from '../http/sites/sites.ts'
import { mostDescriptors } from '../lib/processes.ts'
import { forRequest } from '../lib/request-id.ts'
import type { ProjectLifecycle } from '../projects/lifecycle.ts'
import { Generations } from '../models/generations.ts'
import type { MeteredModels } from '../models/models.ts'
import { searchPath } from '../site/search/format.ts'
import { loadTheme } from '../site/theme/assets.ts'
import type { Presence } from '../storage/directory/presence.ts'
import { FreeSpace } from '../storage/free-space.ts'
import type { Store } from '../storage/store.ts'
import type { StorageQuota } from '../usage/storage-quota.ts'
import type { Usage } from '../usage/usage.ts'
import { gitAccess, openOidc, type openAccess } from './access.ts'
import type { Visibility } from '../visibility/visibility.ts'
import type { Closers } from './closers.ts'
import { openMetrics } from './metrics.ts'
import { modelListOf } from './models.ts'
import type { addressesOf } from './projects.ts'
import { openDoors } from './doors.ts'
import type { openWebhooks } from './webhooks.ts'

/** What the application and the sites answer with. */
interface AppParts {
  readonly access: Awaited<ReturnType<typeof openAccess>>
  readonly addresses: ReturnType<typeof addressesOf>
  readonly git: Git
  readonly repositories: Repositories
  readonly maintenance: Maintenance
  /** How many children render. */
  readonly children: () => number
  readonly hosting: Hosting
  readonly deploys: Deploys
  readonly branches: Branches
  readonly comments: Comments
  readonly assistant: Assistant
  readonly checks: Checks
  readonly lifecycle: ProjectLifecycle
  readonly usage: Usage
  readonly storage: StorageQuota
  readonly audit: AuditLog
  readonly webhooks: Awaited<ReturnType<typeof openWebhooks>>
  readonly changelog: Changelog
  readonly answers: Answers
  readonly analytics: Analytics
  readonly feedback: Feedback
  readonly models: MeteredModels
  readonly domains: Domains
  readonly visibility: Visibility
  readonly drain: Drain
  readonly bodies: BodyBounds
  readonly listener: Listener
  readonly store: Store
  /** Whether the data directory is still there. */
  readonly presence: Presence
  readonly logger: Logger
  readonly now: () => Date
  readonly version: string
}

/** The application behind the dashboard’s host, and what answers every request: the sites first, then that. */
export async function openApp(config: Config, parts: AppParts, closers: Closers) {
  const { access, addresses, git, repositories, branches, changelog, logger, now } = parts
  const { projects, identities } = access
  const { siteUrl, pageUrl, feedUrls, apiUrl } = addresses
  const { publicUrl, rateLimits, trustProxy, dataDirectory, minFree } = config
  const space = new FreeSpace({
    directory: dataDirectory,
    least: minFree,
    onLow: (freeBytes, leastBytes) =>
      logger.error({ directory: dataDirectory, freeBytes, leastBytes }, 'the disk is nearly full: content is refused'),
  })
  const metrics = openMetrics(
    config.metrics.own,
    { ...parts, projects, space, connections: parts.listener.connections },
    closers,
  )
  const requests = new RequestLog({
    logger,
    trustProxy,
    slugOf: (projectId) => projects.slugOf(projectId),
    pageViews: config.logPageViews,
    onAnswer: (answered) => metrics.numbers.request(answered),
  })
  closers.addReader(async () => requests.close())
  const originOf = ({ project, domain, label }: SiteTarget): string => {
    if (domain !== undefined) return parts.domains.urlOf(domain)
    return label === undefined ? siteUrl(project) : addresses.labelUrl(label)
  }
  const questions = new SiteQuestions({
    answers: parts.answers,
    hosting: parts.hosting,
    originOf,
    onError: (error, projectId) => logger.error({ err: error, project: projectId }, 'a question was not answered'),
  })
  const doors = openDoors(config, { ...parts, ...access })
  const search = new SiteSearch({ hosting: parts.hosting, ownerOf: (projectId) => projects.ownerOf(projectId) })
  const entries = new EntrySearch({ changelog, ownerOf: (projectId) => projects.ownerOf(projectId) })
  const mcp = new SiteMcp({
    search,
    entries,
    changelog,
    hosting: parts.hosting,
    titleOf: async (projectId) => (await projects.read(projectId)).title,
    originOf,
    version: parts.version,
    onError: (error, projectId) => logger.error({ err: error, project: projectId }, 'an MCP client was not answered'),
  })
  const reports = new ReaderReports({ ...parts, originOf })
  let answer: RequestHandler = () => undefined
  const app = await createApp({
    services: {
      ...parts,
      ...access,
      ...addresses,
      shareUrl: doors.shareUrl,
      feeds: new FeedCache({ changelog, pageUrl, feedUrls, apiUrl, now }),
      lists: new ListCache({ changelog }),
      generations: new Generations({ models: parts.models, list: modelListOf(config) }),
      signup: config.signup,
      contact: config.contact,
      planChange: config.planChange,
      slugReservedDays: config.slugReservedDays,
      identityProvider: config.oidc,
      ownRemoval: new OwnRemoval({ ...access, lifecycle: parts.lifecycle }),
      repositoryChecks: new RepositoryChecks({ ownerOf: (projectId) => projects.ownerOf(projectId) }),
    },
    publicUrl,
    rateLimits,
    trustProxy,
    metrics: metrics.numbers,
    metricsAccess: config.metrics,
    bodies: parts.bodies,
    drain: parts.drain,
    presence: parts.presence,
    space,
    logger,
    serverFactory: (handler) => {
      answer = answerBoth(
        config,
        { ...parts, questions, reports, search, entries, mcp, privateSites: doors.sites, requests },
        handler,
      )
      return parts.listener.server
    },
    extend: async (instance, { limiter, recorder }) => {
      const concurrency = 2 * availableParallelism()
      homeRoute(instance, { publicUrl, signup: config.signup })
      dashboardRoutes(instance, { sites: `${new URL(publicUrl).protocol}//*.${config.previewDomain}`, publicUrl })
      commandLineRoutes(instance, publicUrl)
      questions.routes(instance, limiter)
      await doors.routes(instance, limiter)
      mcp.routes(instance, limiter)
      await reports.routes(instance, limiter)
      openOidc(instance, config, { limiter, now, identities })
      const { visibility } = parts
      const { isMember } = doors
      changelogPageRoutes(instance, { changelog, projects, siteUrl, pageUrl, publicUrl, visibility, isMember })
      await gitRoutes(instance, {
        transport: new Transport({ git, concurrency, memory: parts.bodies.memory }),
        receivePack: new ReceivePack({ git, target: branches.pushes, concurrency }),
        authorize: (key, slug) => gitAccess(access, key, slug),
        onMoved: (projectId, request, moved) => {
          logger.info({ projectId, slug: projects.slugOf(projectId), ref: moved.ref, to: moved.to }, 'push')
          return recorder.push(projectId, request, moved)
        },
        limiter,
        space,
        grow: (projectId) => parts.storage.begin(projects.ownerOf(projectId)),
        open: (projectId) => repositories.open(projectId),
      })
    },
  })
  await app.ready()
  return { app, answer, metrics }
}

interface SiteParts extends AppParts {
  readonly questions: SiteQuestions
  readonly reports: ReaderReports
  readonly privateSites: PrivateSites
  readonly search: SiteSearch
  readonly entries: EntrySearch
  readonly mcp: SiteMcp
  readonly requests: RequestLog
}

/** Of the dashboard’s host and all sites the sites are looked at first, without any routing. */
function answerBoth(
  config: Config,
  {
    hosting,
    deploys,
    branches,
    changelog,
    domains,
    access,
    addresses,
    drain,
    logger,
    questions,
    reports,
    privateSites,
    search,
    entries,
    mcp,
    requests,
    visibility,
  }: SiteParts,
  handler: RequestListener,
): RequestHandler {
  const { publicUrl, previewDomain } = config
  const { projects } = access
  const { labelUrl } = addresses
  const theme = loadTheme()
  const frames = new LiveFrames({
    hosting,
    files: theme.files,
    onError: (error, projectId) => logger.error({ err: error, project: projectId }, 'a page could not be framed'),
  })
  const siteChangelog = new SiteChangelog({
    changelog,
    projects,
    hosting,
    search: entries,
    siteUrl: addresses.siteUrl,
    style: theme.entries,
    onError: (error, projectId) => logger.error({ err: error, project: projectId }, 'a changelog was not shown'),
  })
  const searches = new SiteSearches({
    search,
    entries,
    onError: (error, projectId) => logger.error({ err: error, project: projectId }, 'a site could not be searched'),
  })
  const liveRelease = (projectId: string): string | undefined => deploys.liveRelease(projectId)
  const editorUrl = (projectId: string, branch: string): string =>
    `${publicUrl}/dashboard/${projects.slugOf(projectId)}/branches/${branch}/edit/`
  const mayRead: PrivateSites['mayRead'] = (request, site) => privateSites.mayRead(request, site)
  const previews = new PreviewSites({
    branches,
    projects,
    frames,
    liveRelease,
    siteUrl: addresses.canonicalUrl,
    editorUrl,
    mayRead,
    isPrivate: (projectId) => visibility.isPrivate(projectId),
  })
  const live = (id: string, path: string, domain?: string): ReturnType<SiteHandlerOptions['resolve']> => {
    if (projects.isSuspended(id)) return suspendedSite
    const release = deploys.liveRelease(id)
    if (release === undefined) return projects.isSetAside(id) ? unavailableSite : null
    const at = domain === undefined ? {} : { domain }
    const changelogHref = changelog.hasAppeared(id) ? changelogPath : undefined
    const site = { project: id, release, preview: false, changelog: changelogHref, ...at }
    if (path === askPath) return questions.at(site, handler)
    if (path === mcpPath) return mcp.at(site, handler)
    if (path === theme.entries) return frames.file(path) ?? site
    if (path === searchPath) return searches.at(site)
    const reported = reports.at(site, path, handler)
    if (reported !== undefined) return reported
    const primary = domains.primaryOf(id)
    const shown = siteChangelog.at(site, path, handler) ?? site
    return primary === undefined || primary === domain ? shown : besidePrimary(shown, hosting, domains.urlOf(primary))
  }
  const sites = createSiteHandler({
    hosting,
    hosts: { publicUrl, previewDomain },
    resolve: (label, path) => {
      const named = projects.resolve(label)
      if (named === null) {
        const preview = previews.find(label, path)
        if (preview !== null && path === searchPath && 'release' in preview) return searches.at(preview)
        if (preview !== null && path === mcpPath && 'release' in preview) return mcp.at(preview, handler)
        if (preview !== null) return preview
        const moved = previews.movedTo(label)
        return moved === null ? null : redirectTo(labelUrl(moved))
      }
      const { id, movedTo } = named
      if (movedTo !== null) return redirectTo(labelUrl(movedTo))
      return live(id, path)
    },
    resolveDomain: (domain, path) => {
      const id = domains.projectAt(domain)
      return id === undefined ? undefined : live(id, path, domain)
    },
    baseOf: ({ label, domain }) => {
      const named = label === undefined ? null : projects.resolve(label)
      const id = domain === undefined ? named?.id : domains.projectAt(domain)
      const release = id === undefined ? undefined : deploys.liveRelease(id)
      if (id !== undefined && release !== undefined) return hosting.baseOf(id, release)
      const preview = label === undefined || named !== null ? null : previews.find(label, '/')
      return preview !== null && 'release' in preview ? hosting.baseOf(preview.project, preview.release) : ''
    },
    admit: (exchange, site) => privateSites.admit(exchange, site, handler),
    onSite: (request, site) => {
      if (request instanceof KnownRequest) request.site = site
    },
    onError: (error, context) => logger.error({ err: error, ...context }, 'a site could not answer'),
  })
  return (request, response) => {
    requests.watch(request, response)
    drain.track(response)
    const answer = (): void => {
      if (!sites(request, response)) forRequest(request.id, () => handler(request, response))
    }
    if (config.traces === undefined) answer()
    else inRequestSpan({ request, response, isTrusted: requests.isTrusted(request) }, answer)
  }
}

/** More are of no use to one process. */
const sensible = 10_000

/**
 * How many connections the service takes, unless the settings say it: half of its descriptors, so that the rest is there
 * for files and for processes of Git, and no more than whose small bodies fit into a quarter of the heap.
 */
export function connectionBounds({ maxConnections, connectionsPerAddress, trustProxy }: Config): ConnectionBounds {
  const byMemory = getHeapStatistics().heap_size_limit / 4 / limits.bodyBytes
  const most = maxConnections ?? Math.floor(Math.min(sensible, mostDescriptors() / 2, byMemory))
  return { most, ofAddress: connectionsPerAddress, trustProxy }
}

/** What the end of the application waits for. */
interface ClosingParts {
  readonly listener: Listener
  readonly deploys: Pick<Deploys, 'drain'>
  readonly assistant: Pick<Assistant, 'close'>
  readonly models: Pick<MeteredModels, 'close'>
  readonly drain: Drain
  /** Milliseconds for all of it. */
  readonly within: number
  /** Milliseconds at least until nobody listens any more, and for the last to be heard. */
  readonly notice: number
  /** Another service takes connections by the same socket. */
  readonly hasSuccessor: boolean
}

/** Milliseconds for answers that are nearly through, however long the rest took. */
const leastForAnswers = 1000

/**
 * Ends what changes something, with its answer, and refuses what comes after. Sites are served, and whatever else only reads.
 *
 * @returns how many deploys were cut off.
 */
export async function endChanges(
  { deploys, assistant, models, drain, within }: Omit<ClosingParts, 'listener' | 'notice' | 'hasSuccessor'>,
  { notice = 0, hasSuccessor = false }: { readonly notice?: number; readonly hasSuccessor?: boolean },
): Promise<number> {
  const left = timeLeft(within)
  drain.begin({ hasSuccessor })
  await Promise.all([drain.settleChanges(left()), sleep(notice)])
  // Answers that take longer are told that they are cut off.
  await assistant.close()
  await models.close()
  return deploys.drain(left())
}

/** Ends whatever else is under way. Then nobody is let in any more, and the answers that have come to it meanwhile are ended. */
export async function endAnswers({
  listener,
  drain,
  within,
  notice,
  hasSuccessor,
}: Omit<ClosingParts, 'deploys' | 'assistant' | 'models'>) {
  const left = timeLeft(within)
  // Half: somebody else may have begun as long an answer by then. Where another service listens as well, whoever came here
  // would see what was before, and be refused.
  if (!hasSuccessor) await drain.settlePresent(left() / 2)
  await listener.close(() => drain.settleAnswers(Math.max(leastForAnswers, left())), notice)
}

function timeLeft(within: number): () => number {
  const deadline = performance.now() + within
  return () => Math.max(0, deadline - performance.now())
}
