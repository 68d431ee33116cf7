import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino, type Logger } from 'pino'
import { Accounts } from './access/accounts.ts'
import { Authenticator } from './access/authenticator.ts'
import { Keys } from './access/keys.ts'
import { LastUse } from './access/last-use.ts'
import { Passwords } from './access/passwords.ts'
import { authorize } from './access/principal.ts'
import { Projects, projectDocument, projectPrefix } from './access/projects.ts'
import { Sessions } from './access/sessions.ts'
import { Branches } from './branching/branches.ts'
import type { Config } from './config.ts'
import { Git } from './content/git.ts'
import { Maintenance } from './content/maintenance.ts'
import { Repositories } from './content/repositories.ts'
import { ReceivePack } from './content/receive-pack.ts'
import { Transport } from './content/transport.ts'
import { Failure } from './contract/failure.ts'
import { Deploys, failureOfDeploy } from './deploying/deploys.ts'
import { createFailpoint, failpoints } from './deploying/failpoint.ts'
import { openDiskHosting } from './hosting/disk.ts'
import type { Hosting } from './hosting/hosting.ts'
import { createApp } from './http/app.ts'
import { dashboardRoutes } from './http/dashboard.ts'
import { authorOf } from './http/author.ts'
import { gitRoutes, type GitCaller, type GitRefusal } from './http/git.ts'
import { originProblem } from './http/origins.ts'
import { PreviewSites } from './http/previews.ts'
import type { Services } from './http/services.ts'
import { createSiteHandler } from './http/sites.ts'
import { lockDirectory } from './metadata/lock.ts'
import { openStore } from './metadata/lowdb-store.ts'
import type { Store } from './metadata/store.ts'
import { root } from './paths.ts'
import { createSiteBuilder } from './site/build.ts'
import type { SiteBuilder } from './site/builder.ts'
import { icon } from './site/components/icons.ts'
import { openRenderPool } from './site/render/pool.ts'
import { loadTheme } from './site/theme/assets.ts'
import { createComposer } from './site/theme/composer.ts'
import { Usage } from './usage/usage.ts'

/** What tests put in the place of the real thing. */
export interface Overrides {
  readonly builder?: SiteBuilder
  readonly logger?: Logger
  readonly now?: () => Date
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

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** What was opened, in order; closed the other way round. */
class Closers {
  readonly #closers: (() => Promise<unknown>)[] = []

