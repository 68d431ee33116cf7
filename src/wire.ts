import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import type { Passwords } from './access/passwords.ts'
import { AuditLog } from './audit/audit-log.ts'
import { Branches } from './branching/branches.ts'
import { FeedCache, ListCache } from './changelog/response-cache.ts'
import type { Config } from './config.ts'
import { Transport } from './content/git/transport.ts'
import { ReceivePack } from './content/push/receive-pack.ts'
import { Failure } from './contract/failure.ts'
import { Deploys } from './deploying/deploys.ts'
import { DeployReports } from './deploying/state.ts'
import { createFailpoint, failpoints } from './deploying/ports.ts'
import { createApp } from './http/app.ts'
import { gitRoutes } from './http/git/git.ts'
import { changelogPageRoutes } from './http/pages/changelog-page.ts'
import { dashboardRoutes } from './http/pages/dashboard.ts'
import { originProblem } from './http/sites/hosts.ts'
import { root } from './lib/paths.ts'
import { projectDocument, projectPrefix } from './projects/document.ts'
import type { SiteBuilder } from './site/builder.ts'
import type { TextRenderer } from './site/text.ts'
import type { Send } from './webhooks/send.ts'
import { gitAccess, openAccess, openOidc } from './wire/access.ts'
import { openChangelog } from './wire/changelog.ts'
import { Closers } from './wire/closers.ts'
import { openOperatorSocket } from './wire/operator.ts'
import { addressesOf, openLifecycle, openUsage, recoverUsage } from './wire/projects.ts'
import { noTexts, openRendering } from './wire/rendering.ts'
import { listenAt, serveBoth } from './wire/servers.ts'
import { openStorage } from './wire/storage.ts'
import { openWebhooks } from './wire/webhooks.ts'

/** What tests put in the place of the real thing. */
export interface Overrides {
  readonly builder?: SiteBuilder
  readonly texts?: TextRenderer
  readonly logger?: Logger
  readonly now?: () => Date
  readonly passwords?: Passwords
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

interface Assembling extends Overrides {
  readonly logger: Logger
  readonly now: () => Date
}

/** From the data directory up: storage, who may do what, content and sites, what follows them, the application. */
async function assemble(config: Config, overrides: Overrides & { readonly logger: Logger }, closers: Closers) {
  const given: Assembling = { now: () => new Date(), ...overrides }
  const rooms = await openRooms(config, given, closers)
  const app = await openApp(config, rooms, given)
  rooms.branches.recoverInBackground()
  rooms.webhooks.dispatcher.start()
  const operator = await openOperatorSocket(config, { ...rooms, logger: given.logger })
  closers.add(() => operator.close())
  return { app, deploys: rooms.deploys, operator }
}

type Rooms = Awaited<ReturnType<typeof openRooms>>

/** All rooms, with what a crash left at its end. */
async function openRooms(config: Config, given: Assembling, closers: Closers) {
  const { logger, now } = given
  // The build children start while the rest is read.
  const rendering = openBuilder(config, given, closers)
  const { store, records, git, repositories, hosting } = await openStorage(config, logger, closers)
  const { builder, texts } = await rendering
  const access = await openAccess(config, { store, now, logger, passwords: given.passwords })
  closers.add(() => access.lastUse.close())
  const { projects } = access
  const addresses = addressesOf(config, projects)
  const { siteUrl, pageUrl } = addresses
  const usage = await openUsage({ store, projects, now, logger })
  closers.add(() => usage.close())
  const webhooks = openWebhooks(config, { store, records, now, logger, siteUrl, version, send: given.send })
  closers.add(() => webhooks.dispatcher.close(Math.min(config.drainSeconds, longestDelivery) * 1000))
  const { dispatcher, outbox } = webhooks
  const announcer = outbox.entries
  const changelog = openChangelog({ store, records, now, logger, siteUrl, pageUrl, renderer: texts, announcer })
  closers.add(() => changelog.close())
  const audit = new AuditLog({ records, now })
  const below = { store, repositories, hosting, builder, now, log: logger, documentOf: projectDocument }
  const shared = {
    ...below,
    slugOf: (project: string) => projects.slugOf(project),
    titleOf: async (project: string) => (await projects.read(project)).title,
  }
  const deploys: Deploys = new Deploys({
    ...shared,
    outbox: outbox.deploys,
    siteUrl,
    failpoint: createFailpoint(failpoints.find((name) => name === config.failpoint)),
    reports: new DeployReports(records),
    reserveDeploy: (project) => usage.reserve(project, 'deploys'),
    previews: { releases: async (project) => branches.releases(project) },
  })
  const branches = new Branches({
    ...shared,
    outbox: outbox.previews,
    documentPrefix: projectPrefix,
    urlOf: addresses.labelUrl,
    reserveBranch: (project) => usage.reserve(project, 'branches'),
    deploys,
  })
  closers.add(() => branches.close())
  const held = { store, repositories, hosting, deploys, branches, dispatcher, audit, changelog }
  const lifecycle = await openLifecycle(config, { ...held, ...access, records, logger, now })
  await branches.load()
  await deploys.recover()
  await changelog.load()
  await recoverUsage(usage, { projects, deploys, branches })
  return { ...held, records, git, builder, access, addresses, usage, webhooks, lifecycle }
}

function openBuilder(config: Config, { builder, texts = noTexts, logger }: Assembling, closers: Closers) {
  const opening = builder === undefined ? openRendering(config, logger) : Promise.resolve({ builder, texts })
  closers.add(() =>
    opening.then(
      (opened) => opened.builder.close(),
      () => undefined,
    ),
  )
  return opening
}

/** The sites and the dashboard’s host on one server. */
function openApp(config: Config, rooms: Rooms, { logger, now }: Assembling): Promise<FastifyInstance> {
  const { access, addresses, git, repositories, hosting, builder, deploys, branches, changelog } = rooms
  const { projects, identities } = access
  const { siteUrl, labelUrl, pageUrl, apiUrl } = addresses
  const { publicUrl, rateLimits, trustProxy } = config
  return createApp({
    services: {
      ...rooms,
      ...access,
      ...addresses,
      feeds: new FeedCache({ changelog, pageUrl, apiUrl, now }),
      lists: new ListCache({ changelog }),
      version,
      signup: config.signup,
      identityProvider: config.oidc,
      isolation: builder.isolation,
    },
    publicUrl,
    rateLimits,
    trustProxy,
    logger,
    serverFactory: (handler) =>
      serveBoth(config, { hosting, deploys, branches, changelog, projects, labelUrl, logger }, handler),
    extend: async (instance, { limiter, recorder }) => {
      const concurrency = 2 * availableParallelism()
      dashboardRoutes(instance)
      openOidc(instance, config, { limiter, now, identities })
      changelogPageRoutes(instance, { changelog, projects, siteUrl, publicUrl })
      await gitRoutes(instance, {
        transport: new Transport({ git, concurrency }),
        receivePack: new ReceivePack({ git, target: branches.pushes, concurrency }),
        authorize: (key, slug) => gitAccess(access, key, slug),
        onMoved: (project, request, moved) => recorder.push(project, request, moved),
        limiter,
        open: (project) => repositories.open(project),
      })
    },
  })
}

async function closeApp(app: FastifyInstance, deploys: Deploys, drainMs: number): Promise<number> {
  const closed = app.close()
  const left = await deploys.drain(drainMs)
  // Who still holds a connection now has had the time: event streams, idle keep-alives, slow readers.
  app.server.closeAllConnections()
  await closed
  return left
}
