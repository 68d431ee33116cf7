import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { AuditLog } from './audit/audit-log.ts'
import { Branches } from './branching/branches.ts'
import { FeedCache } from './changelog/feed-cache.ts'
import { ListCache } from './changelog/response-cache.ts'
import type { Config } from './config.ts'
import { Transport } from './content/git/transport.ts'
import { ReceivePack } from './content/push/receive-pack.ts'
import { Failure } from './contract/failure.ts'
import { Deploys } from './deploying/deploys.ts'
import { DeployReports } from './deploying/reports.ts'
import { createFailpoint, failpoints } from './deploying/failpoint.ts'
import { createApp } from './http/app.ts'
import { gitRoutes } from './http/git/git.ts'
import { changelogPageRoutes } from './http/pages/changelog-page.ts'
import { dashboardRoutes } from './http/pages/dashboard.ts'
import { originProblem } from './http/sites/origins.ts'
import { root } from './lib/paths.ts'
import { projectDocument, projectPrefix } from './projects/document.ts'
import type { SiteBuilder } from './site/builder.ts'
import type { TextRenderer } from './site/text.ts'
import type { Send } from './webhooks/send.ts'
import { gitAccess, openAccess } from './wire/access.ts'
import { openChangelog } from './wire/changelog.ts'
import { Closers } from './wire/closers.ts'
import { addressesOf, openLifecycle } from './wire/projects.ts'
import { openOidc } from './wire/oidc.ts'
import { openOperatorSocket } from './wire/operator.ts'
import { noTexts, openRendering } from './wire/rendering.ts'
import { listenAt, serveBoth } from './wire/servers.ts'
import { openStorage } from './wire/storage.ts'
import { openUsage, recoverUsage } from './wire/usage.ts'
import { openWebhooks } from './wire/webhooks.ts'

/** What tests put in the place of the real thing. */
export interface Overrides {
  readonly builder?: SiteBuilder
  readonly texts?: TextRenderer
  readonly logger?: Logger
  readonly now?: () => Date
  /** Sends what webhooks get. */
  readonly send?: Send
}

export interface Service {
  readonly app: FastifyInstance
  /** Starts answering; resolves with the address that it listens on. */
  listen(): Promise<string>
  /**
   * Stops accepting, lets running deploys end for as long as the settings say, and frees the data directory.
   * Returns how many deploys were cut off; recovery mends those.
   */
  close(): Promise<number>
}

/** Seconds that deliveries under way have at the end. */
const longestDelivery = 5

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/**
 * Puts the service together: settings → adapters → rooms → application. Recovers what a crash left before it returns.
 * Throws a Failure for what an operator can mend: settings, a data directory in use.
 */
export async function createService(config: Config, overrides: Overrides = {}): Promise<Service> {
  const problem = originProblem(config)
  if (problem !== null) throw new Failure('unavailable', problem)
  const logger = overrides.logger ?? pino({ level: config.logLevel, base: null })
  const closers = new Closers()
  try {
    const { app, deploys, operator } = await assemble(config, { ...overrides, logger }, closers)
    return {
      app,
      listen: () => listenAt(app, config),
      close: async () => {
        // A backup under way keeps from ending what deploys wait for.
        await operator.close()
        const left = await closeApp(app, deploys, config.drainSeconds * 1000)
        await closers.close()
        return left
      },
    }
  } catch (error) {
    await closers.close()
    throw error
  }
}