  add(close: () => Promise<unknown>): void {
    this.#closers.push(close)
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).toReversed()) await close()
  }
}

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
    const { app, deploys } = await assemble(config, { ...overrides, logger }, closers)
    return {
      app,
      listen: () => app.listen({ host: config.host, port: config.port }),
      close: async () => {
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
  const opening = overrides.builder === undefined ? openBuilder(config, logger) : Promise.resolve(overrides.builder)
  closers.add(() =>
    opening.then(
      (opened) => opened.close(),
      () => undefined,
    ),
  )
  const { store, git, repositories, hosting } = await openStorage(config, logger, closers)
  const builder = await opening
  const access = await openAccess(config, { store, now, logger })
  closers.add(() => access.lastUse.close())
  const { projects } = access
  const { siteUrl, cloneUrl } = addresses(config)
  const usage = new Usage({
    store,
    now,
    documentOf: projectDocument,
    planOf: async (slug) => (await projects.read(slug)).plan,
  })
  const deploys: Deploys = new Deploys({
    store,
    repositories,
    hosting,
    builder,
    siteUrl,
    now,
    failpoint: createFailpoint(failpoints.find((name) => name === config.failpoint)),
    dataDirectory: config.dataDirectory,
    documentOf: projectDocument,
    log: logger,
    reserveDeploy: (slug) => usage.reserveDeploy(slug),
    titleOf: async (slug) => (await projects.read(slug)).title,
    previews: {
      releases: async (slug) => branches.releases(slug),
      leave: (slug) => branches.leave(slug),
    },
  })
  const branches = new Branches({
    store,
    repositories,
    hosting,
    builder,
    now,
    log: logger,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    urlOf: siteUrl,
    titleOf: async (slug) => (await projects.read(slug)).title,
    reserveGeneration: (slug) => usage.reserveGeneration(slug),
    deploys: {
      liveContent: (slug) => deploys.liveContent(slug),
      land: (order, source) => deploys.land(order, source),
      follow: (slug, id, listener) => deploys.follow(slug, id, listener),
      failureOf: failureOfDeploy,
      collectSoon: (slug) => deploys.collectSoon(slug),
    },
  })
  closers.add(() => branches.close())
  await branches.load()
  await deploys.recover()
  const app = await createApp({
    services: { ...access, repositories, deploys, branches, siteUrl, cloneUrl, version, isolation: builder.isolation },
    publicUrl: config.publicUrl,
    signInsPerMinute: config.signInsPerMinute,
    trustProxy: config.trustProxy,
    logger,
    serverFactory: (handler) => serveBoth(config, { hosting, deploys, branches, logger }, handler),
    extend: async (instance) => {
      dashboardRoutes(instance)
      await gitRoutes(instance, {
        transport: new Transport({ git, concurrency: 2 * availableParallelism() }),
        receivePack: new ReceivePack({ git, target: branches.pushes, concurrency: 2 * availableParallelism() }),
        authorize: (key, slug) => gitAccess(access, key, slug),
        open: (slug) => repositories.open(slug),
      })
    },
  })
  branches.recoverInBackground()
  return { app, deploys }
}

/** Everything that lies in the data directory, which from here on is this process’s own. */
async function openStorage(config: Config, logger: Logger, closers: Closers) {
  const { dataDirectory: directory, searchPath, gcEvery } = config
  const git = new Git({ searchPath })
  await git.requireVersion()
  const lock = await lockDirectory(directory)
  closers.add(() => lock.release())
  const store = await openStore(lock)
  closers.add(() => store.close())
  const maintenance = new Maintenance({
    every: gcEvery,
    onError: (slug, error) => logger.error({ err: error, slug }, 'collecting garbage failed'),
  })
  const repositories = new Repositories({ directory, git, onUpdate: (changed) => maintenance.noteWrite(changed) })
  closers.add(() => repositories.close())
  await repositories.sweep()
  void maintenance.start(repositories)
  closers.add(() => maintenance.close())
  const hosting = await openDiskHosting({
    directory,
    composer: createComposer(),
    log: {
      warn: (message) => logger.warn(message),
      error: (error, message) => logger.error({ err: error }, message),
    },
  })
  closers.add(() => hosting.close())
  return { git, store, repositories, hosting }
}

async function openBuilder({ renderChildren }: Config, logger: Logger): Promise<SiteBuilder> {
  const pool = await openRenderPool({
    ...(renderChildren === undefined ? {} : { children: renderChildren }),
    log: ({ message, ...event }) => logger.warn(event, message),
  })
  return createSiteBuilder({ pool, theme: loadTheme(), icon })
}

async function openAccess(
  config: Config,
  parts: { readonly store: Store; readonly now: () => Date; readonly logger: Logger },
) {
  const { store, now, logger } = parts
  const onError = (error: unknown): void => logger.warn({ err: error }, 'a use of a key or session could not be noted')
  const sessions = new Sessions({ store, now, onError })
  const { signup, defaultPlan } = config
  const accounts = new Accounts({ store, sessions, signup, defaultPlan, now, passwords: new Passwords() })
  const projects = new Projects({ store, now, planOf: (account) => accounts.planOf(account) })
  const lastUse = new LastUse({ store, onError })
  const keys = await Keys.open({ store, lastUse, now })
  return { accounts, projects, keys, lastUse, authenticator: new Authenticator({ accounts, sessions, keys }) }
}

/** What a key may do through Git: what it may do through the API. */
async function gitAccess(
  { authenticator, projects }: Pick<Services, 'authenticator' | 'projects'>,
  key: string,
  slug: string,
): Promise<GitCaller | GitRefusal> {
  const caller = await authenticator.identify(key)
  const project = await projects.find(slug)
  const decision = authorize(caller, 'read', project)
  if (caller === null || decision === 'unauthenticated') return 'unauthenticated'
  if (decision === 'not_found') return 'unknown'
  return { may: (scope) => authorize(caller, scope, project) === 'ok', author: authorOf(caller) }
}

function addresses({ publicUrl, previewDomain }: Config) {
  const { protocol } = new URL(publicUrl)
  return {
    siteUrl: (slug: string): string => `${protocol}//${slug}.${previewDomain}`,
    cloneUrl: (slug: string): string => `${publicUrl}/git/${slug}.git`,
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** One server for the dashboard’s host and all sites: the sites are looked at first, without any routing. */
function serveBoth(
  { publicUrl, previewDomain }: Config,
  rooms: {
    readonly hosting: Hosting
    readonly deploys: Deploys
    readonly branches: Branches
    readonly logger: Logger
  },
  handler: Handler,
): Server {
  const { hosting, deploys, logger } = rooms
  const previews = new PreviewSites(rooms.branches)
  const sites = createSiteHandler({
    hosting,
    hosts: { publicUrl, previewDomain },
    resolve: (label, path) => {
      const release = deploys.liveRelease(label)
      return release === undefined ? previews.find(label, path) : { project: label, release, preview: false }
    },
    onError: (error, context) => logger.error({ err: error, ...context }, 'a site could not answer'),
  })
  return createServer((request, response) => {
    if (!sites(request, response)) handler(request, response)
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