async function assemble(config: Config, overrides: Overrides & { readonly logger: Logger }, closers: Closers) {
  const { logger, now = () => new Date() } = overrides
  // The build children start while the rest is read.
  const opening =
    overrides.builder === undefined
      ? openRendering(config, logger)
      : Promise.resolve({ builder: overrides.builder, texts: overrides.texts ?? noTexts })
  closers.add(() =>
    opening.then(
      (opened) => opened.builder.close(),
      () => undefined,
    ),
  )
  const { store, records, git, repositories, hosting } = await openStorage(config, logger, closers)
  const { builder, texts } = await opening
  const access = await openAccess(config, { store, now, logger })
  closers.add(() => access.lastUse.close())
  const { projects } = access
  const { labelUrl, siteUrl, cloneUrl, apiUrl, pageUrl } = addressesOf(config, projects)
  const slugOf = (project: string): string => projects.slugOf(project)
  const usage = await openUsage({ store, projects, now, logger })
  closers.add(() => usage.close())
  const webhooks = openWebhooks(config, { store, records, now, logger, siteUrl, version, send: overrides.send })
  closers.add(() => webhooks.dispatcher.close(Math.min(config.drainSeconds, longestDelivery) * 1000))
  const changelog = openChangelog({
    store,
    records,
    now,
    logger,
    siteUrl,
    pageUrl,
    renderer: texts,
    announcer: webhooks.outbox.entries,
  })
  closers.add(() => changelog.close())
  const audit = new AuditLog({ records, now })
  const deploys: Deploys = new Deploys({
    store,
    outbox: webhooks.outbox.deploys,
    repositories,
    hosting,
    builder,
    slugOf,
    siteUrl,
    now,
    failpoint: createFailpoint(failpoints.find((name) => name === config.failpoint)),
    reports: new DeployReports(records),
    documentOf: projectDocument,
    log: logger,
    reserveDeploy: (slug) => usage.reserve(slug, 'deploys'),
    titleOf: async (slug) => (await projects.read(slug)).title,
    previews: {
      releases: async (slug) => branches.releases(slug),
    },
  })
  const branches = new Branches({
    store,
    outbox: webhooks.outbox.previews,
    repositories,
    hosting,
    builder,
    now,
    log: logger,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    slugOf,
    urlOf: labelUrl,
    titleOf: async (slug) => (await projects.read(slug)).title,
    reserveBranch: (slug) => usage.reserve(slug, 'branches'),
    deploys,
  })
  closers.add(() => branches.close())
  const { dispatcher } = webhooks
  const lifecycle = await openLifecycle(config, {
    ...{ store, repositories, hosting, deploys, branches, dispatcher, audit, changelog, logger, now },
    ...access,
  })
  await branches.load()
  await deploys.recover()
  await changelog.load()
  await recoverUsage(usage, { projects, deploys, branches })
  const app = await createApp({
    services: {
      ...access,
      lifecycle,
      repositories,
      deploys,
      branches,
      usage,
      audit,
      webhooks,
      changelog,
      feeds: new FeedCache({ changelog, pageUrl, apiUrl, now }),
      lists: new ListCache({ changelog }),
      siteUrl,
      cloneUrl,
      version,
      signup: config.signup,
      identityProvider: config.oidc,
      isolation: builder.isolation,
    },
    publicUrl: config.publicUrl,
    rateLimits: config.rateLimits,
    trustProxy: config.trustProxy,
    logger,
    serverFactory: (handler) =>
      serveBoth(config, { hosting, deploys, branches, changelog, projects, labelUrl, logger }, handler),
    extend: async (instance, { limiter, recorder }) => {
      dashboardRoutes(instance)
      openOidc(instance, config, { limiter, now, identities: access.identities })
      changelogPageRoutes(instance, { changelog, projects, siteUrl, publicUrl: config.publicUrl })
      await gitRoutes(instance, {
        transport: new Transport({ git, concurrency: 2 * availableParallelism() }),
        receivePack: new ReceivePack({ git, target: branches.pushes, concurrency: 2 * availableParallelism() }),
        authorize: (key, slug) => gitAccess(access, key, slug),
        onMoved: (slug, request, moved) => recorder.push(slug, request, moved),
        limiter,
        open: (slug) => repositories.open(slug),
      })
    },
  })
  branches.recoverInBackground()
  webhooks.dispatcher.start()
  const operator = await openOperatorSocket(config, {
    access,
    audit,
    git,
    repositories,
    hosting,
    records,
    deploys,
    logger,
  })
  closers.add(() => operator.close())
  return { app, deploys, operator }
}

async function closeApp(app: FastifyInstance, deploys: Deploys, drainMs: number): Promise<number> {
  const closed = app.close()
  const left = await deploys.drain(drainMs)
  // Who still holds a connection now has had the time: event streams, idle keep-alives, slow readers.
  app.server.closeAllConnections()
  await closed
  return left
}
